//! Trace formats to timeline: one module per format, each `bytes → timeline + diagnostics`.
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

mod align;
mod archive;
mod art_trace;
mod batterystats;
mod container;
mod counters;
mod error;
mod etl;
mod folded;
mod folder;
mod frame_kind;
mod ftrace_text;

mod kernel;
pub mod limits;
mod logcat;
mod logs;
mod meter;
mod navitas;
mod notes;
mod options;
mod perf_data;
mod perf_script;
mod perfetto;
mod power_evidence;
mod probes;
mod progress;
mod read;
mod recording;
mod session;
mod simpleperf_report;
mod sniff;
mod stacks;
mod trace_dat;

pub use error::IngestError;
pub use etl::{EtlEvent, EtlField, EtlValue, Guid, etl_events};
pub use folder::iterations;
pub use logcat::{LogClock, LogEntry, LogTime, LogcatOptions, LogcatSummary, read_logcat};
pub use meter::{MeterColumn, MeterColumns, MeterOptions, MeterStart};
pub use options::ReadOptions;
pub use progress::{NoProgress, Progress};
pub use read::{
    read_all_bytes, read_all_bytes_as, read_bytes, read_paths, read_paths_as, read_paths_with,
    read_stream, read_stream_with,
};
pub use sniff::Looks;
