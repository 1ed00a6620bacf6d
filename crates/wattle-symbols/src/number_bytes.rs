//! Numbers in files whose structure is read in place.

/// Two bytes at a place.
pub(crate) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|it| u16::from_le_bytes(*it))
}

/// Four bytes at a place.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|it| u32::from_le_bytes(*it))
}

/// The 32-bit number in LEB128 at a place, which moves behind it.
pub(crate) fn uleb(bytes: &[u8], at: &mut usize) -> Option<u32> {
    next_uleb(&mut std::iter::from_fn(|| {
        let byte = bytes.get(*at).copied()?;
        *at += 1;
        Some(byte)
    }))
}

/// The 32-bit number in LEB128 that comes next.
pub(crate) fn next_uleb(bytes: &mut impl Iterator<Item = u8>) -> Option<u32> {
    let mut value = 0_u32;
    for shift in [0, 7, 14, 21, 28] {
        let byte = bytes.next()?;
        value |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_with_the_bytes() {
        let bytes = [0x80, 0x01, 0x34, 0x12, 0xff];
        assert_eq!(u16_at(&bytes, 2), Some(0x1234));
        assert_eq!(u32_at(&bytes, 1), Some(0xff12_3401));
        assert_eq!((u32_at(&bytes, 2), u16_at(&bytes, usize::MAX)), (None, None));
        let mut at = 0;
        assert_eq!((uleb(&bytes, &mut at), at), (Some(128), 2));
        at = 4;
        assert_eq!(uleb(&bytes, &mut at), None);
        assert_eq!(uleb(&[0x80; 8], &mut 0), None, "more than 32 bits");
    }
}
