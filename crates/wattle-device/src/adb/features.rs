//! The features of a device's adb daemon.

use std::collections::BTreeSet;

/// The features that a device announced (`kFeature…` in adb's `transport.cpp`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Features {
    names: BTreeSet<String>,
}

impl Features {
    /// Reads the answer to `features`: names with commas between.
    pub fn parse(text: &str) -> Self {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        Self { names: names.map(str::to_owned).collect() }
    }

    /// Whether the device announced it.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// The shell protocol: standard error apart, exit status, end of input (Android 7).
    pub fn shell_v2(&self) -> bool {
        self.has("shell_v2")
    }

    /// The program `cmd`, which takes packages from standard input (Android 7).
    pub fn cmd(&self) -> bool {
        self.has("cmd")
    }

    /// Sizes of 64 bits and reasons in `stat` (Android 8).
    pub fn stat_v2(&self) -> bool {
        self.has("stat_v2")
    }

    /// The same for folders (Android 11).
    pub fn list_v2(&self) -> bool {
        self.has("ls_v2")
    }

    /// Paths and modes apart when sending (Android 11).
    pub fn send_receive_v2(&self) -> bool {
        self.has("sendrecv_v2")
    }
}
