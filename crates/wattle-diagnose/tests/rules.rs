//! The rules: each on a scene made by hand in which it must speak and on one beside it in which it must not, with its thresholds
//! moved; and on real recordings.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "tests")]

#[path = "rules/devices.rs"]
mod devices;
#[path = "rules/documentation.rs"]
mod documentation;
#[path = "rules/options.rs"]
mod options;
#[path = "rules/properties.rs"]
mod properties;
#[path = "rules/real.rs"]
mod real;
#[path = "rules/runtime.rs"]
mod runtime;
#[path = "rules/scene.rs"]
mod scene;
#[path = "rules/simulated.rs"]
mod simulated;
#[path = "rules/statistics.rs"]
mod statistics;
#[path = "rules/threads.rs"]
mod threads;
