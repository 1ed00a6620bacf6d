//! Apps on a device: what is installed, installing, putting the earlier one back, and the files that probes write.

mod access;
pub(crate) mod content;
pub(crate) mod given;
mod installed;
pub(crate) mod original;
mod probe_files;
pub(crate) mod signer;

pub(crate) use given::package_name;
pub(crate) use original::put_back;

pub use access::AppAccess;
pub use installed::InstalledApp;
pub use probe_files::ProbeFile;
