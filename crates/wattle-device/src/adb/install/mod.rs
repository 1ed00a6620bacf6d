//! Apps onto a device.

mod packages;
mod transfer;
