//! Tests of the language server's parts.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot go on has failed"
)]

mod declarations;
mod large_file;
mod moved_methods;
mod native_functions;
mod random_edits;
