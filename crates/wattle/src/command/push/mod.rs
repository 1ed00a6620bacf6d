//! `wattle push`: recordings to a server.

mod push_command;

pub use self::push_command::push;
