//! Apps on a device: what is installed, installing, putting the earlier one back, and the files that probes write.

mod access;
mod content;
mod given;
mod installation;
mod installed;
mod original;
mod probe_files;
mod signer;

pub(crate) use given::package_name;
pub(crate) use original::put_back;

pub use access::AppAccess;
pub use installation::{Installation, InstalledBuild};
pub use installed::InstalledApp;
pub use probe_files::ProbeFile;
