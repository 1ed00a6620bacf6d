//! `wattle lsp` as editors use it: the real program, a real repository, a real history.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::needless_pass_by_value,
    reason = "a test that cannot go on has failed"
)]

// A browser that other crates' tests own.
#[path = "../../../wattle-report/tests/all/webdriver/mod.rs"]
mod webdriver;

mod browser_editor;
mod editor_client;
mod gradle;
mod large_project;
mod lsp4ij;
mod neovim;
mod sample_project;
mod vscode;
mod vscode_project;
