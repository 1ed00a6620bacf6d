//! Tracepoints of the kernel as binary records: the descriptions of events (`events/*/*/format`) and the fields of records by them.
//!
//! Files of trace-cmd and `perf.data` hold the same descriptions, so both are read by this module.

mod contents;
mod data_sections;
mod descriptions;
mod event_format;
mod tracepoint_record;

pub use contents::{Contents, CpuData, EventClock, Packing};
pub(crate) use data_sections::{formats, header_info, long_text, short_text, systems};
pub use descriptions::descriptions;
pub use event_format::{Field, FieldKind, Format, PageLayout};
pub use tracepoint_record::{Plan, Record};

/// First bytes of a file of trace-cmd, and of the tracing data of a `perf.data`.
pub(crate) const SIGNATURE: &[u8] = b"\x17\x08\x44tracing";
