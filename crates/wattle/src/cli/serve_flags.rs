//! The flags of `wattle serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `wattle serve`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Serve {
    /// Manage users, instead of serving
    #[command(subcommand)]
    pub verb: Option<ServeVerb>,
    #[command(flatten)]
    pub place: ServerPlace,
    /// Listen on ADDRESS:PORT; any but a loopback address needs users (`wattle serve user add NAME`)
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7070")]
    pub bind: SocketAddr,
    /// Jobs at once in this process; 0 leaves them to other machines with the same data
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub workers: usize,
    /// The address for browsers, if that is another one: `https://wattle.example` behind a proxy
    #[arg(long, value_name = "URL")]
    pub public_url: Option<String>,
    /// Take the client's address from the proxy's `X-Forwarded-For`
    #[arg(long)]
    pub behind_proxy: bool,
    /// Largest upload, in megabytes
    #[arg(long, value_name = "MB", default_value_t = 4096)]
    pub upload_limit: u64,
    /// Open the first page in the browser
    #[arg(long)]
    pub open: bool,
}

/// The place of a server's data.
#[derive(Debug, Args, Clone, Default)]
pub struct ServerPlace {
    /// The folder of the server's data [default: a folder in the user's data]
    #[arg(long, value_name = "FOLDER", global = true)]
    pub data: Option<PathBuf>,
    /// A PostgreSQL database for everything but files: postgres://USER@HOST/DATABASE [default: SQLite in the folder]
    #[arg(
        long,
        value_name = "URL",
        env = "WATTLE_SERVER_STORE",
        hide_env_values = true,
        global = true
    )]
    pub store: Option<String>,
}

/// The operations on a server's data.
#[derive(Debug, Subcommand)]
pub enum ServeVerb {
    /// Add, list and lock users
    #[command(subcommand)]
    User(UserVerb),
    /// Copy the server's data into a new folder, while it runs
    Backup {
        /// The folder, which must not exist
        folder: PathBuf,
    },
    /// Make the data of a server out of a backup
    Restore {
        /// The backup
        folder: PathBuf,
    },
}

/// The operations on users.
#[derive(Debug, Subcommand)]
pub enum UserVerb {
    /// Add a user; the first one manages the server
    Add {
        /// Name for logging in
        name: String,
        /// Let the user manage the server
        #[arg(long)]
        admin: bool,
        /// Take the password from the first line of FILE, or of standard input for `-` [default: a random one, which is printed]
        #[arg(long, value_name = "FILE|-")]
        password_file: Option<PathBuf>,
    },
    /// List the users
    List,
    /// Give a user another password, which ends all their sessions
    Password {
        /// Name of the user
        name: String,
        /// Take the password from the first line of FILE, or of standard input for `-` [default: a random one, which is printed]
        #[arg(long, value_name = "FILE|-")]
        password_file: Option<PathBuf>,
    },
    /// Lock a user out
    Disable {
        /// Name of the user
        name: String,
    },
    /// Let a user in again
    Enable {
        /// Name of the user
        name: String,
    },
}
