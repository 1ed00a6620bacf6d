//! A server, asked over real connections.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod access;
mod hostile;
mod interface;
mod pages;
mod server_support;
mod sharing;
mod uploading;
