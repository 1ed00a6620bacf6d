//! A server of the Model Context Protocol: questions of coding agents about energy, answered from recordings and kept runs.
//!
//! Every answer begins with the answer, carries 90 % intervals, provenance and coverage, ends with the next question that makes sense,
//! and has at most [`ANSWER_BUDGET`] characters, which is about 2,000 tokens. Recordings are analysed once, by another process of the
//! program, so that a damaged file cannot end the server and an analysis can be cancelled; their ledgers stay in memory.

mod answer;
mod mcp_setup;
mod opened;
mod server;
mod tools;

pub use answer::ANSWER_BUDGET;
pub use mcp_setup::ServerSetup;
pub use opened::{ANALYSED_FINDINGS, ANALYSED_LEDGER, ANALYSIS_FOLDER, ENDS_WITH};
pub use server::{ListenError, serve_http, serve_stdio};
