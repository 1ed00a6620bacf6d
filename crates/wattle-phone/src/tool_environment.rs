//! The environment variable by which the phone's programs find it.

/// Environment variable with the socket of the phone.
pub(crate) const SOCKET: &str = "WATTLE_PHONE_SOCKET";
/// The socket's path in the phone.
pub(crate) const SOCKET_PATH: &str = "/dev/socket/wattle";
