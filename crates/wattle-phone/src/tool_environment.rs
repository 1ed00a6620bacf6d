//! Environment variables by which the phone's programs find it.

/// Environment variable with the socket of the phone.
pub(crate) const SOCKET: &str = "WATTLE_PHONE_SOCKET";
/// Environment variable with the folder that is the phone's root. Not set where the phone's paths are the host's.
pub(crate) const ROOT: &str = "WATTLE_PHONE_ROOT";
