//! `wattle push`: recordings to a server.

mod push_command;
mod pushed_series;

pub use self::push_command::push;
