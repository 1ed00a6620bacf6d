//! Event trace logs of Windows (`.etl`): who ran, slept and was woken, sampled stacks, processes, images, disks.
//!
//! A log is a row of buffers, each filled by one CPU (`buffer`), perhaps packed (`compress`); in them lie events behind headers of
//! half a dozen kinds (`header`). `merge` brings the events of all CPUs into order of time, `reader` tells them to the timeline.
//!
//! Sources: the Windows SDK (`evntrace.h`, `evntcons.h`), `ntwmi.h` of phnt (System Informer), Microsoft's documentation of the MOF classes
//! under `MSNT_SystemTrace`, and `KernelTraceEventParser` of PerfView's TraceEvent for what changed with versions.

mod buffer;
mod buffers;
mod bytes;
mod clock;
mod compress;
mod counts;
mod disks;
mod event;
mod events;
mod header;
mod image_builds;
mod images;
mod importer;
mod interrupts;
mod kernel_event;
mod kernel_process;
pub mod limits;
mod log_format;
mod log_header;
mod merge;
mod names;
mod read;
mod reader;
mod schema;
mod source;
mod stack_log;
mod stacks;
mod tasks;

pub use event::Guid;
pub use events::{EtlEvent, EtlField, EtlValue, etl_events};
pub use importer::ETL;
