//! Our folders on the device.

/// The folder that whoever has the lease of the device owns. It is made when the lease is taken, and removed with
/// everything in it when the lease ends.
pub(crate) const LEASE_FOLDER: &str = "/data/local/tmp/wattle";

/// The folder of all files of a session on the device: below the only place where the shell may write and run scripts on
/// every version. It is removed at the end.
pub const DEVICE_FOLDER: &str = "/data/local/tmp/wattle/run";

/// The list of files that were left on the device on purpose, because this machine had no room for them.
pub(crate) const KEPT_LIST: &str = "/data/local/tmp/wattle-kept";

/// The folder of such files, but for traces, which stay where the service wrote them.
pub(crate) const KEPT_FOLDER: &str = "/data/local/tmp/wattle-kept-files";

/// The file whose commands end a recorder, by the recorder's name: for whoever finds it running without its program.
pub(crate) fn end_file(name: &str) -> String {
    format!("{DEVICE_FOLDER}/{name}.end")
}
