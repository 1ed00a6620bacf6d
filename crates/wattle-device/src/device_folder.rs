//! Our folder on the device.

/// The folder of all our files on the device: the only place where the shell may write and run scripts on every
/// version. It is removed at the end.
pub const DEVICE_FOLDER: &str = "/data/local/tmp/wattle";
