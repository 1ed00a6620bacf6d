//! Packed parts of a file.

use std::borrow::Cow;
use std::io::Read;

use super::bytes::Cursor;
use super::contents::Packing;
use crate::limits::MAX_RATIO;

/// Bytes that one part may unpack to. trace-cmd packs pieces of some megabytes; only the list of the kernel's functions is
/// longer.
const MAX_PART: usize = 256 << 20;

/// What zstd's frames begin with.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Unpacks the next part: its packed and unpacked sizes, then the bytes. `None` if it does not unpack to the size that it claims,
/// or to more than its packed bytes can honestly hold.
pub(super) fn next_part<'a>(cursor: &mut Cursor<'a>, packing: Packing) -> Option<Cow<'a, [u8]>> {
    let (packed, size) = (cursor.count()?, cursor.count()?);
    let bytes = cursor.take(packed)?;
    // Deflate reaches 1032 times, zstd more, but not on pages of events.
    let most = (packed as u64).saturating_mul(MAX_RATIO).min(MAX_PART as u64);
    let limit = (size as u64).min(most);
    let mut unpacked = Vec::new();
    match packing {
        Packing::None => return Some(Cow::Borrowed(bytes)),
        Packing::Unknown => return None,
        Packing::Zlib => {
            flate2::read::ZlibDecoder::new(bytes).take(limit).read_to_end(&mut unpacked).ok()?;
        }
        Packing::Zstd => {
            // Without a beginning in some versions.
            let head: &[u8] = if bytes.starts_with(&ZSTD) { &[] } else { &ZSTD };
            let mut input = head.chain(bytes);
            let decoder = ruzstd::decoding::StreamingDecoder::new(&mut input).ok()?;
            decoder.take(limit).read_to_end(&mut unpacked).ok()?;
        }
    }
    (unpacked.len() == size).then_some(Cow::Owned(unpacked))
}
