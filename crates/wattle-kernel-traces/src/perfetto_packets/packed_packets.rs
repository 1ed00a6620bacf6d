//! Packets that are packed into one (`compressed_packets`, `zstd_compressed_packets`): a packed `Trace`.

use std::borrow::Cow;
use std::io::Read;

use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use wattle_wire::Fields;

use crate::limits::MAX_UNPACKED_PACKET;

/// Number of the data field with packed packets.
pub const COMPRESSED_PACKETS: u32 = 50;

/// Number of the data field with packets that zstd packed.
pub const ZSTD_COMPRESSED_PACKETS: u32 = 133;

/// How packets are packed into one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketPacking {
    /// By deflate, as zlib writes it ([`COMPRESSED_PACKETS`]).
    Deflate,
    /// By zstd ([`ZSTD_COMPRESSED_PACKETS`], Perfetto of 2026 and later).
    Zstd,
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
    let packed = with_small_window(packed);
    let mut decoder = FrameDecoder::new();
    let mut input = packed.as_ref();
    while !input.is_empty() && (unpacked.len() as u64) < limit {
        let rest = limit - unpacked.len() as u64;
        let Ok(frame) = StreamingDecoder::new_with_decoder(&mut input, &mut decoder) else {
            return false;
        };
        if frame.take(rest).read_to_end(unpacked).is_err() {
            return false;
        }
    }
    true
}

/// Makes the window of the first frame no larger than what is unpacked of it: the highest levels of zstd declare 128 MiB for
/// packets of some kilobytes, more than the decoder allows and than they can refer back to.
fn with_small_window(packed: &[u8]) -> Cow<'_, [u8]> {
    /// Place of the frame's descriptor, behind the four bytes that frames begin with (RFC 8878, 3.1.1.1).
    const DESCRIPTOR: usize = 4;
    /// Set where there is no descriptor of a window behind it.
    const SINGLE_SEGMENT: u8 = 1 << 5;
    /// 64 MiB: ten added to the upper five bits is the exponent.
    const WINDOW: u8 = (26 - 10) << 3;
    match (packed.get(DESCRIPTOR), packed.get(DESCRIPTOR + 1)) {
        (Some(frame), Some(window)) if frame & SINGLE_SEGMENT == 0 && *window > WINDOW => {
            let mut changed = packed.to_vec();
            if let Some(window) = changed.get_mut(DESCRIPTOR + 1) {
                *window = WINDOW;
            }
            Cow::Owned(changed)
        }
        _ => Cow::Borrowed(packed),
    }
}

/// The packets of a trace that is in memory, up to a defect.
pub fn packets(trace: &[u8]) -> impl Iterator<Item = &[u8]> {
    let fields = Fields::new(trace).map_while(Result::ok);
    fields.filter(|field| field.number == 1).map(|field| field.value.bytes())
}
