//! Importers of kernel traces: Perfetto, ftrace and systrace texts, trace.dat.
//!
//! | module | reads |
//! |---|---|
//! | `perfetto` | Perfetto traces (`perfetto_trace.proto`) |
//! | `ftrace_text` | text of ftrace, atrace, systrace and `trace-cmd report` |
//! | `trace_dat` | files of trace-cmd |
//!
//! Below them stand, for other crates too, [`perfetto_packets`] (the packets of a Perfetto trace, and no timeline), [`kernel`] (the meaning of the kernel's events for a timeline, whatever wrote them down)
//! and [`tracepoints`] (binary records of tracepoints by their descriptions, which `perf.data` holds as well).

mod ftrace_text;
pub mod kernel;
pub mod limits;
mod perfetto;
pub mod perfetto_packets;
mod trace_dat;
pub mod tracepoints;

pub use ftrace_text::{ATRACE, FTRACE, SYSTRACE, text_event, text_kind};
pub use perfetto::PERFETTO;
pub use trace_dat::TRACE_DAT;
