//! `wattle push`: recordings to a server.

mod push_command;
mod server_client;

pub use self::push_command::push;
