//! Packets that are packed into one, and how much of them is unpacked.

use wattle_timeline::Severity;

use super::Reader;
use crate::limits::{MAX_PACKET_DEPTH, MAX_UNPACKED_PACKET};
use crate::perfetto_packets::{PacketBatch, PacketPacking, packets, unpack_as};
use wattle_import::UnpackBudget;

/// Bytes that each packet out of a packed one costs beyond its own: the state that is kept of it, and the time that it takes.
const OF_PACKET: u64 = 48;

/// Progress of unpacking a trace.
#[derive(Debug, Default)]
pub(super) struct Unpacking {
    /// Bytes that packed packets may become, at all depths: packed packets within packed packets would multiply without this.
    pub budget: UnpackBudget,
    /// Packed packets around the one that is read.
    depth: u32,
}

impl Reader<'_> {
    /// `compressed_packets`, `zstd_compressed_packets`: a packed `Trace`.
    pub(super) fn packed_packets(&mut self, offset: u64, packing: PacketPacking, packed: &[u8]) {
        if self.unpacking.budget.is_exceeded() {
            return;
        }
        if self.unpacking.depth >= MAX_PACKET_DEPTH {
            self.counts.ignored.add(packed.len() as u64);
            self.counts.note(Severity::Warning, "damaged", Some(offset), || {
                "packed packets inside packed packets: not used".to_owned()
            });
            return;
        }
        // One byte more than is left tells what is just enough from what is too much.
        let limit = self.unpacking.budget.left().saturating_add(1).min(MAX_UNPACKED_PACKET);
        let (unpacked, is_whole) = unpack_as(packing, packed, limit);
        if !is_whole {
            self.counts.note(Severity::Warning, "damaged", Some(offset), || {
                "a packed packet does not unpack, or to more than recorders write; what came out \
                 was used"
                    .to_owned()
            });
        }
        let size = unpacked.len() as u64;
        self.unpacking.budget.take(size);
        self.counts.ignored.unpack(packed.len() as u64, size);
        self.unpacking.depth += 1;
        let mut batch = PacketBatch::default();
        for packet in packets(&unpacked) {
            self.unpacking.budget.take(OF_PACKET);
            if self.unpacking.budget.is_exceeded() {
                break;
            }
            // Places inside are given as the place of the packed packet.
            batch.clear();
            batch.push(offset, packet);
            batch.packets().for_each(|packet| self.packet(&packet));
        }
        self.unpacking.depth -= 1;
    }
}
