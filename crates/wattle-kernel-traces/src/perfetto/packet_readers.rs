//! The reader of each packet, by its number.

use wattle_timeline::Severity;
use wattle_units::BootNanos;

use super::Reader;
use crate::limits::MAX_PACKET_DEPTH;
use crate::perfetto_packets::{Envelope, Packet, data_fields, packets, unpack};

/// `TracePacket.data`: what is read.
mod data {
    pub const FTRACE_EVENTS: u32 = 1;
    pub const PROCESS_TREE: u32 = 2;
    pub const CLOCK_SNAPSHOT: u32 = 6;
    pub const SYS_STATS: u32 = 7;
    pub const PROCESS_STATS: u32 = 9;
    pub const TRACK_EVENT: u32 = 11;
    pub const TRACE_CONFIG: u32 = 33;
    pub const FTRACE_STATS: u32 = 34;
    pub const TRACE_STATS: u32 = 35;
    pub const SYNCHRONIZATION_MARKER: u32 = 36;
    pub const BATTERY: u32 = 38;
    pub const POWER_RAILS: u32 = 40;
    pub const PROCESS_DESCRIPTOR: u32 = 43;
    pub const THREAD_DESCRIPTOR: u32 = 44;
    pub const SYSTEM_INFO: u32 = 45;
    pub const PACKAGES_LIST: u32 = 47;
    pub const COMPRESSED_PACKETS: u32 = 50;
    pub const TRACK_DESCRIPTOR: u32 = 60;
    pub const PERF_SAMPLE: u32 = 66;
    pub const CPU_INFO: u32 = 67;
    pub const SERVICE_EVENT: u32 = 69;
    pub const INITIAL_DISPLAY_STATE: u32 = 70;
    pub const ENERGY_BREAKDOWN: u32 = 77;
    pub const SYSTEM_PROPERTY: u32 = 86;
    pub const NETWORK_PACKET: u32 = 88;
    pub const TRACE_UUID: u32 = 89;
    pub const NETWORK_PACKET_BUNDLE: u32 = 92;
}

