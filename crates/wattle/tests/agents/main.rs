//! `wattle mcp` as agents use it: the real program, in both eras of the protocol.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::needless_pass_by_value,
    reason = "a test that cannot go on has failed"
)]

mod agent_client;
mod agent_documents;
mod agent_questions;
mod device_questions;
mod hostile_calls;
mod large_trace;
mod paths_of_recordings;
mod protocol_conformance;
mod protocol_eras;
mod simulated_recordings;
mod suggested_calls;
