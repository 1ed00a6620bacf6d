//! The daemon that adb servers connect to.

mod connection;
mod listener;

pub(crate) use listener::Listener;
