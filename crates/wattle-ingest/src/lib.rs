//! From input files to a [`Timeline`](wattle_timeline::Timeline): the registry of importers, containers, folders and recordings.
//!
//! Importers are in crates of their own, by kind of input; what they share is `wattle-import`. `registry` lists them, one line a format.
//!
//! Whatever could be read is a [`Timeline`](wattle_timeline::Timeline), and what could not is in its
//! `quality`: an input that is cut short, damaged in places or holds unknown packets is not an
//! error. An [`IngestError`] means that nothing could be read, and says what the input looks like.
//!
//! ```
//! use wattle_wire::Writer;
//!
//! // A trace of one packet: a system information with the name of the SoC.
//! let mut trace = Writer::new();
//! trace.message(1, |packet| packet.message(45, |info| info.string(9, "Tensor")));
//! let timeline = wattle_ingest::read_bytes("one.perfetto-trace", trace.as_bytes())?;
//! assert_eq!(timeline.device.soc_name(), Some("Tensor"));
//!
//! let error = wattle_ingest::read_bytes("photo", b"\xff\xd8\xff\xe0 JFIF").unwrap_err();
//! assert!(error.to_string().contains("JPEG"));
//! # Ok::<(), wattle_ingest::IngestError>(())
//! ```
//!
//! Memory is bounded by what is kept, not by what an input claims: see [`limits`].

mod container;
mod doubtful_rails;
mod error;
mod file_stretches;
mod folder;
mod foreign;
mod input_file;
pub mod limits;
mod one_run;
mod power_evidence;
mod read;
mod read_options;
mod registry;
mod separate_run;
mod unpacked;
mod zip_archive;
mod zip_salvage;

pub use error::IngestError;
pub use folder::{iterations, only_recording};
pub use read::{
    nothing_read, read_all_bytes, read_all_bytes_as, read_bytes, read_paths, read_paths_as,
    read_paths_with, read_stream, read_stream_with,
};
pub use read_options::ReadOptions;
pub use separate_run::SeparateRun;
pub use wattle_android_logs::{
    LogClock, LogEntry, LogTime, LogcatOptions, LogcatSummary, read_logcat,
};
pub use wattle_etl::{EtlEvent, EtlField, EtlValue, Guid, etl_events};
pub use wattle_import::{ImportError, NoProgress, Progress};
pub use wattle_meters::{MeterColumn, MeterColumns, MeterOptions, MeterStart};
