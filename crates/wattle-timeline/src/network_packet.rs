//! Network packets (`android.network_packets`).

use wattle_units::BootNanos;

use crate::{NameId, Uid};

/// Which way a packet went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Out of the device.
    Egress,
    /// Into the device.
    Ingress,
}

/// One packet, or a bundle of equal ones that the recorder folded together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkPacket {
    /// When the (first) packet passed.
    pub time: BootNanos,
    /// Until the last packet of the bundle; equal to `time` for a single one.
    pub end: BootNanos,
    /// Bytes, headers included, of all packets together.
    pub bytes: u64,
    /// Number of packets.
    pub packets: u32,
    /// The interface (`wlan0`, `rmnet1`).
    pub interface: NameId,
    /// Which way.
    pub direction: Direction,
    /// Whose.
    pub uid: Option<Uid>,
}
