//! Numbers of seven bits a byte (`art/libartbase/base/leb128.h`).

/// The most bytes of a number of 64 bits.
const LONGEST: usize = 10;

/// Takes an unsigned number; `None` where it is cut off or too long.
pub(super) fn unsigned(bytes: &mut &[u8]) -> Option<u64> {
    let (value, _, _) = take(bytes)?;
    Some(value)
}

/// Takes a signed number.
pub(super) fn signed(bytes: &mut &[u8]) -> Option<i64> {
    let (value, bits, last) = take(bytes)?;
    let is_negative = last & 0x40 != 0 && bits < 64;
    let sign = if is_negative { u64::MAX << bits } else { 0 };
    Some((value | sign).cast_signed())
}

/// The number, how many bits were given of it, and the byte that ended it.
#[inline]
fn take(bytes: &mut &[u8]) -> Option<(u64, u32, u8)> {
    let mut value = 0;
    for (index, byte) in bytes.iter().take(LONGEST).enumerate() {
        let shift = 7 * index as u32;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            *bytes = bytes.get(index + 1..)?;
            return Some((value, shift + 7, *byte));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_dex_format() {
        // Examples of the documentation of the format.
        let cases: [(&[u8], i64, u64); 4] =
            [(&[0], 0, 0), (&[1], 1, 1), (&[0x7f], -1, 127), (&[0x80, 0x7f], -128, 16256)];
        for (bytes, negative, positive) in cases {
            assert_eq!(signed(&mut &*bytes), Some(negative));
            assert_eq!(unsigned(&mut &*bytes), Some(positive));
        }
        assert_eq!(unsigned(&mut &[0x80_u8; 3][..]), None);
        assert_eq!(unsigned(&mut &[0xff_u8; 12][..]), None);
        let most = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        assert_eq!(unsigned(&mut &most[..]), Some(u64::MAX));
        assert_eq!(signed(&mut &most[..]), Some(-1));
    }
}
