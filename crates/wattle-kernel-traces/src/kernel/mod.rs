//! Events of the kernel's tracer with their meaning, apart from any file format.
//!
//! Perfetto's packets, text and trace-cmd's files hold the same events. Each format's reader finds the fields of an
//! event; what the event means for the timeline is here, once.

mod block_requests;
mod event;
mod event_kind;
mod fields;
mod file_writers;
mod log;
mod mark;
mod marks;
mod tally;
mod time_outliers;

pub use block_requests::{BlockRequest, BlockRequests, BlockStep};
pub use event::{
    CLONE_THREAD, GpuWork, KernelEvent, OOM_SCORE, devfreq_frequency, suspend_resume, task_state,
};
pub use event_kind::EventKind;
pub use fields::{EventFields, block_event, decode};
pub use file_writers::{FileStep, FileWriters, TracedFile};
pub use log::{Applied, KernelLog, SOFT_IRQS};
pub use mark::{Mark, parse as parse_mark};
pub use marks::{device_state, for_instruments, print};
pub use tally::Tally;
pub(crate) use time_outliers::{DAY, Judgement, TimeOutliers, is_near};
