//! Bytes over networks and to storage: what threads move, how devices count it, and whose it truly was.

mod byte_device;
mod byte_transfer;
mod byte_truth;
mod piece;

pub(crate) use byte_device::{DeviceCounter, DeviceIndex, DeviceKind, DeviceNames};
pub use byte_transfer::{Access, Transfer};
pub use byte_truth::{ByteTruth, Bytes, CallBytes, DeviceBytes};
pub(crate) use piece::{Piece, pieces};
