//! The address of the adb server.

use std::fmt;
use std::net::{IpAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};

use super::Environment;
use crate::DeviceError;

/// The port that adb takes where nobody says another (`DEFAULT_ADB_PORT` of adb's `adb.h`).
const USUAL_PORT: u16 = 5037;
/// adb's prefix of sockets in the file system (`socket_spec.cpp`).
const FILE: &str = "localfilesystem:";

/// The address of an adb server: host and port, or a socket in the file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAddress {
    place: Place,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Network { host: String, port: u16 },
    File(PathBuf),
}

impl ServerAddress {
    /// A server on this or another machine.
    pub fn new(host: impl Into<String>, port: u16) -> Self {
        Self { place: Place::Network { host: host.into(), port } }
    }

    /// A server on a socket of the file system, which only those can use who may open it.
    pub fn in_file(path: impl Into<PathBuf>) -> Self {
        Self { place: Place::File(path.into()) }
    }

    /// Returns the address that adb itself would use: `ADB_SERVER_SOCKET` (`tcp:host:port`, `tcp:port` or
    /// `localfilesystem:path`), else `ANDROID_ADB_SERVER_ADDRESS` and `ANDROID_ADB_SERVER_PORT`, else 127.0.0.1:5037 (adb's
    /// `client/commandline.cpp`).
    ///
    /// # Errors
    /// [`DeviceError::BadVariable`] if one of them says something else.
    pub fn from_environment(environment: &Environment) -> Result<Self, DeviceError> {
        if let Some(socket) = environment.text("ADB_SERVER_SOCKET") {
            return Self::parse_socket(socket).ok_or_else(|| DeviceError::BadVariable {
                variable: "ADB_SERVER_SOCKET",
                expected: "tcp:HOST:PORT, tcp:PORT or localfilesystem:PATH",
                found: socket.to_owned(),
            });
        }
        let host = environment.text("ANDROID_ADB_SERVER_ADDRESS").unwrap_or("127.0.0.1");
        let port = match environment.text("ANDROID_ADB_SERVER_PORT") {
            None => USUAL_PORT,
            Some(text) => parse_port(text).ok_or_else(|| DeviceError::BadVariable {
                variable: "ANDROID_ADB_SERVER_PORT",
                expected: "a port, 1 to 65535",
                found: text.to_owned(),
            })?,
        };
        Ok(Self::new(host, port))
    }

    fn parse_socket(text: &str) -> Option<Self> {
        if let Some(path) = text.strip_prefix(FILE) {
            return (!path.is_empty()).then(|| Self::in_file(path));
        }
        let rest = text.strip_prefix("tcp:")?;
        let (host, port) = rest.rsplit_once(':').unwrap_or(("127.0.0.1", rest));
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        (!host.is_empty()).then_some(())?;
        Some(Self::new(host, parse_port(port)?))
    }

    /// adb's own variables for it (`ADB_SERVER_SOCKET`, and `ANDROID_ADB_SERVER_PORT` if it has a port), so that the
    /// programs of this machine find it.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        match &self.place {
            // adb starts no server on what it does not call local, and an address in figures is not local to it
            // (`tcp_host_is_local` in `socket_spec.cpp`).
            Place::Network { port, .. } if self.is_local() => vec![
                ("ADB_SERVER_SOCKET", format!("tcp:localhost:{port}")),
                ("ANDROID_ADB_SERVER_PORT", port.to_string()),
            ],
            Place::Network { port, .. } => vec![
                ("ADB_SERVER_SOCKET", format!("tcp:{self}")),
                ("ANDROID_ADB_SERVER_PORT", port.to_string()),
            ],
            Place::File(path) => vec![("ADB_SERVER_SOCKET", format!("{FILE}{}", path.display()))],
        }
    }

    /// The path of its socket, if it has one.
    pub(super) fn file(&self) -> Option<&Path> {
        match &self.place {
            Place::Network { .. } => None,
            Place::File(path) => Some(path),
        }
    }

    /// Whether it is on this machine, so that it can be started.
    pub fn is_local(&self) -> bool {
        match &self.place {
            Place::Network { host, .. } => {
                host == "localhost"
                    || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
            }
            Place::File(_) => true,
        }
    }

    /// The addresses to try.
    pub(super) fn resolve(&self) -> std::io::Result<Vec<std::net::SocketAddr>> {
        match &self.place {
            Place::Network { host, port } => {
                Ok((host.as_str(), *port).to_socket_addrs()?.collect())
            }
            Place::File(_) => Ok(Vec::new()),
        }
    }
}

fn parse_port(text: &str) -> Option<u16> {
    text.parse().ok().filter(|port| *port != 0)
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Network { host, port } if host.contains(':') => {
                write!(formatter, "[{host}]:{port}")
            }
            Place::Network { host, port } => write!(formatter, "{host}:{port}"),
            Place::File(path) => write!(formatter, "{FILE}{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(variables: &[(&str, &str)], expected: Option<&str>) {
        let environment: Environment = variables.iter().copied().collect();
        let found = ServerAddress::from_environment(&environment);
        assert_eq!(found.ok().map(|address| address.to_string()).as_deref(), expected);
    }

    #[test]
    fn the_address_is_found_where_adb_finds_it() {
        check(&[], Some("127.0.0.1:5037"));
        check(&[("ANDROID_ADB_SERVER_PORT", "5137")], Some("127.0.0.1:5137"));
        check(&[("ANDROID_ADB_SERVER_ADDRESS", "build.lan")], Some("build.lan:5037"));
        check(&[("ADB_SERVER_SOCKET", "tcp:build.lan:7000")], Some("build.lan:7000"));
        check(&[("ADB_SERVER_SOCKET", "tcp:7000")], Some("127.0.0.1:7000"));
        check(&[("ADB_SERVER_SOCKET", "tcp:[::1]:7000")], Some("[::1]:7000"));
        check(&[("ADB_SERVER_SOCKET", "localfilesystem:/a/b")], Some("localfilesystem:/a/b"));
        // The socket wins, as with adb.
        check(
            &[("ADB_SERVER_SOCKET", "tcp:7000"), ("ANDROID_ADB_SERVER_PORT", "1")],
            Some("127.0.0.1:7000"),
        );
        for bad in ["0", "65536", "x", "-1"] {
            check(&[("ANDROID_ADB_SERVER_PORT", bad)], None);
        }
        for bad in ["localabstract:adb", "localfilesystem:", "tcp:", "tcp::7000", "tcp:host:"] {
            check(&[("ADB_SERVER_SOCKET", bad)], None);
        }
    }

    #[test]
    fn only_a_local_server_can_be_started() {
        for (host, local) in
            [("127.0.0.1", true), ("::1", true), ("localhost", true), ("10.0.0.2", false)]
        {
            assert_eq!(ServerAddress::new(host, 1).is_local(), local, "{host}");
        }
    }
}
