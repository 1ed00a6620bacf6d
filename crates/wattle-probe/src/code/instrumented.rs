//! Input and output of instrumenting code.

use std::borrow::Cow;
use std::time::Duration;

use wattle_apk::PackedContent;

use crate::{Counts, LeftOutMethod, MapId, Mode, Sink};

/// A file of code.
#[derive(Clone, Debug)]
pub struct CodeFile<'a> {
    /// Its name, for errors.
    pub name: String,
    /// The Dalvik executable.
    pub bytes: Cow<'a, [u8]>,
}

/// Code with probes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Instrumented {
    /// The kinds of places with probes.
    pub mode: Mode,
    /// The sink that they write to.
    pub sink: Sink,
    /// The files, those of one origin together, each origin's first in its place. Of [`instrument_packages`]
    /// only those that differ from their origins or come in addition.
    ///
    /// [`instrument_packages`]: crate::instrument_packages
    pub files: Vec<RewrittenFile>,
    /// The file with the runtime class, to be added.
    pub runtime: Vec<u8>,
    /// The probe map, see [`ProbeMap`](crate::ProbeMap).
    pub map: Vec<u8>,
    /// Its name.
    pub map_id: MapId,
    /// The number of methods with probes, and the reasons why others have none.
    pub counts: Counts,
    /// Methods that were asked for and cannot be touched, sorted.
    pub left_out: Vec<LeftOutMethod>,
    /// The duration of each stage.
    pub stages: Vec<(Stage, Duration)>,
    /// The map, while it is too large to be kept as it is.
    pub(crate) packed_map: Option<PackedContent>,
}

/// A file with probes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RewrittenFile {
    /// The position of the file it comes from.
    pub origin: usize,
    /// The Dalvik executable.
    pub bytes: Vec<u8>,
    /// The place where it belongs.
    pub placement: Placement,
}

/// The place of a file with probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Placement {
    /// It replaces the file that it comes from.
    InPlace,
    /// It holds the classes with probes alone and must be loaded before the file that it comes from, which stays
    /// as it is: of classes of one name the first that is loaded counts.
    InFront,
}

/// A stage that takes time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Opening files and unpacking code.
    Read,
    /// Choosing methods.
    Plan,
    /// Writing the probe map and the probes' texts.
    Map,
    /// Writing code.
    Rewrite,
    /// Verifying what was changed.
    Verify,
    /// Packing, aligning and signing.
    Package,
    /// Writing files.
    Write,
}

impl Stage {
    /// The name that summaries use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Plan => "plan",
            Self::Map => "map",
            Self::Rewrite => "rewrite",
            Self::Verify => "verify",
            Self::Package => "package",
            Self::Write => "write",
        }
    }
}
