//! Workloads to simulate.

mod mixed_apps;
mod news_app;
mod polled_task;
mod random;
mod system_processes;
mod wasteful_app;
mod web_access;

pub use mixed_apps::{changed_apps, mixed_apps, other_apps};
pub use news_app::{demo, news_app};
pub use polled_task::polled_task;
pub use random::random;
pub use wasteful_app::{WASTES, thrifty_app, wasteful_app};
pub use web_access::{WEB_CALLS, web_access};
