//! Why nothing could be read.

use std::path::PathBuf;

use thiserror::Error;

use wattle_import::ImportError;

use crate::registry;
use crate::separate_run::{self, SeparateRun};

/// Why nothing could be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum IngestError {
    /// The file system or the stream said no.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The underlying error.
        source: std::io::Error,
    },
    /// Another type of file than any that is read.
    #[error(
        "{name}: looks like {title}; expected {}, a .gz or .zip of them, or a recording folder",
        registry::readable()
    )]
    WrongType {
        /// The file.
        name: String,
        /// Format that it looks like, with its article.
        title: &'static str,
    },
    /// A file without what its format must have.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// Files of known formats in which nothing could be read.
    #[error("{names}: nothing could be read{}", because(reason.as_deref()))]
    Nothing {
        /// The files, with the formats that they were read as.
        names: String,
        /// The most severe note of their readers.
        reason: Option<String>,
    },
    /// An archive or folder without anything that is read.
    #[error("{name}: {}", nothing_inside(*files))]
    NothingInside {
        /// The archive or folder.
        name: String,
        /// Number of files that were examined.
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
        /// The defect.
        reason: String,
    },
    /// Input files of several recordings.
    #[error(
        "the input files are not of one recording: {reason}{}\ncompare two recordings with `wattle diff A B`; if the files do \
         belong together, read them as one with --join",
        separate_run::list(runs)
    )]
    Contradiction {
        /// Two of the files, and the fact in which they differ.
        reason: String,
        /// The recordings.
        runs: Vec<SeparateRun>,
    },
    /// A folder of several recordings.
    #[error(
        "{name} holds {} recordings, one for each folder in it: expected one{}\nname one of them, such as {}; compare two with \
         `wattle diff A B`; if their files do belong together, read them as one with --join",
        runs.len(),
        separate_run::list(runs),
        runs.first().map_or("", |run| run.name.as_str())
    )]
    SeveralRuns {
        /// The folder.
        name: String,
        /// The recordings, by name.
        runs: Vec<SeparateRun>,
    },
    /// Packed input that unpacks to more than the budget of the run.
    #[error(
        "{name}: unpacks to more than {}; --unpack-limit sets another limit",
        wattle_import::UnpackBudget::shown(*limit)
    )]
    UnpackLimit {
        /// The files.
        name: String,
        /// The budget in bytes.
        limit: u64,
    },
    /// It was asked to read no files at all.
    #[error("no input given")]
    NoInput,
}

fn because(reason: Option<&str>) -> String {
    let expected = "expected events, samples, states or totals of a recording";
    reason.map_or_else(|| format!("; {expected}"), |reason| format!(" ({reason}); {expected}"))
}

fn nothing_inside(files: usize) -> String {
    match files {
        0 => "the folder or archive is empty: expected a trace, a log or another recording in it"
            .to_owned(),
        1 => "its only file is not a trace, log or other recording that can be read".to_owned(),
        files => {
            format!("none of its {files} files is a trace, log or other recording that can be read")
        }
    }
}
