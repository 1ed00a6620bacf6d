//! `TracePacket`: the envelope of a packet, and its data.

use wattle_wire::{Fields, WireError};

/// `TracePacket` (`trace_packet.proto`): fields of the envelope.
mod field {
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

/// `SequenceFlags`.
const INCREMENTAL_STATE_CLEARED: u64 = 1;
const NEEDS_INCREMENTAL_STATE: u64 = 2;

/// The description of a packet: its time, its writer, and what it needs of packets before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Envelope {
    /// Offset of the packet in the trace.
    pub offset: u64,
    /// Time of the packet, by [`Self::clock`].
    pub timestamp: Option<u64>,
    /// Number of the clock (`BuiltinClock`, or one of the writer's own from 64 on), if the packet names it.
    pub clock: Option<u32>,
    /// Number of the sequence of packets that one writer wrote.
    pub writer: u32,
    /// `SequenceFlags`.
    pub flags: u64,
    /// Whether it is its writer's first packet, where the service marks that.
    pub is_first: bool,
    /// Whether packets of the writer were dropped before it.
    pub dropped: bool,
    /// Number of the machine; 0 is the one that records.
    pub machine: u64,
}

impl Envelope {
    /// Whether everything that was interned by the writer's packets before is void.
    #[inline]
    pub const fn clears_state(&self) -> bool {
        self.flags & INCREMENTAL_STATE_CLEARED != 0
    }

    /// Whether the packet refers to what packets before it interned.
    #[inline]
    pub const fn needs_state(&self) -> bool {
        self.flags & NEEDS_INCREMENTAL_STATE != 0
    }
}

/// A packet, as far as its envelope goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packet<'a> {
    /// Its description.
    pub envelope: Envelope,
    /// Texts and other things that it interns (`InternedData`).
    pub interned: Option<&'a [u8]>,
    /// Defaults of its writer's packets from here on (`TracePacketDefaults`).
    pub defaults: Option<&'a [u8]>,
    /// A defect in its fields; those before were read.
    pub damage: Option<WireError>,
    bytes: &'a [u8],
}

impl<'a> Packet<'a> {
    /// Reads the envelope of the packet at an offset.
    pub fn parse(offset: u64, bytes: &'a [u8]) -> Self {
        let mut packet =
            Self { envelope: Envelope { offset, ..Envelope::default() }, bytes, ..Self::default() };
        let envelope = &mut packet.envelope;
        for field in Fields::at(bytes, offset) {
            let field = match field {
                Ok(field) => field,
                Err(error) => {
                    packet.damage = Some(error);
                    break;
                }
            };
            let value = field.value;
            match field.number {
                field::TIMESTAMP => envelope.timestamp = Some(value.uint()),
                field::TRUSTED_PACKET_SEQUENCE_ID => envelope.writer = value.uint() as u32,
                field::SEQUENCE_FLAGS => envelope.flags |= value.uint(),
                field::INCREMENTAL_STATE_CLEARED if value.bool() => {
                    envelope.flags |= INCREMENTAL_STATE_CLEARED;
                }
                field::PREVIOUS_PACKET_DROPPED => envelope.dropped = value.bool(),
                field::FIRST_PACKET_ON_SEQUENCE => envelope.is_first = value.bool(),
                field::TIMESTAMP_CLOCK_ID => envelope.clock = Some(value.uint() as u32),
                field::MACHINE_ID => envelope.machine = value.uint(),
                field::INTERNED_DATA => packet.interned = Some(value.bytes()),
                field::TRACE_PACKET_DEFAULTS => packet.defaults = Some(value.bytes()),
                _ => {}
            }
        }
        packet
    }

    /// Its data: mostly one field.
    pub fn data(&self) -> impl Iterator<Item = PacketData<'a>> + use<'a> {
        data_fields(self.bytes)
    }
}

/// One data field of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketData<'a> {
    /// Its number in `TracePacket`; [`packet_name`](super::packet_name) has its name.
    pub number: u32,
    /// The message, which [`Fields`] reads; empty if the field is none.
    pub bytes: &'a [u8],
}

/// The data fields of a packet, up to a defect.
#[inline]
pub fn data_fields(bytes: &[u8]) -> impl Iterator<Item = PacketData<'_>> {
    let fields = Fields::new(bytes).map_while(Result::ok);
    let data = fields.filter(|field| !is_envelope(field.number));
    data.map(|field| PacketData { number: field.number, bytes: field.value.bytes() })
}

/// Whether a field describes the packet and is no data.
#[inline]
pub(super) fn is_envelope(number: u32) -> bool {
    matches!(
        number,
        field::TRUSTED_UID
            | field::TIMESTAMP
            | field::TRUSTED_PACKET_SEQUENCE_ID
            | field::INTERNED_DATA
            | field::SEQUENCE_FLAGS
            | field::INCREMENTAL_STATE_CLEARED
            | field::PREVIOUS_PACKET_DROPPED
            | field::TIMESTAMP_CLOCK_ID
            | field::TRACE_PACKET_DEFAULTS
            | field::TRUSTED_PID
            | field::FIRST_PACKET_ON_SEQUENCE
            | field::MACHINE_ID
    )
}

/// Whether a field of the envelope is a message.
pub(super) fn is_message(number: u32) -> bool {
    matches!(number, field::INTERNED_DATA | field::TRACE_PACKET_DEFAULTS)
}
