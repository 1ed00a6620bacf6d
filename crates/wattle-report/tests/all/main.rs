//! Tests of the crate through its public face.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod browser;
mod conservation;
mod diagnosis_browser;
mod diagnosis_csv;
mod diagnosis_forms;
mod diff;
mod diff_browser;
mod energy_coverage;
mod history_browser;
mod html;
mod human;
mod json;
mod method_conservation;
mod methods;
mod rating;
mod runtime_tax;
mod sampled;
mod schema;
mod selection_browser;
mod spans;
mod spectrum;
mod summary;
mod support;
mod suspects;
mod terminal;
mod top;
mod tracks_browser;
mod webdriver;
