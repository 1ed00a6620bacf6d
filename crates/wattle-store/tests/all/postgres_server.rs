//! A real PostgreSQL server of a test's own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use wattle_store::StoreLocation;

/// A server in a folder for temporary files, reached by a socket in it. It ends with the test.
#[derive(Debug)]
pub struct PostgresServer {
    folder: tempfile::TempDir,
    server: std::process::Child,
}

impl PostgresServer {
    /// Makes a database cluster and starts its server.
    pub fn start() -> Self {
        // Under /tmp, because a socket's path has 107 bytes at most.
        let folder = tempfile::Builder::new().prefix("pg").tempdir_in("/tmp").expect("a folder");
        let data = folder.path().join("data");
        let is_root = run("id", &["-u"]).trim() == "0";
        if is_root {
            // The server refuses to run as root.
            run("chown", &["postgres", text(folder.path())]);
        }
        let made = as_server(is_root, &tool("initdb"))
            .args(["--no-sync", "--auth=trust", "--username=wattle", "--pgdata", text(&data)])
            .output()
            .expect("initdb runs");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let server = as_server(is_root, &tool("postgres"))
            .args(["-D", text(&data), "-k", text(folder.path()), "-c", "listen_addresses="])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let server = Self { folder, server };
        let began = Instant::now();
        while !server.is_ready() {
            assert!(began.elapsed() < Duration::from_mins(1), "the server does not answer");
            std::thread::sleep(Duration::from_millis(100));
        }
        server
    }

    fn is_ready(&self) -> bool {
        let ready =
            Command::new(tool("pg_isready")).args(["-q", "-h", text(self.folder.path())]).status();
        ready.is_ok_and(|status| status.success())
    }

    /// Runs statements in a database.
    pub fn sql(&self, database: &str, statements: &str) -> String {
        let psql = Command::new(tool("psql"))
            .args([
                "-h",
                text(self.folder.path()),
                "-U",
                "wattle",
                "-d",
                database,
                "-qtA",
                "-c",
                statements,
            ])
            .output()
            .expect("psql runs");
        assert!(psql.status.success(), "{}", String::from_utf8_lossy(&psql.stderr));
        String::from_utf8(psql.stdout).expect("UTF-8")
    }

    /// The URL of a new, empty database.
    pub fn new_database(&self, name: &str) -> String {
        self.sql("postgres", &format!("CREATE DATABASE {name}"));
        let socket = text(self.folder.path()).replace('/', "%2F");
        format!("postgres://wattle@{socket}/{name}")
    }

    /// A new, empty database.
    pub fn new_location(&self, name: &str) -> StoreLocation {
        self.new_database(name).parse().expect("a database")
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        // The server's own process, whose number is in its folder: `runuser` stands between it and us.
        let pid = std::fs::read_to_string(self.folder.path().join("data/postmaster.pid"));
        if let Some(pid) = pid.ok().as_deref().and_then(|text| text.lines().next()) {
            let _ = Command::new("kill").args(["-QUIT", pid]).status();
        }
        let _ = self.server.wait();
    }
}

/// A program of the server, which Debian keeps out of `PATH`.
fn tool(name: &str) -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let found = versions.map(|version| version.path().join("bin").join(name));
    found.filter(|path| path.is_file()).max().unwrap_or_else(|| PathBuf::from(name))
}

fn as_server(is_root: bool, program: &Path) -> Command {
    if !is_root {
        return Command::new(program);
    }
    let mut command = Command::new("runuser");
    command.args(["-u", "postgres", "--"]).arg(program);
    command
}

fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().expect("the program runs");
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}
