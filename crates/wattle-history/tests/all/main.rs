//! Histories from kept runs to the data of the page.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test that cannot go on has failed"
)]

mod judging;
mod kept;
mod many_versions;
mod pages;
