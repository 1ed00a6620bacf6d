//! Devices over adb: what they are, how they are prepared and put back, what runs on them, and the recording of it.
//!
//! Everything that talks to a device goes through the trait [`Device`]; the adb client implements it, tests may script
//! it. Everything that may take long looks at a [`Cancel`], so that Ctrl-C ends it and the device is put back.

pub mod adb;
pub mod clock;
pub mod facts;
pub mod installation;
pub mod keeper;
pub mod lease;
pub mod package;
pub mod prepare;
pub mod scenario;
pub mod session;
pub mod source;

mod attached_device;
mod cancel;
mod command;
mod device_folder;
mod device_operations;
mod error;
mod host_clock;
mod install_refusal;
mod next_packet;
mod progress;
mod questions;
mod quote;
mod shell;
mod undo_outcome;

pub use cancel::Cancel;
pub use device_operations::{
    Device, FileFacts, InstallOptions, ShellEvent, ShellOutput, ShellStream,
};
pub use error::DeviceError;
pub use progress::{Progress, Quiet};
pub use quote::quote;
