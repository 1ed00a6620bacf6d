//! Packets of a trace that were read ahead of their use: what each is, and where in their bytes everything is.

use std::io::Read;
use std::ops::Range;

use wattle_import::UnpackBudget;
use wattle_wire::WireError;

use super::byte_place::Place;
use super::ftrace_bundle::{BundlePlaces, PlacedBundle};
use super::{
    Envelope, FtraceBundle, Packet, PacketData, PacketPacking, PacketStream, data_fields, packets,
    unpack_as,
};

/// Bytes of packets after which a batch is full.
const FULL: usize = 256 << 10;
/// Packets after which a batch is full: small ones cost more than their bytes.
const MAX_PACKETS: usize = 1 << 12;
/// Data fields of one packet whose places are kept; those after are looked for when they are used. Recorders write one.
const MAX_FIELDS: usize = 64;
/// Bytes that packed packets may become ahead of their use. Recorders pack at most half a megabyte at once; what is more is left
/// packed, for whoever uses it to unpack within a budget.
const MAX_AHEAD: u64 = 1 << 20;
/// Packets that they may be, likewise.
const MAX_INNER: usize = 1 << 14;
/// Bundles of kernel events in a batch that are read ahead; those after are read where they are used.
const MAX_BUNDLES: usize = 1 << 12;
/// Bytes of a packet so long that no other is read ahead beside it. Recorders write some hundreds of kilobytes at most.
const LONG: u64 = 4 << 20;
/// Bytes of memory that a batch keeps for the packets after it.
const KEPT: usize = 4 * FULL;

/// `TracePacket.ftrace_events`.
const FTRACE_EVENTS: u32 = 1;

/// Some packets of a trace, whose envelopes, fields and kernel events are found already. Nothing in it depends on packets before.
#[derive(Debug, Default)]
pub struct PacketBatch {
    bytes: Vec<u8>,
    packets: Vec<PlacedPacket>,
    fields: Vec<PlacedField>,
    bundles: Vec<PlacedBundle>,
    places: BundlePlaces,
    unpacked: Vec<UnpackedPackets>,
    unpacked_size: usize,
    /// Offset in the trace up to which it was read.
    end: u64,
}

/// A packet; places are those in its own bytes.
#[derive(Debug)]
struct PlacedPacket {
    envelope: Envelope,
    damage: Option<Box<WireError>>,
    interned: Option<Place>,
    defaults: Option<Place>,
    /// In the batch.
    bytes: Range<usize>,
    fields: Range<usize>,
    /// Whether there are more data fields than have places.
    has_more: bool,
}

/// A data field of a packet.
#[derive(Clone, Copy, Debug)]
struct PlacedField {
    number: u32,
    part: Option<Part>,
    place: Place,
}

/// The contents of a data field, by its number among the others of its kind.
#[derive(Clone, Copy, Debug)]
enum Part {
    Bundle(u32),
    Unpacked(u32),
}

/// The packets that came out of a packed one.
#[derive(Debug)]
pub struct UnpackedPackets {
    /// The packets.
    pub packets: PacketBatch,
    /// Their bytes.
    pub size: u64,
    /// Whether all of it could be unpacked.
    pub is_whole: bool,
}

impl PacketBatch {
    /// A batch of one packet.
    pub fn of_packet(offset: u64, packet: &[u8]) -> Self {
        let mut batch = Self::default();
        batch.push(offset, packet);
        batch
    }

    /// Empties it. Its memory stays, unless it held a packet that is unusually long.
    pub fn clear(&mut self) {
        if self.bytes.capacity() > KEPT {
            *self = Self::default();
        }
        self.bytes.clear();
        self.packets.clear();
        self.fields.clear();
        self.bundles.clear();
        self.places.clear();
        self.unpacked.clear();
        self.unpacked_size = 0;
    }

    /// Whether the next packet of a trace is so long that no other should be in memory beside it.
    pub fn is_long_next(stream: &mut PacketStream<impl Read>) -> bool {
        stream.next_length().is_some_and(|length| length > LONG)
    }

    /// Fills it with the next packets of a trace, and unpacks what is packed in them while the budget is not exceeded. Whether there
    /// were any packets. A long packet is alone.
    pub fn fill(&mut self, stream: &mut PacketStream<impl Read>, budget: &UnpackBudget) -> bool {
        self.clear();
        if Self::is_long_next(stream) {
            if let Some((offset, place)) = stream.next_into(&mut self.bytes) {
                self.place(offset, place);
            }
        } else {
            while self.bytes.len() + self.unpacked_size < FULL
                && self.packets.len() < MAX_PACKETS
                && !Self::is_long_next(stream)
                && let Some((offset, packet)) = stream.next()
            {
                self.push(offset, packet);
                if !budget.is_exceeded() {
                    self.unpack();
                }
            }
        }
        self.end = stream.offset();
        !self.packets.is_empty()
    }

    /// Adds the packet at an offset.
    pub fn push(&mut self, offset: u64, packet: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(packet);
        self.place(offset, start..self.bytes.len());
    }

