//! Packets that are packed into one, and how much of them is unpacked.

use wattle_timeline::Severity;

use super::Reader;
use crate::limits::{MAX_PACKET_DEPTH, MAX_UNPACKED_PACKET};
use crate::perfetto_packets::{PacketPacking, packets, unpack_as};
use wattle_import::limits::MAX_RATIO;

/// How far a trace is unpacked.
#[derive(Debug, Default)]
pub(super) struct Unpacking {
    /// Bytes of the file so far.
    pub read: u64,
    /// Bytes that packed packets became so far, at all depths.
    unpacked: u64,
    /// Packed packets around the one that is read.
    depth: u32,
}

impl Unpacking {
    /// Bytes that the next packed packet may become: packed packets within packed packets would multiply without this.
    fn budget(&self) -> u64 {
        let most = self.read.saturating_mul(MAX_RATIO).saturating_add(MAX_UNPACKED_PACKET);
        most.saturating_sub(self.unpacked).min(MAX_UNPACKED_PACKET)
    }
}

impl Reader<'_> {
    /// `compressed_packets`, `zstd_compressed_packets`: a packed `Trace`.
    pub(super) fn packed_packets(&mut self, offset: u64, packing: PacketPacking, packed: &[u8]) {
        if self.unpacking.depth >= MAX_PACKET_DEPTH {
            self.counts.ignored.add(packed.len() as u64);
            self.counts.note(Severity::Warning, "damaged", Some(offset), || {
                "packed packets inside packed packets: not used".to_owned()
            });
            return;
        }
        let (unpacked, is_whole) = unpack_as(packing, packed, self.unpacking.budget());
        if !is_whole {
            self.counts.note(Severity::Warning, "damaged", Some(offset), || {
                "a packed packet does not unpack, or to more than recorders write; what came out \
                 was used"
                    .to_owned()
            });
        }
        let size = unpacked.len() as u64;
        self.unpacking.unpacked = self.unpacking.unpacked.saturating_add(size);
        self.counts.ignored.unpack(packed.len() as u64, size);
        self.unpacking.depth += 1;
        for packet in packets(&unpacked) {
            // Places inside are given as the place of the packed packet.
            self.packet(offset, packet);
        }
        self.unpacking.depth -= 1;
    }
}
