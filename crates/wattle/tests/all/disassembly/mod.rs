//! An app's code as `dexdump`, the disassembler of the Android project, prints it, and where its calls land by that alone.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail the test"
)]

pub mod code;
pub mod hierarchy;
