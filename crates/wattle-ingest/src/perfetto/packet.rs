//! `TracePacket`: the envelope, and which part goes where.

use std::io::Read;

use wattle_timeline::Severity;
use wattle_units::BootNanos;
use wattle_wire::{Defect, Fields, read_varint};

use super::{Reader, names};
use crate::limits::{MAX_PACKET_DEPTH, MAX_UNPACKED_PACKET};

/// `TracePacket` (`trace_packet.proto`): fields of the envelope.
pub(super) mod envelope {
    pub const TRUSTED_UID: u32 = 3;
    pub const TIMESTAMP: u32 = 8;
    pub const TRUSTED_PACKET_SEQUENCE_ID: u32 = 10;
    pub const INTERNED_DATA: u32 = 12;
    pub const SEQUENCE_FLAGS: u32 = 13;
    pub const INCREMENTAL_STATE_CLEARED: u32 = 41;
    pub const PREVIOUS_PACKET_DROPPED: u32 = 42;
    pub const TIMESTAMP_CLOCK_ID: u32 = 58;
    pub const TRACE_PACKET_DEFAULTS: u32 = 59;
    pub const TRUSTED_PID: u32 = 79;
    pub const FIRST_PACKET_ON_SEQUENCE: u32 = 87;
    pub const MACHINE_ID: u32 = 98;
}

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

/// `SequenceFlags`.
const INCREMENTAL_STATE_CLEARED: u64 = 1;
const NEEDS_INCREMENTAL_STATE: u64 = 2;

/// What a packet says of itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Envelope {
    pub offset: u64,
    pub timestamp: Option<u64>,
    pub clock: Option<u32>,
    pub writer: u32,
    pub flags: u64,
    pub is_first: bool,
    pub dropped: bool,
    pub machine: u64,
}

