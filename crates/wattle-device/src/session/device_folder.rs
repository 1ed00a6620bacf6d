//! Our folder on the device.

/// Where everything of ours on the device is: the one place that the shell may write and run scripts from on every
/// version. It is removed at the end.
pub const DEVICE_FOLDER: &str = "/data/local/tmp/wattle";
