//! Whose the bytes truly were.

use std::collections::BTreeMap;

use wattle_units::BootNanos;

/// Bytes in two directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bytes {
    /// Received, or read.
    pub inward: u64,
    /// Sent, or written.
    pub outward: u64,
}

impl Bytes {
    /// Both directions.
    pub const fn total(self) -> u64 {
        self.inward + self.outward
    }
}

impl std::ops::Add for Bytes {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { inward: self.inward + other.inward, outward: self.outward + other.outward }
    }
}

impl std::ops::AddAssign for Bytes {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl std::ops::Sub for Bytes {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { inward: self.inward - other.inward, outward: self.outward - other.outward }
    }
}

impl std::iter::Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::default(), |sum, bytes| sum + bytes)
    }
}

/// Bytes that one call of a method moved through one device itself, its callees not included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallBytes {
    /// The process's name.
    pub process: String,
    /// The process's uid.
    pub uid: u32,
    /// The thread's name.
    pub thread: String,
    /// The thread's number.
    pub tid: u32,
    /// The methods from the outermost to this one. Empty for what was moved outside of any; then all of the thread's
    /// is one entry.
    pub path: Vec<String>,
    /// When the call began.
    pub begin: BootNanos,
    /// When it ended, or the recording did.
    pub end: BootNanos,
    /// The interface or block device.
    pub device: String,
    /// The program's own bytes, as a hook around the call counts them.
    pub own: Bytes,
    /// Bytes that the kernel counted for them, headers and whole blocks included.
    pub counted: Bytes,
}

/// Bytes that the kernel counted for a device during the recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceBytes {
    /// The interface or block device.
    pub device: String,
    /// All that it counted.
    pub counted: Bytes,
    /// Bytes counted from the first reading of the poller to the last; `None` without a poller.
    pub polled: Option<Bytes>,
}

/// Every byte that was counted, with the call that it was moved for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ByteTruth {
    /// By call and device, in order of the calls' first bytes.
    pub calls: Vec<CallBytes>,
    /// By device.
    pub devices: Vec<DeviceBytes>,
}

impl ByteTruth {
    /// Returns the bytes that were counted for a device, by method, wherever it was called; those moved outside of any
    /// have no name.
    pub fn by_method(&self, device: &str) -> BTreeMap<&str, Bytes> {
        let mut by_method: BTreeMap<&str, Bytes> = BTreeMap::new();
        for call in self.calls.iter().filter(|call| call.device == device) {
            let method = call.path.last().map_or("", String::as_str);
            *by_method.entry(method).or_default() += call.counted;
        }
        by_method
    }

    /// Returns the bytes that were counted for a device by its name; nothing for one that is not there.
    pub fn counted(&self, device: &str) -> Bytes {
        self.devices.iter().filter(|it| it.device == device).map(|it| it.counted).sum()
    }
}
