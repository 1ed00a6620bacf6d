//! The gate.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod forms;
mod histories;
mod rules;
mod support;
