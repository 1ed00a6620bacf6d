//! The device side of adb's transport protocol, as `packages/modules/adb/protocol.txt` of AOSP has it.

mod adb_packet;
mod adb_stream;
mod sender;

pub(crate) use adb_packet::{Command, LEAST_PAYLOAD, MOST_PAYLOAD, Packet, VERSION};
pub(crate) use adb_stream::{Received, Stream};
pub(crate) use sender::Sender;
