//! The programs of the phone's shell, and how they call the phone.
//!
//! A command of the shell that only the phone can answer (`getprop`, `dumpsys`, `pm` …) is a small program of the
//! host that hands its arguments and its standard input to the phone over a Unix socket, and writes what comes back.

mod program_call;
mod tool_client;
mod tool_frame;

pub(crate) use program_call::Call;
pub use tool_client::tool_main;
