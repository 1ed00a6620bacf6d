//! In place of the simulated phone, in builds without it.

use std::path::Path;

use wattle_device::Cancel;
use wattle_device::adb::{AdbOptions, AdbServer};

use crate::cli::{DeviceChoice, SimulatedPhone};
use crate::exit::Failure;

/// A simulated phone, of which this build has none.
#[derive(Debug)]
pub enum Simulated {}

impl Simulated {
    /// Refuses.
    pub fn start(
        _kind: SimulatedPhone,
        _choice: &DeviceChoice,
        _options: AdbOptions,
        _cancel: &Cancel,
    ) -> Result<Self, Failure> {
        Err(Failure::Usage(anyhow::anyhow!(
            "--simulate: this build does not contain the simulated phone; \
             build Wattle with the feature \"phone\": cargo install --path crates/wattle --features phone"
        )))
    }

    /// The server that holds it.
    pub const fn server(&self) -> &AdbServer {
        match *self {}
    }

    /// The folder for journals and leases.
    pub const fn folder(&self) -> &Path {
        match *self {}
    }

    /// adb's name of it.
    pub const fn serial(&self) -> &str {
        match *self {}
    }
}
