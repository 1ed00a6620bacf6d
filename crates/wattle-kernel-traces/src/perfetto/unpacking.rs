//! Packets that are packed into one, and how much of them is unpacked.

use wattle_timeline::Severity;

use super::Reader;
use crate::limits::{MAX_PACKET_DEPTH, MAX_UNPACKED_PACKET};
use crate::perfetto_packets::{
    BatchedData, BatchedPacket, BatchedPart, PacketBatch, PacketPacking, packets, unpack_as,
};
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
    pub(super) fn packed_packets(&mut self, offset: u64, data: &BatchedData<'_>) {
        if self.unpacking.budget.is_exceeded() {
            return;
        }
        if self.unpacking.depth >= MAX_PACKET_DEPTH {
            self.counts.ignored.add(data.bytes.len() as u64);
            self.counts.note(Severity::Warning, "damaged", Some(offset), || {
                "packed packets inside packed packets: not used".to_owned()
            });
            return;
        }
        if let Some(BatchedPart::Unpacked(ahead)) = data.part {
            self.was_unpacked(offset, data.bytes, (ahead.size, ahead.is_whole));
            self.unpacking.depth += 1;
            for packet in ahead.packets.packets() {
                if !self.inner_packet(&packet) {
                    break;
                }
            }
            self.unpacking.depth -= 1;
            return;
        }
        let Some(packing) = PacketPacking::of_field(data.number) else { return };
        // One byte more than is left tells what is just enough from what is too much.
        let limit = self.unpacking.budget.left().saturating_add(1).min(MAX_UNPACKED_PACKET);
        let (unpacked, is_whole) = unpack_as(packing, data.bytes, limit);
        self.was_unpacked(offset, data.bytes, (unpacked.len() as u64, is_whole));
        self.unpacking.depth += 1;
        let mut batch = PacketBatch::default();
        for packet in packets(&unpacked) {
            batch.clear();
            // Places inside are given as the place of the packed packet.
            batch.push(offset, packet);
            if !batch.packets().all(|packet| self.inner_packet(&packet)) {
                break;
            }
        }
        self.unpacking.depth -= 1;
    }

    /// Counts what came out of a packed packet: bytes, and whether that is all.
    fn was_unpacked(&mut self, offset: u64, packed: &[u8], (size, is_whole): (u64, bool)) {
        if !is_whole {
            self.counts.note(Severity::Warning, "damaged", Some(offset), || {
                "a packed packet does not unpack, or to more than recorders write; what came out \
                 was used"
                    .to_owned()
            });
        }
        self.unpacking.budget.take(size);
        self.counts.ignored.unpack(packed.len() as u64, size);
    }

    /// Reads a packet that was packed, if the budget is enough for it; whether it was.
    fn inner_packet(&mut self, packet: &BatchedPacket<'_>) -> bool {
        self.unpacking.budget.take(OF_PACKET);
        let is_within = !self.unpacking.budget.is_exceeded();
        if is_within {
            self.packet(packet);
        }
        is_within
    }
}
