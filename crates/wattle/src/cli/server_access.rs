//! The flags of commands that use a server.

use std::path::PathBuf;

use clap::Args;

/// The way into a server.
#[derive(Debug, Args, Clone, Default)]
#[command(next_help_heading = "Server")]
pub struct ServerAccess {
    /// File with an API token for the server [default: the variable WATTLE_TOKEN]
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Name of the project on the server
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub project: String,
}
