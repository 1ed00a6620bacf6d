//! Errors of the simulated phone itself.

use std::path::PathBuf;

/// Why a phone could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PhoneError {
    /// The host would not give what a phone is made of: a folder, a port, a socket.
    #[error("simulated phone: {what}: {source}")]
    Host {
        /// The operation.
        what: &'static str,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The kernel does not let its shell be closed in. It is not started without.
    #[error(
        "simulated phone: no sandbox for its shell: {0}; it needs Linux 5.9 or later with user namespaces for everybody \
         (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, \
         kernel.apparmor_restrict_unprivileged_userns=0), and in a container a seccomp profile that allows unshare and mount"
    )]
    Sandbox(#[source] std::io::Error),
    /// An option that no phone can have.
    #[error("simulated phone: {option}: expected {expected}, found {found}")]
    Option {
        /// Which.
        option: &'static str,
        /// The supported values.
        expected: &'static str,
        /// The request.
        found: String,
    },
    /// There is no Android runtime, and code was to be executed.
    #[error("simulated phone: {0}")]
    Runtime(#[from] crate::art::ArtError),
    /// A package that was to be on the phone from the start.
    #[error("simulated phone: {}: {reason}", path.display())]
    Package {
        /// Which.
        path: PathBuf,
        /// Why it is none, in the package manager's words.
        reason: String,
    },
}

impl PhoneError {
    pub(crate) fn host(what: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Host { what, source }
    }
}
