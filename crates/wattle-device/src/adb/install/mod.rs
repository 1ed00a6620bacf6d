//! Apps onto a device.

mod packages;
mod refusal;
mod transfer;

pub use refusal::{InstallCause, InstallRefusal};
