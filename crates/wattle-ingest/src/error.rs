//! Why nothing could be read.

use std::path::PathBuf;

use thiserror::Error;

use crate::Looks;

/// Why nothing could be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum IngestError {
    /// The file system or the stream said no.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// Another type of file than any that is read.
    #[error(
        "{name}: expected a trace (Perfetto, ftrace, systrace, trace-cmd, ETL), sampled stacks (perf.data, perf script, a simpleperf report, collapsed), a log, records of probes, a method trace, polled counters or samples of a power meter, a .gz or .zip of them, or a recording folder; this looks like {looks}"
    )]
    WrongType {
        /// The file.
        name: String,
        /// What it looks like.
        looks: Looks,
    },
    /// A power meter's file without what a meter's file has to have.
    #[error("{name}: as a power meter's file: {reason}")]
    Meter {
        /// The file.
        name: String,
        /// What was expected and what was found.
        reason: String,
    },
    /// An archive or folder without anything that is read.
    #[error("{name}: no trace, log or other artifact among the {files} file(s) in it")]
    NothingInside {
        /// The archive or folder.
        name: String,
        /// How many files were looked at.
        files: usize,
    },
    /// An archive that cannot be opened.
    #[error("{name}: a .zip that cannot be opened: {reason}")]
    Archive {
        /// The archive.
        name: String,
        /// Why.
        reason: String,
    },
    /// gzip that cannot be unpacked.
    #[error("{name}: damaged gzip: {reason}")]
    Gzip {
        /// The file.
        name: String,
        /// Why.
        reason: String,
    },
    /// `recording.json` that does not say which artifacts there are.
    #[error("{}: {reason}", path.display())]
    Recording {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// It was asked to read no files at all.
    #[error("no input given")]
    NoInput,
}
