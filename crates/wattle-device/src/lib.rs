//! Devices over adb: what they are, how they are prepared and put back, what runs on them, and the recording of it.
//!
//! Everything that talks to a device goes through the trait [`Device`]; the adb client implements it, tests may script
//! it. Everything that may take long looks at a [`Cancel`], so that Ctrl-C ends it and the device is put back.

pub mod adb;
mod cancel;
mod device;
mod error;
mod quote;

pub use cancel::Cancel;
pub use device::{Device, FileFacts, InstallOptions, ShellEvent, ShellOutput, ShellStream};
pub use error::DeviceError;
pub use quote::quote;
