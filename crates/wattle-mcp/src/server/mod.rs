//! The server: the protocol, its transports, resources, consent.

mod device_consent;
mod energy_server;
mod http_listener;
mod line_messages;
mod power_chart;
mod recording_resources;
mod review_prompt;
mod stdio_server;

pub use self::http_listener::{ListenError, serve_http};
pub use self::stdio_server::serve_stdio;
