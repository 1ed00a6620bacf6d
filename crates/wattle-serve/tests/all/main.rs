//! A server, asked over real connections.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::format_push_string,
    clippy::large_stack_arrays,
    clippy::items_after_statements,
    reason = "a test that cannot go on has failed, and need not be fast"
)]

mod access;
mod auditing;
mod full_disk;
mod hostile;
mod interface;
mod pages;
mod proxy_login;
mod server_support;
mod sharing;
mod uploading;
