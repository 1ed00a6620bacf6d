//! Making a recording: the device is looked at, prepared, recorded while a scenario runs, and put back.

mod app_life;
mod books;
mod broken_off;
mod fetch;
mod iteration;
mod put_back;
mod recording_folder;
mod resume;
mod run_order;
mod scenario_mark;
mod scheduler_data;
mod session_environment;
mod session_plan;
mod session_report;
mod session_run;
mod session_state;
mod source_set;
mod waiting;

pub use crate::device_folder::DEVICE_FOLDER;
pub use run_order::RunOrder;
pub use session_environment::{DeviceInspection, Environment, HostFile};
pub use session_plan::{Build, SessionPlan};
pub use session_report::SessionReport;
pub use session_run::Session;
