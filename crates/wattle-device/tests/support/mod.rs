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

use std::io::Write as _;

mod apk;
mod local;
mod phone;
mod scripted;

pub use apk::Package;
pub use local::LocalShell;
pub use phone::{App, Phone};
pub use scripted::{Fault, Kind, ScriptedDevice, read_app, sha256};

/// Says that a part of a test was left out, past the test harness's capture.
pub fn skipped(why: &str) {
    let test = std::thread::current().name().unwrap_or("?").to_owned();
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {why}");
}
