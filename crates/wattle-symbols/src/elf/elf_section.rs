//! Content of sections, unpacked.

use std::borrow::Cow;
use std::io::Read as _;

use object::read::CompressionFormat;
use object::{Object as _, ObjectSection as _};
use wattle_unpack::UnpackBudget;

/// Deflate and Zstandard pack at most about so well; what claims more is damaged.
const BEST_RATIO: u64 = 1 << 12;

/// The content of a section; empty where there is none, or where it cannot be unpacked, or not within the budget.
pub(crate) fn content<'a>(
    file: &object::File<'a>,
    name: &str,
    unpacking: &UnpackBudget,
) -> Cow<'a, [u8]> {
    let section = file.section_by_name(name).and_then(|it| it.compressed_data().ok());
    let Some(packed) = section else { return Cow::default() };
    if packed.format == CompressionFormat::None {
        return Cow::Borrowed(packed.data);
    }
    let limit = packed.uncompressed_size;
    if limit > (packed.data.len() as u64).saturating_mul(BEST_RATIO) || !unpacking.try_take(limit) {
        return Cow::default();
    }
    let mut content = Vec::new();
    let read = match packed.format {
        CompressionFormat::Zlib => {
            flate2::read::ZlibDecoder::new(packed.data).take(limit).read_to_end(&mut content).ok()
        }
        CompressionFormat::Zstandard => {
            let decoder = ruzstd::decoding::StreamingDecoder::new(packed.data).ok();
            decoder.and_then(|decoder| decoder.take(limit).read_to_end(&mut content).ok())
        }
        _ => None,
    };
    if read.is_some_and(|read| read as u64 == packed.uncompressed_size) {
        Cow::Owned(content)
    } else {
        Cow::default()
    }
}
