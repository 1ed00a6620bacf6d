//! The device side of adb's transport protocol, as `packages/modules/adb/protocol.txt` of AOSP has it.

mod connection;
mod link;
mod listener;
mod packet;
mod stream;

pub(crate) use link::Link;
pub(crate) use listener::Listener;
pub(crate) use stream::{Received, Stream};
