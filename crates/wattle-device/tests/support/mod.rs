//! A device for tests: a small phone that keeps state, with faults at any call.

#![allow(
    dead_code,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    clippy::format_collect,
    clippy::format_push_string,
    clippy::struct_excessive_bools,
    unused_imports,
    reason = "every test binary uses a part of it, and a test that cannot go on has failed"
)]

mod local;
mod phone;
mod scripted;

pub use local::LocalShell;
pub use phone::{App, Phone};
pub use scripted::{Fault, Kind, ScriptedDevice, read_app, sha256};