impl Reader<'_> {
    /// Reads one packet that lies at the offset.
    pub(super) fn packet(&mut self, offset: u64, bytes: &[u8]) {
        self.counts.records += 1;
        let mut envelope = Envelope { offset, ..Envelope::default() };
        let (mut interned, mut defaults) = (None, None);
        for field in Fields::at(bytes, offset) {
            let field = match field {
                Ok(field) => field,
                Err(error) => {
                    self.counts.note(Severity::Warning, "damaged", Some(error.offset), || {
                        format!(
                            "a packet is damaged: {}; its fields before were read",
                            error.defect
                        )
                    });
                    break;
                }
            };
            let value = field.value;
            match field.number {
                envelope::TIMESTAMP => envelope.timestamp = Some(value.uint()),
                envelope::TRUSTED_PACKET_SEQUENCE_ID => envelope.writer = value.uint() as u32,
                envelope::SEQUENCE_FLAGS => envelope.flags |= value.uint(),
                envelope::INCREMENTAL_STATE_CLEARED if value.bool() => {
                    envelope.flags |= INCREMENTAL_STATE_CLEARED;
                }
                envelope::PREVIOUS_PACKET_DROPPED => envelope.dropped = value.bool(),
                envelope::FIRST_PACKET_ON_SEQUENCE => envelope.is_first = value.bool(),
                envelope::TIMESTAMP_CLOCK_ID => envelope.clock = Some(value.uint() as u32),
                envelope::MACHINE_ID => envelope.machine = value.uint(),
                envelope::INTERNED_DATA => interned = Some(value.bytes()),
                envelope::TRACE_PACKET_DEFAULTS => defaults = Some(value.bytes()),
                _ => {}
            }
        }
        if envelope.machine != 0 {
            // A timeline is of one machine; the host's recorder gives others numbers.
            self.counts.unread("packet of another machine");
            return;
        }
        if !self.sequence_flags(&envelope) {
            return;
        }
        if let Some(defaults) = defaults {
            self.packet_defaults(envelope.writer, defaults);
        }
        if let Some(interned) = interned {
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
        if envelope.flags & INCREMENTAL_STATE_CLEARED != 0 {
            sequence.clear();
        }
        let is_understood = envelope.flags & NEEDS_INCREMENTAL_STATE == 0 || sequence.is_valid;
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
        for field in Fields::at(bytes, envelope.offset).map_while(Result::ok) {
            let value = field.value.bytes();
            match field.number {
                number if is_envelope(number) => continue,
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
                        self.counts.unread_packet(number);
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
        let mut unpacked = Vec::new();
        let result = flate2::read::ZlibDecoder::new(packed)
            .take(MAX_UNPACKED_PACKET)
            .read_to_end(&mut unpacked);
        if result.is_err() || unpacked.len() as u64 >= MAX_UNPACKED_PACKET {
            self.counts.note(Severity::Warning, "damaged", Some(offset), || {
                "a packed packet does not unpack, or to more than recorders write; what came out \
                 was used"
                    .to_owned()
            });
        }
        self.depth += 1;
        for field in Fields::new(&unpacked).map_while(Result::ok) {
            if field.number == 1 {
                // Places inside are given as the place of the packed packet.
                self.packet(offset, field.value.bytes());
            }
        }
        self.depth -= 1;
    }
}

/// Whether the bytes can be a packet, or the beginning of one: fields that are known have the right wire
/// type, and there is one of them.
pub(crate) fn starts_a_packet(bytes: &[u8], is_cut: bool) -> bool {
    const LEN: u64 = 2;
    const VARINT: u64 = 0;
    let mut known = bytes.is_empty();
    let mut fields = Fields::new(bytes);
    loop {
        let offset = fields.offset() as usize;
        let is_whole = match fields.next() {
            None => return known,
            Some(Ok(_)) => true,
            Some(Err(error)) => {
                if !is_cut || !matches!(error.defect, Defect::Truncated | Defect::Length { .. }) {
                    return false;
                }
                false
            }
        };
        let mut position = offset;
        let Ok(tag) = read_varint(bytes, &mut position) else { return known || is_cut };
        let number = (tag >> 3) as u32;
        let expected = match number {
            envelope::INTERNED_DATA | envelope::TRACE_PACKET_DEFAULTS => Some(LEN),
            number if is_envelope(number) => Some(VARINT),
            number => names::packet(number).map(|_| LEN),
        };
        if expected.is_some_and(|expected| expected != tag & 7) {
            return false;
        }
        let is_message = expected == Some(LEN) && !BYTES.contains(&number);
        if is_message && read_varint(bytes, &mut position).is_ok() {
            let to = if is_whole { fields.offset() as usize } else { bytes.len() };
            if !is_message_so_far(bytes.get(position..to).unwrap_or_default(), is_whole) {
                return false;
            }
        }
        known |= expected.is_some();
        if !is_whole {
            return known;
        }
    }
}

/// Data fields that are no messages.
const BYTES: [u32; 3] = [data::SYNCHRONIZATION_MARKER, data::COMPRESSED_PACKETS, 133];

/// Whether the bytes are the fields of a message, or its beginning.
fn is_message_so_far(bytes: &[u8], is_whole: bool) -> bool {
    Fields::new(bytes).all(|field| match field {
        Ok(_) => true,
        Err(error) => {
            !is_whole && matches!(error.defect, Defect::Truncated | Defect::Length { .. })
        }
    })
}

/// Whether the field says something of the packet and is no data.
#[inline]
fn is_envelope(number: u32) -> bool {
    matches!(
        number,
        envelope::TRUSTED_UID
            | envelope::TIMESTAMP
            | envelope::TRUSTED_PACKET_SEQUENCE_ID
            | envelope::INTERNED_DATA
            | envelope::SEQUENCE_FLAGS
            | envelope::INCREMENTAL_STATE_CLEARED
            | envelope::PREVIOUS_PACKET_DROPPED
            | envelope::TIMESTAMP_CLOCK_ID
            | envelope::TRACE_PACKET_DEFAULTS
            | envelope::TRUSTED_PID
            | envelope::FIRST_PACKET_ON_SEQUENCE
            | envelope::MACHINE_ID
    )
}
