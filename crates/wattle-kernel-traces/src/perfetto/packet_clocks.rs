//! Clock snapshots, and the times of packets.

use wattle_timeline::{ClockReading, DomainId, Severity};
use wattle_units::BootNanos;
use wattle_wire::Fields;

use super::Reader;
use crate::limits::MAX_DEFERRED;
use crate::perfetto_packets::Envelope;

/// `ClockSnapshot` (`clock_snapshot.proto`).
mod snapshot {
    pub const CLOCKS: u32 = 1;
    /// `ClockSnapshot.Clock`.
    pub const CLOCK_ID: u32 = 1;
    pub const TIMESTAMP: u32 = 2;
    pub const IS_INCREMENTAL: u32 = 3;
    pub const UNIT_MULTIPLIER_NS: u32 = 4;
}

/// Packets in a clock that no snapshot has told of yet.
#[derive(Debug, Default)]
pub(super) struct Deferred {
    packets: Vec<(Envelope, u64, Vec<u8>)>,
    bytes: usize,
    is_over: bool,
}

impl Reader<'_> {
    pub(super) fn clock_snapshot(&mut self, envelope: &Envelope, bytes: &[u8]) {
        let mut readings = Vec::new();
        for field in Fields::new(bytes).map_while(Result::ok) {
            if field.number != snapshot::CLOCKS {
                continue;
            }
            let (mut clock, mut value, mut unit, mut is_incremental) = (0, 0, 1, false);
            for field in Fields::new(field.value.bytes()).map_while(Result::ok) {
                match field.number {
                    snapshot::CLOCK_ID => clock = field.value.uint() as u32,
                    snapshot::TIMESTAMP => value = field.value.uint(),
                    snapshot::IS_INCREMENTAL => is_incremental = field.value.bool(),
                    snapshot::UNIT_MULTIPLIER_NS => unit = field.value.uint(),
                    _ => {}
                }
            }
            let domain = DomainId::of_writer(clock, envelope.writer);
            readings.push(ClockReading { domain, value, unit, is_incremental });
        }
        self.clocks.snapshot(&readings);
    }

    /// Boot time of a packet. `None` if its clock is not known or its time questionable; then the packet is kept for later.
    pub(super) fn packet_time(&mut self, envelope: &Envelope, bytes: &[u8]) -> Option<BootNanos> {
        let Some(timestamp) = envelope.timestamp else { return Some(self.last_time) };
        let domain = self.packet_clock(envelope);
        let Ok(time) = self.clocks.convert(domain, timestamp) else {
            self.defer(envelope, domain, bytes);
            return None;
        };
        if !self.is_time_plausible(envelope, time, bytes) {
            return None;
        }
        self.last_time = time;
        Some(time)
    }

    /// Boot time of a packet whose time does not matter much.
    pub(super) fn time_or_last(&mut self, envelope: &Envelope) -> BootNanos {
        let Some(timestamp) = envelope.timestamp else { return self.last_time };
        let domain = self.packet_clock(envelope);
        self.clocks.convert(domain, timestamp).unwrap_or(self.last_time)
    }

    fn packet_clock(&self, envelope: &Envelope) -> DomainId {
        let clock = envelope.clock.or_else(|| self.sequences.get(&envelope.writer)?.clock);
        clock.map_or(DomainId::BOOTTIME, |id| DomainId::of_writer(id, envelope.writer))
    }

    fn defer(&mut self, envelope: &Envelope, domain: DomainId, bytes: &[u8]) {
        let deferred = &mut self.deferred;
        if deferred.is_over || deferred.bytes + bytes.len() > MAX_DEFERRED {
            self.counts.lose(1);
            self.counts.note(Severity::Warning, "unknown-clock", Some(envelope.offset), || {
                format!(
                    "packets in clock {} of writer {}, which no snapshot leads to boot time: not \
                     used",
                    domain.clock, envelope.writer
                )
            });
            return;
        }
        deferred.bytes += bytes.len();
        let generation = self.sequences.get(&envelope.writer).map_or(0, |s| s.generation);
        deferred.packets.push((*envelope, generation, bytes.to_vec()));
    }

    /// Tries the packets again that came before the snapshot that tells of their clock.
    pub(super) fn deferred_packets(&mut self) {
        self.deferred.is_over = true;
        for (envelope, generation, bytes) in std::mem::take(&mut self.deferred.packets) {
            let now = self.sequences.get(&envelope.writer).map_or(0, |s| s.generation);
            if now == generation {
                self.packet_again(&envelope, &bytes);
            } else {
                self.counts.lose(1);
                self.counts.note(Severity::Warning, "late-clock", Some(envelope.offset), || {
                    "packets whose clock was told of too late: not used".to_owned()
                });
            }
        }
    }
}
