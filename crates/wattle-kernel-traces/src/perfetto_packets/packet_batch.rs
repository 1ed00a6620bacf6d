//! Packets of a trace that were read ahead of their use: what each is, and where in their bytes everything is.

use std::io::Read;
use std::ops::Range;

use wattle_wire::WireError;

use super::ftrace_bundle::{BundlePlaces, PlacedBundle};
use super::place::Place;
use super::{Envelope, FtraceBundle, Packet, PacketData, PacketStream, data_fields};

/// Bytes of packets after which a batch is full.
const FULL: usize = 256 << 10;
/// Packets after which a batch is full: small ones cost more than their bytes.
const MAX_PACKETS: usize = 1 << 12;
/// Data fields of one packet whose places are kept; those after are looked for when they are used. Recorders write one.
const MAX_FIELDS: usize = 64;
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
    /// The number of its bundle, if it is one.
    bundle: Option<u32>,
    place: Place,
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
    }

    /// Fills it with the next packets of a trace. Whether there were any.
    pub fn fill(&mut self, stream: &mut PacketStream<impl Read>) -> bool {
        self.clear();
        while self.bytes.len() < FULL
            && self.packets.len() < MAX_PACKETS
            && let Some((offset, packet)) = stream.next()
        {
            self.push(offset, packet);
        }
        self.end = stream.offset();
        !self.packets.is_empty()
    }

    /// Adds the packet at an offset.
    pub fn push(&mut self, offset: u64, packet: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(packet);
        let first_field = self.fields.len();
        let parsed = Packet::parse(offset, packet);
        let mut data = parsed.data();
        for PacketData { number, bytes } in data.by_ref().take(MAX_FIELDS) {
            let place = Place::of(bytes, packet);
            let bundle = (number == FTRACE_EVENTS).then_some(self.bundles.len() as u32);
            if bundle.is_some() {
                self.bundles.push(self.places.place(bytes));
            }
            self.fields.push(PlacedField { number, bundle, place });
        }
        self.packets.push(PlacedPacket {
            envelope: parsed.envelope,
            damage: parsed.damage.map(Box::new),
            interned: parsed.interned.map(|bytes| Place::of(bytes, packet)),
            defaults: parsed.defaults.map(|bytes| Place::of(bytes, packet)),
            bytes: start..self.bytes.len(),
            fields: first_field..self.fields.len(),
            has_more: data.next().is_some(),
        });
    }

    /// Offset in the trace up to which it was read.
    pub const fn end(&self) -> u64 {
        self.end
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
            let bundle = field.bundle.and_then(|number| batch.bundles.get(number as usize));
            let bundle = bundle.map(|bundle| batch.places.bundle(bundle, bytes));
            BatchedData { number: field.number, bytes, bundle }
        });
        let rest = if packet.has_more { bytes } else { &[] };
        let rest = data_fields(rest).skip(fields.len());
        placed.chain(rest.map(|PacketData { number, bytes }| BatchedData {
            number,
            bytes,
            bundle: None,
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
    /// The bundle of kernel events that it is, if it is one and was read ahead.
    pub bundle: Option<FtraceBundle<'a>>,
}
