//! Packets that are packed into one (`compressed_packets`): a deflated `Trace`.

use std::io::Read;

use wattle_wire::Fields;

use crate::limits::MAX_UNPACKED_PACKET;

/// Number of the data field with packed packets.
pub const COMPRESSED_PACKETS: u32 = 50;

/// Unpacks the data of a packet with packed ones: bytes for [`packets`], and whether they are whole.
pub fn unpack(packed: &[u8]) -> (Vec<u8>, bool) {
    let mut unpacked = Vec::new();
    let result =
        flate2::read::ZlibDecoder::new(packed).take(MAX_UNPACKED_PACKET).read_to_end(&mut unpacked);
    let is_whole = result.is_ok() && (unpacked.len() as u64) < MAX_UNPACKED_PACKET;
    (unpacked, is_whole)
}

/// The packets of a trace that is in memory, up to a defect.
pub fn packets(trace: &[u8]) -> impl Iterator<Item = &[u8]> {
    let fields = Fields::new(trace).map_while(Result::ok);
    fields.filter(|field| field.number == 1).map(|field| field.value.bytes())
}
