//! Packets that are packed into one (`compressed_packets`, `zstd_compressed_packets`): a packed `Trace`.

use std::io::Read;

use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use wattle_wire::Fields;

use crate::limits::MAX_UNPACKED_PACKET;

/// Number of the data field with packed packets.
pub const COMPRESSED_PACKETS: u32 = 50;

/// Number of the data field with packets that zstd packed.
pub const ZSTD_COMPRESSED_PACKETS: u32 = 133;

/// A way to pack packets into one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketPacking {
    /// By deflate, as zlib writes it ([`COMPRESSED_PACKETS`]).
    Deflate,
    /// By zstd ([`ZSTD_COMPRESSED_PACKETS`], Perfetto of 2026 and later).
    Zstd,
}

impl PacketPacking {
    /// That of a data field; `None` for one of other data.
    pub const fn of_field(number: u32) -> Option<Self> {
        match number {
            COMPRESSED_PACKETS => Some(Self::Deflate),
            ZSTD_COMPRESSED_PACKETS => Some(Self::Zstd),
            _ => None,
        }
    }
}

/// Unpacks the data of a packet with deflated ones: bytes for [`packets`], and whether they are whole.
pub fn unpack(packed: &[u8]) -> (Vec<u8>, bool) {
    unpack_as(PacketPacking::Deflate, packed, MAX_UNPACKED_PACKET)
}

/// Unpacks the data of a packet with packed ones, to less than `limit` bytes: bytes for [`packets`], and whether they are whole.
pub fn unpack_as(packing: PacketPacking, packed: &[u8], limit: u64) -> (Vec<u8>, bool) {
    let mut unpacked = Vec::new();
    let result = match packing {
        PacketPacking::Deflate => {
            flate2::read::ZlibDecoder::new(packed).take(limit).read_to_end(&mut unpacked).is_ok()
        }
        PacketPacking::Zstd => unpack_zstd(packed, limit, &mut unpacked),
    };
    let is_whole = result && (unpacked.len() as u64) < limit;
    (unpacked, is_whole)
}

/// Unpacks frame after frame. Whether all of them could be read up to the limit.
fn unpack_zstd(packed: &[u8], limit: u64, unpacked: &mut Vec<u8>) -> bool {
    let mut decoder = FrameDecoder::new();
    let mut input = packed;
    while !input.is_empty() && (unpacked.len() as u64) < limit {
        let Some((head, rest)) = input.split_first_chunk() else { return false };
        input = rest;
        let head = with_small_window(*head);
        let left = limit - unpacked.len() as u64;
        let source = head.as_slice().chain(&mut input);
        let Ok(frame) = StreamingDecoder::new_with_decoder(source, &mut decoder) else {
            return false;
        };
        if frame.take(left).read_to_end(unpacked).is_err() {
            return false;
        }
    }
    true
}

/// The first bytes of a frame, its window made no larger than what is unpacked of it: the highest levels of zstd declare 128 MiB for
/// packets of some kilobytes, more than the decoder allows and than they can refer back to.
fn with_small_window(mut head: [u8; 6]) -> [u8; 6] {
    /// Set in the frame's descriptor where no window follows it (RFC 8878, 3.1.1.1).
    const SINGLE_SEGMENT: u8 = 1 << 5;
    /// 64 MiB: ten added to the upper five bits is the exponent.
    const WINDOW: u8 = (26 - 10) << 3;
    let [.., descriptor, window] = &mut head;
    if *descriptor & SINGLE_SEGMENT == 0 {
        *window = (*window).min(WINDOW);
    }
    head
}

/// The packets of a trace that is in memory, up to a defect.
pub fn packets(trace: &[u8]) -> impl Iterator<Item = &[u8]> {
    let fields = Fields::new(trace).map_while(Result::ok);
    fields.filter(|field| field.number == 1).map(|field| field.value.bytes())
}
