//! The importer of event trace logs.

use wattle_import::{Artifact, Format, Head, ImportError, Importer, Recognition, Session, Source};

use crate::buffer::looks_like;
use crate::etl_file::{read, read_source};
use crate::etl_format::FORMAT;
use crate::log_source;

/// Windows event trace logs.
pub const ETL: &dyn Importer = &Etl;

struct Etl;

impl Importer for Etl {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn recognise(&self, head: &Head<'_>) -> Recognition {
        looks_like(head.bytes).into()
    }

    fn read(&self, artifact: Artifact<'_>, session: &mut Session) -> Result<(), ImportError> {
        let Artifact { name, total, source, progress } = artifact;
        let mut told = |done: u64| progress.advance(done, total);
        // A file is not held in memory: of it a few buffers a CPU are.
        let quality = match source {
            Source::Memory(bytes) => {
                read_source(name, log_source::Source::Memory(bytes), session, &mut told)
            }
            Source::File(file) => {
                read_source(name, log_source::Source::File(file), session, &mut told)
            }
            stream @ Source::Stream(_) => read(name, stream, session, &mut told),
        };
        session.add_artifact(quality);
        Ok(())
    }
}
