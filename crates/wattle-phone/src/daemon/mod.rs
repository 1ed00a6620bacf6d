//! The daemon that adb servers connect to.

mod connection;
mod listener;
mod run_key;

pub(crate) use listener::Listener;
pub(crate) use run_key::RunKey;
