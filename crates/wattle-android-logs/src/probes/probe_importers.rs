//! The importers of probes' records and of probe maps.

use std::io::{BufReader, Read};

use wattle_import::{Artifact, Content, Format, Head, ImportError, Importer, Recognition, Session};

use super::probe_findings::ProbeFindings;
use super::probe_formats::{MAP, RECORDS};
use super::{file, map};

/// Records of probes.
pub const PROBES: &dyn Importer = &Probes;

struct Probes;

impl Importer for Probes {
    fn format(&self) -> &'static Format {
        &RECORDS
    }

    fn recognise(&self, head: &Head<'_>) -> Recognition {
        head.bytes.starts_with(file::SIGNATURE).into()
    }

    /// Sections of the sink `trace` come in traces alone.
    fn prepare(&self, session: &mut Session) {
        session.pending::<ProbeFindings>();
    }

    fn read(&self, artifact: Artifact<'_>, session: &mut Session) -> Result<(), ImportError> {
        let next = session.next_artifact();
        let mut findings = session.take_pending::<ProbeFindings>();
        let before = findings.log.processes.len();
        let stream = BufReader::new(artifact.source);
        let quality = file::read(artifact.name, stream, next, &mut findings.log);
        for process in findings.log.processes.iter().skip(before) {
            session.clocks.extend(process.clocks.iter().flat_map(|clocks| clocks.readings()));
        }
        session.put_pending(findings);
        session.add_artifact(quality);
        Ok(())
    }
}

/// The meaning of probes.
pub const PROBE_MAP: &dyn Importer = &ProbeMap;

struct ProbeMap;

impl Importer for ProbeMap {
    fn format(&self) -> &'static Format {
        &MAP
    }

    fn recognise(&self, head: &Head<'_>) -> Recognition {
        if head.content != Content::Json {
            return Recognition::No;
        }
        // The first line is an object with the map's version.
        let line = head.bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        memchr::memmem::find(line, map::SIGNATURE).is_some().into()
    }

    fn read(&self, artifact: Artifact<'_>, session: &mut Session) -> Result<(), ImportError> {
        read_probe_map(artifact.name, artifact.source, session);
        Ok(())
    }
}

/// Reads a probe map as an artifact: for packages, which carry the map of their probes.
pub fn read_probe_map(name: &str, stream: impl Read, session: &mut Session) {
    let mut findings = session.take_pending::<ProbeFindings>();
    let quality = map::read(name, stream, &mut session.builder.names, &mut findings.maps);
    session.put_pending(findings);
    session.add_artifact(quality);
}
