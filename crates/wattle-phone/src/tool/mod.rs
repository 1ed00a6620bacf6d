//! The programs of the phone's shell, and how they call the phone.
//!
//! A command of the shell that only the phone can answer (`getprop`, `dumpsys`, `pm` …) is a small program of the
//! host that hands its arguments and its standard input to the phone over a Unix socket, and writes what comes back.

mod call;
mod client;
mod frame;
mod list;
mod server;

pub(crate) use call::Call;
pub use client::tool_main;
pub(crate) use list::{HOST_TOOLS, phone_tools};
pub(crate) use server::Server;

/// Environment variable with the socket of the phone.
pub(crate) const SOCKET: &str = "WATTLE_PHONE_SOCKET";
/// Environment variable with the folder that is the phone's root. Not set where the phone's paths are the host's.
pub(crate) const ROOT: &str = "WATTLE_PHONE_ROOT";
