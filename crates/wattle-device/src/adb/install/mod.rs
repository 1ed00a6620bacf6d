//! Apps onto a device.

mod package_install;
mod package_transfer;
