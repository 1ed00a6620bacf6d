//! Making a recording: the device is looked at, prepared, recorded while a scenario runs, and put back.

mod books;
mod broken_off;
mod device_folder;
mod environment;
mod iteration;
mod plan;
mod put_back;
mod recording_folder;
mod report;
mod resume;
mod session_run;
mod source_set;
mod waiting;

pub use device_folder::DEVICE_FOLDER;
pub use environment::{Environment, FoundDevice, HostFile};
pub use plan::{Build, SessionPlan};
pub use report::SessionReport;
pub use session_run::Session;
