//! Common base of all importers of trace formats, with nothing about any format.
//!
//! An [`Importer`] recognises files of one [`Format`] by their first bytes and reads them into a [`Session`]: times that are
//! boot time already go to the session's timeline builder at once, and what is in another clock waits as [`Pending`] work until
//! every artifact of the recording was read, because any of them may hold the readings that relate that clock to boot time.
//!
//! ```text
//!  bytes ─► Importer::recognise ─► Importer::read ─┬─► Session::builder ────────────────┬─► Timeline ─► Derivation
//!                                                  ├─► Session::clocks (readings)       │
//!                                                  └─► Session::pending ─► apply, by ───┘
//!                                                      Stage, once the clocks are known
//! ```
//!
//! The registry of importers, containers (gzip, ZIP) and recording folders are `wattle-ingest`'s.
//!
//! ```
//! use wattle_import::{Artifact, Format, Head, ImportError, Importer, ReadOrder, Recognition, Session};
//!
//! /// One line, one name of a thread.
//! struct Names;
//!
//! const FORMAT: Format = Format {
//!     name: "names",
//!     title: "a list of names",
//!     family: "a log",
//!     short: None,
//!     order: ReadOrder::Logs,
//!     kinds: &[],
//!     is_accessory: false,
//! };
//!
//! impl Importer for Names {
//!     fn format(&self) -> &'static Format {
//!         &FORMAT
//!     }
//!
//!     fn recognise(&self, head: &Head<'_>) -> Recognition {
//!         head.bytes.starts_with(b"names:\n").into()
//!     }
//!
//!     fn read(&self, artifact: Artifact<'_>, session: &mut Session) -> Result<(), ImportError> {
//!         let quality = FORMAT.quality(artifact.name);
//!         session.add_artifact(quality);
//!         Ok(())
//!     }
//! }
//!
//! let mut session = Session::default();
//! Names.read(Artifact::memory("a.names", b"names:\nmain\n", &mut |_, _| {}), &mut session)?;
//! assert_eq!(session.finish().quality.artifacts[0].format, "names");
//! # Ok::<(), ImportError>(())
//! ```

mod artifact;
mod before_file;
mod clocks;
mod error;
mod format;
mod frame_kind;
mod head;
mod ignored_bytes;
mod importer;
pub mod limits;
mod notes;
mod progress;
pub mod recording;
mod run_facts;
mod session;
mod stages;
pub mod text;

pub use artifact::{Artifact, Source};
pub use before_file::BeforeFile;
pub use clocks::{Clock, ClockFacts, Fit, Reading, ReadingSource, alignment};
pub use error::ImportError;
pub use format::{Format, ReadOrder};
pub use frame_kind::frame_kind;
pub use head::{Content, HEAD, Head};
pub use ignored_bytes::IgnoredBytes;
pub use importer::{Importer, Recognition};
pub use notes::{Notes, input_failed};
pub use progress::{NoProgress, Progress};
pub use run_facts::{RunFacts, RunLog};
pub use session::{Pending, Session};
pub use stages::{Derivation, DerivationStage, Stage};
pub use wattle_unpack::UnpackBudget;
