//! Extra fields of local headers and of central directory records.

use crate::little_endian::Cursor;

/// `Android ZIP Alignment Extra Field` (apksig `DefaultApkSignerEngine`): alignment in 16 bits, then zeros.
pub(crate) const ALIGNMENT: u16 = 0xd935;
const ZIP64: u16 = 0x0001;

/// The fields that still mean something after the entry is moved: well-formed ones without padding.
///
/// Padding is what `zipalign` writes (zeros, which read as fields of type 0 or as a rest too short for a
/// field) and what apksig writes ([`ALIGNMENT`]).
pub(crate) fn without_padding(extra: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(extra.len());
    let mut fields = Cursor::new(extra, 0, "extra fields");
    while let (Ok(id), Ok(length)) = (fields.u16(), fields.u16()) {
        let Ok(data) = fields.take(usize::from(length)) else { break };
        if id != 0 && id != ALIGNMENT && id != ZIP64 {
            kept.extend_from_slice(&id.to_le_bytes());
            kept.extend_from_slice(&length.to_le_bytes());
            kept.extend_from_slice(data);
        }
    }
    kept
}

/// The given fields without padding, and with the alignment field that the data behind them needs.
///
/// Fields so long that the two do not fit into 64 KiB are given up.
pub(crate) fn aligned(extra: &[u8], header_end: usize, alignment: usize) -> Vec<u8> {
    let mut aligned = without_padding(extra);
    push_alignment(&mut aligned, header_end, alignment);
    if aligned.len() > usize::from(u16::MAX) {
        aligned.clear();
        push_alignment(&mut aligned, header_end, alignment);
    }
    aligned
}

/// Appends an alignment field so that data which follows `header_end + extra` is at a multiple of `alignment`.
///
/// `header_end` is where the extra fields begin in the file.
fn push_alignment(extra: &mut Vec<u8>, header_end: usize, alignment: usize) {
    let field = 2 + 2 + 2;
    let at = header_end.saturating_add(extra.len());
    if at.is_multiple_of(alignment) {
        return;
    }
    let padding = at.saturating_add(field).next_multiple_of(alignment).saturating_sub(at + field);
    extra.extend_from_slice(&ALIGNMENT.to_le_bytes());
    extra.extend_from_slice(&((padding + 2) as u16).to_le_bytes());
    extra.extend_from_slice(&(alignment as u16).to_le_bytes());
    extra.resize(extra.len().saturating_add(padding), 0);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{push_alignment, without_padding};

    proptest! {
        #[test]
        fn data_is_aligned_and_fields_stay_well_formed(
            header_end in 0_usize..1_000_000,
            power in 0_u32..15,
            data in prop::collection::vec(any::<u8>(), 0..20),
        ) {
            let mut extra = vec![0x55, 0x54, data.len() as u8, 0];
            extra.extend_from_slice(&data);
            let original = extra.clone();
            let alignment = 1_usize << power;
            push_alignment(&mut extra, header_end, alignment);
            prop_assert_eq!((header_end + extra.len()) % alignment, 0);
            prop_assert!(extra.len() < original.len() + alignment + 6);
            prop_assert_eq!(without_padding(&extra), original);
        }

        #[test]
        fn any_bytes_are_survived(extra in prop::collection::vec(any::<u8>(), 0..64)) {
            let kept = without_padding(&extra);
            prop_assert_eq!(without_padding(&kept), kept);
        }
    }
}
