//! Tracepoints of the kernel as binary records: the descriptions of events (`events/*/*/format`) and the fields of records by them.
//!
//! Files of trace-cmd and `perf.data` hold the same descriptions, so both are read by this module.

mod contents;
mod descriptions;
mod format;
mod record;
mod sections;

pub use contents::{Contents, CpuData, EventClock, Packing};
pub use descriptions::descriptions;
pub use format::{Field, FieldKind, Format, PageLayout};
pub use record::{Plan, Record};
pub(crate) use sections::{formats, header_info, long_text, short_text, systems};

/// First bytes of a file of trace-cmd, and of the tracing data of a `perf.data`.
pub(crate) const SIGNATURE: &[u8] = b"\x17\x08\x44tracing";
