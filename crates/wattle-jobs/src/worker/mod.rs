//! Workers: each job is a program of its own, confined, with limits of memory, time and files.

mod child_limits;
mod child_run;
mod child_text;
mod confinement;
mod device_shelf;
mod housekeeping;
mod job_command;
mod job_folder;
mod job_results;
mod job_worker;
mod worker_settings;

pub use child_limits::ChildLimits;
pub use confinement::{confined_child, kernel_confines};
pub use device_shelf::DeviceShelf;
pub use housekeeping::Housekeeping;
pub use job_worker::{StopSignal, Worker};
pub use worker_settings::WorkerSettings;
