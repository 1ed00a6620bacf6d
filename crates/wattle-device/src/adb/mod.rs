//! Wattle's own client of the adb server.
//!
//! An adb server (the user's own, started if none runs) holds the devices; [`AdbServer`] talks to it over TCP in the
//! smart-socket protocol, [`AdbDevice`] is one device behind it. Nothing here trusts what server or device send: every
//! length is bounded before memory is taken, every wait has an end and looks at [`crate::Cancel`].
//!
//! Source of the protocols: AOSP `packages/modules/adb` (`docs/dev/services.md`, `docs/dev/sync.md`, `shell_protocol.h`,
//! `file_sync_protocol.h`).

mod adb_limits;
mod adb_program;
mod address;
mod client;
mod console;
mod device_choice;
mod environment;
mod features;
mod forward;
mod install;
mod link;
mod request;
mod server;
mod shell;
mod socket;
mod sync;
mod tracker;

pub use crate::attached_device::{AttachedDevice, DeviceState};
pub use crate::install_refusal::{InstallCause, InstallRefusal};
pub use adb_limits::Limits;
pub use adb_program::AdbProgram;
pub use address::ServerAddress;
pub use client::AdbDevice;
pub use console::{ChargeStatus, EmulatorConsole, PowerDisplay};
pub use environment::Environment;
pub use features::Features;
pub use forward::Forward;
pub use server::{AdbOptions, AdbServer};
pub use tracker::DeviceTracker;
