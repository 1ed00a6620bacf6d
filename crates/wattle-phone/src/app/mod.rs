//! Apps that run on the phone.

mod app_process;
mod performer;
mod plausible;
mod probe_file;
mod probe_numbers;
mod probe_recorder;
mod record_buffer;

pub(crate) use app_process::AppProcess;
pub(crate) use performer::Performer;
pub(crate) use plausible::{launch_steps, test_steps};
