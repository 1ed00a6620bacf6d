//! The flags of `wattle serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use wattle_serve::TrustedNetwork;

use super::serve_limits::ServeLimits;

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
    #[command(flatten)]
    pub proxy: ServeProxy,
    /// Let jobs use an attached device, by its serial number (repeatable) [default: none]
    #[arg(long, value_name = "SERIAL", conflicts_with = "all_devices")]
    pub device: Vec<String>,
    /// Let jobs use every device that adb has, as they come and go
    #[arg(long)]
    pub all_devices: bool,
    #[command(flatten)]
    pub limits: ServeLimits,
    /// Open the first page in the browser
    #[arg(long)]
    pub open: bool,
}

/// The proxy in front of a server.
#[derive(Debug, Args, Clone, Default)]
pub struct ServeProxy {
    /// Take the client's address from `X-Forwarded-For`, whoever sends it: for a server that only its proxy reaches
    #[arg(long, conflicts_with = "trust_proxy")]
    pub behind_proxy: bool,
    /// Take it from this proxy only: an address, or a network such as 10.0.0.0/8 (repeatable)
    #[arg(long, value_name = "ADDRESS")]
    pub trust_proxy: Vec<TrustedNetwork>,
    /// Log in the user that the trusted proxy names in this header, such as X-Remote-User, instead of passwords
    #[arg(long, value_name = "HEADER", requires = "trust_proxy")]
    pub login_header: Option<String>,
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
    /// Add, list and lock users, and set their roles
    #[command(subcommand)]
    User(UserVerb),
    /// Add, list and remove projects, and set how long they keep runs and uploads
    #[command(subcommand)]
    Project(ProjectVerb),
    /// Delete the runs and uploads that projects no longer keep, as a running server does every hour
    Tidy {
        /// Print what would be deleted, and delete nothing
        #[arg(long)]
        dry_run: bool,
    },
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
        /// The project that the user is a member of [default: default]
        #[arg(long, value_name = "PROJECT")]
        project: Option<String>,
        /// The user's role in it [default: member; admin if the user manages the server]
        #[arg(long, value_enum, value_name = "ROLE")]
        role: Option<ProjectRole>,
        /// Add the user without a password: for servers with --login-header
        #[arg(long, conflicts_with = "password_file")]
        no_password: bool,
        /// Take the password from the first line of FILE, or of standard input for `-` [default: a random one, which is printed]
        #[arg(long, value_name = "FILE|-")]
        password_file: Option<PathBuf>,
    },
    /// List the users with their roles
    List,
    /// Give a user a role in a project, instead of the one they had
    Role {
        /// Name of the user
        name: String,
        /// The role
        #[arg(value_enum)]
        role: ProjectRole,
        /// The project
        #[arg(long, value_name = "PROJECT")]
        project: String,
    },
    /// Take a user out of a project
    Remove {
        /// Name of the user
        name: String,
        /// The project
        #[arg(long, value_name = "PROJECT")]
        project: String,
    },
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

/// A role in a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProjectRole {
    /// Sees runs, jobs and files
    Reader,
    /// Uploads, comments and shares, too
    Member,
    /// Deletes, and manages members, too
    Admin,
}

/// The operations on projects.
#[derive(Debug, Subcommand)]
pub enum ProjectVerb {
    /// Add a project
    Add {
        /// Name in addresses
        name: String,
        /// Name for people
        #[arg(long, value_name = "TITLE", default_value = "", hide_default_value = true)]
        title: String,
    },
    /// List the projects with what they hold
    List,
    /// Remove a project with its runs, uploads, jobs and links
    Remove {
        /// Name of the project
        name: String,
        /// Do it: without this, print what would be removed
        #[arg(long)]
        yes: bool,
    },
    /// Set how long a project keeps its runs and uploads. Runs with a name are kept
    Keep {
        /// Name of the project
        name: String,
        /// Days for which runs are kept, or `forever`
        #[arg(long, value_name = "DAYS")]
        runs: Option<KeptFor>,
        /// The number of latest runs that are kept of each app, device, scenario and branch, or `all`
        #[arg(long, value_name = "N")]
        last: Option<KeptFor>,
        /// Days for which uploaded files are kept, or `forever`
        #[arg(long, value_name = "DAYS")]
        uploads: Option<KeptFor>,
    },
}

/// A number of days or runs; `None` for any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptFor(pub Option<u32>);

impl std::str::FromStr for KeptFor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "forever" | "all" => Ok(Self(None)),
            number => match number.parse() {
                Ok(number @ 1..) => Ok(Self(Some(number))),
                _ => Err("expected a number from 1 on, or `forever`".to_owned()),
            },
        }
    }
}
