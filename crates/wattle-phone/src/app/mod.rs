//! Apps that run on the phone.

mod map;
mod performer;
mod plausible;
mod probe_file;
mod process;
mod recorder;

pub(crate) use performer::Performer;
pub(crate) use plausible::{launch_steps, test_steps};
pub(crate) use process::AppProcess;
