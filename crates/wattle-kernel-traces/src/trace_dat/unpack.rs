//! Packed parts of a file.

use std::borrow::Cow;
use std::io::Read;

use crate::tracepoints::Packing;
use wattle_import::UnpackBudget;
use wattle_import::limits::MAX_RATIO;
use wattle_wire::ByteCursor;

/// Bytes that one part may unpack to. trace-cmd packs pieces of some megabytes; only the list of the kernel's functions is
/// longer.
const MAX_PART: usize = 256 << 20;

/// First bytes of zstd's frames.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Unpacks the next part: its packed and unpacked sizes, then the bytes. `None` if it does not unpack to the size that it claims,
/// or to more than its packed bytes can honestly hold or is left of the budget.
pub(super) fn next_part<'a>(
    cursor: &mut ByteCursor<'a>,
    packing: Packing,
    budget: &UnpackBudget,
) -> Option<Cow<'a, [u8]>> {
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
            let decoder = flate2::read::ZlibDecoder::new(bytes);
            budget.read_to_end(decoder, limit, &mut unpacked).ok()?;
        }
        Packing::Zstd => {
            // Without a beginning in some versions.
            let head: &[u8] = if bytes.starts_with(&ZSTD) { &[] } else { &ZSTD };
            let mut input = head.chain(bytes);
            let decoder = ruzstd::decoding::StreamingDecoder::new(&mut input).ok()?;
            budget.read_to_end(decoder, limit, &mut unpacked).ok()?;
        }
    }
    (unpacked.len() == size).then_some(Cow::Owned(unpacked))
}

#[cfg(test)]
mod tests {
    use wattle_wire::ByteOrder;

    use super::*;

    #[track_caller]
    fn check(size: u32, expected: Option<usize>) {
        let mut packed = Vec::new();
        let text = [7; 1000];
        let mut encoder = flate2::read::ZlibEncoder::new(&text[..], flate2::Compression::fast());
        encoder.read_to_end(&mut packed).expect("memory can be read");
        let sizes = [u32::try_from(packed.len()).expect("a small part"), size];
        let bytes = [sizes.map(u32::to_le_bytes).concat(), packed].concat();
        let mut cursor = ByteCursor::new(&bytes, 0, ByteOrder { is_big: false });
        let budget = UnpackBudget::new(Some(1000));
        let found = next_part(&mut cursor, Packing::Zlib, &budget).map(|part| part.len());
        assert_eq!(found, expected, "{size}");
        let short = UnpackBudget::new(Some(999));
        let mut cursor = ByteCursor::new(&bytes, 0, ByteOrder { is_big: false });
        assert!(next_part(&mut cursor, Packing::Zlib, &short).is_none());
        assert!(short.is_exceeded());
    }

    #[test]
    fn a_part_is_as_long_as_it_claims() {
        check(1000, Some(1000));
        check(1001, None);
        check(u32::MAX, None);
    }
}
