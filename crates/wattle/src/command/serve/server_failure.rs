//! Failures of servers.

use wattle_serve::ServeError;

use crate::exit::Failure;

/// The failure of a server.
pub fn failure(error: ServeError) -> Failure {
    if error.is_usage() {
        Failure::Usage(error.into())
    } else if error.is_unreadable() {
        Failure::Input(error.into())
    } else {
        Failure::Environment(error.into())
    }
}
