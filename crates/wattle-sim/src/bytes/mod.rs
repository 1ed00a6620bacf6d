//! Bytes over networks and to storage: what threads move, how devices count it, and whose it truly was.

mod device;
mod piece;
mod transfer;
mod truth;

pub(crate) use device::{DeviceCounter, DeviceIndex, DeviceKind, DeviceNames};
pub(crate) use piece::{Piece, pieces};
pub use transfer::{Access, Transfer};
pub use truth::{ByteTruth, Bytes, CallBytes, DeviceBytes};