impl Reader<'_> {
    /// Reads the packet at an offset.
    pub(super) fn packet(&mut self, offset: u64, bytes: &[u8]) {
        self.counts.records += 1;
        let packet = Packet::parse(offset, bytes);
        if let Some(error) = packet.damage {
            self.counts.note(Severity::Warning, "damaged", Some(error.offset), || {
                format!("a packet is damaged: {}; its fields before were read", error.defect)
            });
        }
        let envelope = packet.envelope;
        if envelope.machine != 0 {
            // A timeline is of one machine; the host's recorder gives others numbers.
            self.counts.unread("packet of another machine");
            return;
        }
        if !self.sequence_flags(&envelope) {
            return;
        }
        if let Some(defaults) = packet.defaults {
            self.packet_defaults(envelope.writer, defaults);
        }
        if let Some(interned) = packet.interned {
            self.interned_data(envelope.writer, interned);
        }
        self.packet_data(&envelope, bytes);
    }

    /// Follows the state of the writer. Whether the packet can be understood.
    fn sequence_flags(&mut self, envelope: &Envelope) -> bool {
        let sequence = self.sequence(envelope.writer);
        // Services before Android 14 mark every writer's first packet, too.
        let is_first = envelope.is_first || !std::mem::replace(&mut sequence.is_known, true);
        let has_lost = envelope.dropped && !is_first;
        if has_lost {
            sequence.is_valid = false;
        }
        if envelope.clears_state() {
            sequence.clear();
        }
        let is_understood = !envelope.needs_state() || sequence.is_valid;
        if has_lost {
            self.counts.lost_events += 1;
            self.counts.note(Severity::Warning, "packets-dropped", Some(envelope.offset), || {
                "a writer lost packets before this one".to_owned()
            });
        }
        if !is_understood {
            self.counts.note(Severity::Warning, "no-interned-data", Some(envelope.offset), || {
                "packets refer to strings that were lost with packets before: not used".to_owned()
            });
        }
        is_understood
    }

    /// Hands each data field to its reader.
    pub(super) fn packet_data(&mut self, envelope: &Envelope, bytes: &[u8]) {
        let mut known_time = None;
        for field in data_fields(bytes) {
            let value = field.bytes;
            match field.number {
                data::FTRACE_EVENTS => self.ftrace_bundle(envelope.offset, value),
                data::COMPRESSED_PACKETS => self.compressed_packets(envelope.offset, value),
                data::CLOCK_SNAPSHOT => self.clock_snapshot(envelope, value),
                data::SYNCHRONIZATION_MARKER | data::TRACE_UUID | data::TRACE_CONFIG => {}
                data::FTRACE_STATS => self.ftrace_stats(value),
                data::TRACE_STATS => self.trace_stats(value),
                data::SYSTEM_INFO => self.system_info(value),
                data::PACKAGES_LIST => self.packages_list(value),
                data::CPU_INFO => self.cpu_info(value),
                data::TRACK_DESCRIPTOR => self.track_descriptor(envelope, value),
                data::PROCESS_DESCRIPTOR => {
                    self.process_descriptor(self.last_time, value);
                }
                data::THREAD_DESCRIPTOR => self.own_thread_descriptor(envelope.writer, value),
                number => {
                    if known_time.is_none() {
                        known_time = self.packet_time(envelope, bytes);
                    }
                    let Some(time) = known_time else { return };
                    if !self.timed_packet(envelope, time, number, value) {
                        self.counts.unread_packet(number, value.len());
                        continue;
                    }
                }
            }
            self.counts.packet(field.number);
        }
    }

    /// Packets whose time matters. Whether there is a reader for it.
    fn timed_packet(
        &mut self,
        envelope: &Envelope,
        time: BootNanos,
        number: u32,
        value: &[u8],
    ) -> bool {
        match number {
            data::PROCESS_TREE => self.process_tree(time, value),
            data::PROCESS_STATS => self.process_stats(time, value),
            data::SYS_STATS => self.sys_stats(time, value),
            data::TRACK_EVENT => self.track_event(envelope, time, value),
            data::BATTERY => self.battery(time, value),
            data::POWER_RAILS => self.power_rails(envelope, time, value),
            data::PERF_SAMPLE => self.perf_sample(envelope.writer, time, value),
            data::SERVICE_EVENT => self.service_event(time, value),
            data::INITIAL_DISPLAY_STATE => self.initial_display_state(time, value),
            data::ENERGY_BREAKDOWN => self.energy_breakdown(time, value),
            data::SYSTEM_PROPERTY => self.system_property(time, value),
            data::NETWORK_PACKET => self.network_packet(time, value),
            data::NETWORK_PACKET_BUNDLE => self.network_bundle(envelope.writer, time, value),
            _ => return false,
        }
        true
    }

    /// `compressed_packets`: a deflated `Trace`.
    fn compressed_packets(&mut self, offset: u64, packed: &[u8]) {
        if self.depth >= MAX_PACKET_DEPTH {
            self.counts.note(Severity::Warning, "damaged", Some(offset), || {
                "packed packets inside packed packets: not used".to_owned()
            });
            return;
        }
        let (unpacked, is_whole) = unpack(packed);
        if !is_whole {
            self.counts.note(Severity::Warning, "damaged", Some(offset), || {
                "a packed packet does not unpack, or to more than recorders write; what came out \
                 was used"
                    .to_owned()
            });
        }
        self.counts.ignored.unpack(packed.len() as u64, unpacked.len() as u64);
        self.depth += 1;
        for packet in packets(&unpacked) {
            // Places inside are given as the place of the packed packet.
            self.packet(offset, packet);
        }
        self.depth -= 1;
    }
}
