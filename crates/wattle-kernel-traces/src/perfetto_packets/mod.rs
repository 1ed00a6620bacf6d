//! A reader of Perfetto traces (`perfetto_trace.proto`): their packets one by one, each with its envelope and its data.
//!
//! A trace of any length is read through a buffer of one packet ([`PacketStream`]). [`Packet::parse`] reads the envelope: time,
//! clock, writer, interned texts. [`Packet::data`] gives the data, whose messages [`wattle_wire::Fields`] reads without copying;
//! [`packet_name`] and [`ftrace_event_name`] name all that there are. Packets may be packed into one ([`unpack`]).
//!
//! Everything that does not depend on packets before can be found ahead of time, on another thread: a [`PacketBatch`] holds some packets with
//! their envelopes, fields and kernel events ([`FtraceBundle`]).
//!
//! Nothing in a trace can make the reader panic; a packet longer than any recorder writes is stepped over.
//!
//! ```
//! use wattle_kernel_traces::perfetto_packets::{Packet, PacketStream, StreamEnd, packet_name};
//! use wattle_wire::{Fields, Writer};
//!
//! // A trace of one packet, which says how full the battery is.
//! let mut trace = Writer::new();
//! trace.message(1, |packet| {
//!     packet.varint(8, 5_000_000_000);
//!     packet.varint(10, 7);
//!     packet.message(38, |battery| battery.varint(2, 81));
//! });
//!
//! let mut stream = PacketStream::new(trace.as_bytes());
//! let mut levels = Vec::new();
//! while let Some((offset, bytes)) = stream.next() {
//!     let packet = Packet::parse(offset, bytes);
//!     for data in packet.data() {
//!         if packet_name(data.number) == Some("battery") {
//!             let level = Fields::find(data.bytes, 2).map(|level| level.uint());
//!             levels.push((packet.envelope.timestamp, packet.envelope.writer, level));
//!         }
//!     }
//! }
//! assert_eq!(levels, [(Some(5_000_000_000), 7, Some(81))]);
//! assert!(matches!(stream.into_end(), StreamEnd::Complete));
//! ```

mod byte_place;
mod event_envelope;
mod ftrace_bundle;
mod packed_packets;
mod packet_batch;
mod packet_envelope;
mod packet_names;
mod packet_stream;
mod trace_head;

pub use event_envelope::FtraceEvent;
pub use ftrace_bundle::{BundleHead, FtraceBundle};
pub use packed_packets::{
    COMPRESSED_PACKETS, PacketPacking, ZSTD_COMPRESSED_PACKETS, packets, unpack, unpack_as,
};
pub use packet_batch::{BatchedData, BatchedPacket, BatchedPart, PacketBatch, UnpackedPackets};
pub use packet_envelope::{Envelope, Packet, PacketData, data_fields};
pub use packet_names::{ftrace_event_name, packet_name};
pub use packet_stream::{PacketStream, SteppedOver, StreamEnd};
pub use trace_head::starts_with_packet;
