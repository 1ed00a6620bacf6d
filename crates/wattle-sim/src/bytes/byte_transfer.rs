//! Bytes that a thread moves over a network or to and from storage.

use wattle_units::Nanos;

/// Bytes over a network, on behalf of the section that is open in the thread.
///
/// The bytes are the program's own, as a hook around `read` and `write` would count them. The phone moves them in
/// packets that come in over `length`, and each packet carries headers, which the kernel counts and no hook sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The kernel's name of the interface (`wlan0`).
    pub interface: String,
    /// Bytes received, at most a gigabyte.
    pub rx_bytes: u64,
    /// Bytes sent, at most a gigabyte.
    pub tx_bytes: u64,
    /// Duration; the thread waits for the packets.
    pub length: Nanos,
}

/// Bytes from and to a block device, on behalf of the section that is open in the thread.
///
/// The bytes are the program's own. The device moves whole blocks, and for what is written the journal of the file
/// system too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The kernel's name of the device (`sda`).
    pub device: String,
    /// Bytes read, at most a gigabyte.
    pub read_bytes: u64,
    /// Bytes written, at most a gigabyte.
    pub write_bytes: u64,
    /// Duration; the thread waits for it.
    pub length: Nanos,
}
