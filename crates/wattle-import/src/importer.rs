//! Interface of an importer.

use crate::{Artifact, Format, Head, ImportError, Session};

/// Whether a file is of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recognition {
    /// It is not.
    No,
    /// It is, and can be read.
    Yes,
    /// It looks so, by a framing that other formats share.
    Likely,
    /// It is a variant that cannot be read; what messages call it, with what to do.
    Refused(&'static str),
}

impl From<bool> for Recognition {
    fn from(is_recognised: bool) -> Self {
        if is_recognised { Self::Yes } else { Self::No }
    }
}

/// The importer of one format. Importers hold no state: what they read is the session's.
pub trait Importer: Sync {
    /// The format that it reads.
    fn format(&self) -> &'static Format;

    /// Whether a file is of the format, by its first bytes. Importers are asked in the order of the registry.
    fn recognise(&self, head: &Head<'_>) -> Recognition;

    /// True if a file that a recording lists as one of [`Format::kinds`] is read by this importer, although its first bytes were
    /// recognised as another format, this sure.
    fn insists(&self, _other: Recognition) -> bool {
        false
    }

    /// Queues work that is done for every recording, whether or not an artifact of the format is there.
    fn prepare(&self, _session: &mut Session) {}

    /// Reads a file: adds its quality to the session, gives what is in boot time to the builder, readings of clocks to the clocks, and
    /// queues the rest as pending work.
    ///
    /// # Errors
    /// If nothing of it could be read, so that it is no artifact of the recording.
    fn read(&self, artifact: Artifact<'_>, session: &mut Session) -> Result<(), ImportError>;
}
