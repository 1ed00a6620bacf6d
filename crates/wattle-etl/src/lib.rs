//! Event trace logs of Windows (`.etl`): who ran, slept and was woken, sampled stacks, processes, images, disks.
//!
//! A log is a row of buffers, each filled by one CPU (`buffer`), perhaps packed (`compress`); in them lie events behind headers of
//! half a dozen kinds (`event_header`). `merge` brings the events of all CPUs into order of time, `reader` tells them to the timeline.
//!
//! Sources: the Windows SDK (`evntrace.h`, `evntcons.h`), `ntwmi.h` of phnt (System Informer), Microsoft's documentation of the MOF classes
//! under `MSNT_SystemTrace`, and `KernelTraceEventParser` of PerfView's TraceEvent for what changed with versions.

mod buffer;
mod buffers;
mod clr_event;
mod compress;
mod counts;
mod disks;
mod etl_file;
mod etl_format;
mod etl_importer;
mod event_clock;
mod event_header;
mod event_record;
mod events;
mod image_builds;
mod interrupts;
mod kernel_event;
mod kernel_process;
pub mod limits;
mod loaded_images;
mod log_header;
mod log_source;
mod log_span;
mod managed_code;
mod merge;
mod names;
mod payload;
mod reader;
mod schema;
mod stack_log;
mod stacks;
mod tasks;
mod timer_event;
mod timers;

pub use etl_importer::ETL;
pub use event_record::Guid;
pub use events::{EtlEvent, EtlField, EtlValue, etl_events};
