//! A device for tests: a small phone that keeps state, with faults at any call.

mod apk;
mod local;
mod phone;
mod scripted;

pub use apk::Package;
pub use local::LocalShell;
pub use phone::{App, Phone};
pub use scripted::{Fault, Kind, ScriptedDevice, read_app, sha256};