    /// Adds the packet at an offset, whose bytes are in the batch already.
    fn place(&mut self, offset: u64, bytes: Range<usize>) {
        let packet = self.bytes.get(bytes.clone()).unwrap_or_default();
        let first_field = self.fields.len();
        let parsed = Packet::parse(offset, packet);
        let mut data = parsed.data();
        for PacketData { number, bytes } in data.by_ref().take(MAX_FIELDS) {
            let place = Place::of(bytes, packet);
            let is_read = number == FTRACE_EVENTS && self.bundles.len() < MAX_BUNDLES;
            let part = is_read.then_some(Part::Bundle(self.bundles.len() as u32));
            if is_read {
                self.bundles.push(self.places.place(bytes));
            }
            self.fields.push(PlacedField { number, part, place });
        }
        self.packets.push(PlacedPacket {
            envelope: parsed.envelope,
            damage: parsed.damage.map(Box::new),
            interned: parsed.interned.map(|bytes| Place::of(bytes, packet)),
            defaults: parsed.defaults.map(|bytes| Place::of(bytes, packet)),
            bytes,
            fields: first_field..self.fields.len(),
            has_more: data.next().is_some(),
        });
    }

    /// Unpacks what is packed in the packet that was added last, unless that is more than recorders pack at once, or it may be that it
    /// is not used.
    fn unpack(&mut self) {
        let Some(packet) = self.packets.last() else { return };
        if packet.envelope.machine != 0 || packet.envelope.needs_state() {
            return;
        }
        let fields = self.fields.get_mut(packet.fields.clone()).unwrap_or_default();
        // Recorders write one; others are left to whoever uses them.
        let Some((packing, field)) = fields
            .iter_mut()
            .find_map(|field| Some((PacketPacking::of_field(field.number)?, field)))
        else {
            return;
        };
        let packed = self.bytes.get(packet.bytes.clone()).unwrap_or_default();
        let (bytes, is_whole) = unpack_as(packing, field.place.within(packed), MAX_AHEAD);
        if bytes.len() as u64 == MAX_AHEAD {
            return;
        }
        let mut inner = Self::default();
        for packet_bytes in packets(&bytes) {
            if inner.packets.len() == MAX_INNER || inner.fields.len() >= MAX_INNER {
                return;
            }
            // Places inside are given as the place of the packed packet.
            inner.push(packet.envelope.offset, packet_bytes);
        }
        field.part = Some(Part::Unpacked(self.unpacked.len() as u32));
        self.unpacked_size += bytes.len();
        let size = bytes.len() as u64;
        self.unpacked.push(UnpackedPackets { packets: inner, size, is_whole });
    }

    /// Offset in the trace up to which it was read.
    pub const fn end(&self) -> u64 {
        self.end
    }

    fn part<'a>(&'a self, part: Option<Part>, bytes: &'a [u8]) -> Option<BatchedPart<'a>> {
        Some(match part? {
            Part::Bundle(number) => {
                let bundle = self.bundles.get(number as usize)?;
                BatchedPart::Bundle(self.places.bundle(bundle, bytes))
            }
            Part::Unpacked(number) => BatchedPart::Unpacked(self.unpacked.get(number as usize)?),
        })
    }

    /// Its packets, in their order.
    pub fn packets(&self) -> impl Iterator<Item = BatchedPacket<'_>> {
        self.packets.iter().map(|packet| {
            let bytes = self.bytes.get(packet.bytes.clone()).unwrap_or_default();
            BatchedPacket { batch: self, packet, bytes }
        })
    }
}

/// A packet of a batch.
#[derive(Clone, Copy, Debug)]
pub struct BatchedPacket<'a> {
    batch: &'a PacketBatch,
    packet: &'a PlacedPacket,
    bytes: &'a [u8],
}

impl<'a> BatchedPacket<'a> {
    /// Its description.
    pub const fn envelope(&self) -> &'a Envelope {
        &self.packet.envelope
    }

    /// A defect in its fields; those before were read.
    pub fn damage(&self) -> Option<&'a WireError> {
        self.packet.damage.as_deref()
    }

    /// Texts and other things that it interns (`InternedData`).
    pub fn interned(&self) -> Option<&'a [u8]> {
        self.packet.interned.map(|place| place.within(self.bytes))
    }

    /// Defaults of its writer's packets from here on (`TracePacketDefaults`).
    pub fn defaults(&self) -> Option<&'a [u8]> {
        self.packet.defaults.map(|place| place.within(self.bytes))
    }

    /// All of its bytes.
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Its data: mostly one field.
    pub fn data(&self) -> impl Iterator<Item = BatchedData<'a>> + use<'a> {
        let Self { batch, packet, bytes } = *self;
        let fields = batch.fields.get(packet.fields.clone()).unwrap_or_default();
        let placed = fields.iter().map(move |field| {
            let bytes = field.place.within(bytes);
            BatchedData { number: field.number, bytes, part: batch.part(field.part, bytes) }
        });
        let rest = if packet.has_more { bytes } else { &[] };
        let rest = data_fields(rest).skip(fields.len());
        placed.chain(rest.map(|PacketData { number, bytes }| BatchedData {
            number,
            bytes,
            part: None,
        }))
    }
}

/// A data field of a packet of a batch.
#[derive(Clone, Copy, Debug)]
pub struct BatchedData<'a> {
    /// Its number in `TracePacket`.
    pub number: u32,
    /// The message.
    pub bytes: &'a [u8],
    /// The contents that were found in it ahead of time.
    pub part: Option<BatchedPart<'a>>,
}

/// The contents of a data field that were found ahead of time.
#[derive(Clone, Copy, Debug)]
pub enum BatchedPart<'a> {
    /// Kernel events.
    Bundle(FtraceBundle<'a>),
    /// Packed packets.
    Unpacked(&'a UnpackedPackets),
}
