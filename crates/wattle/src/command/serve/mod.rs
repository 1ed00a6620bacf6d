//! `wattle serve`: reports, uploads and jobs over HTTP.

mod attached_devices;
mod frugal_memory;
mod project_command;
mod serve_command;
mod server_failure;
mod user_command;

pub use self::serve_command::serve;
