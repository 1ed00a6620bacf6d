//! Variable-length integers.

use crate::Defect;

/// The longest varint: ten bytes of seven bits hold 64 bits.
const MAX_BYTES: usize = 10;

/// Reads a varint at `position` and moves the position past it. On an error the position stays.
#[inline(always)]
#[expect(clippy::inline_always, reason = "one byte is the common case of the hottest loop")]
pub fn read_varint(bytes: &[u8], position: &mut usize) -> Result<u64, Defect> {
    match bytes.get(*position) {
        Some(byte) if *byte < 0x80 => {
            *position += 1;
            Ok(u64::from(*byte))
        }
        Some(_) => read_long_varint(bytes, position),
        None => Err(Defect::Truncated),
    }
}

/// The continuation bits of eight bytes.
const CONTINUE: u64 = 0x8080_8080_8080_8080;

/// Two or more bytes. Timestamps have seven, so eight bytes are looked at together.
#[inline]
fn read_long_varint(bytes: &[u8], position: &mut usize) -> Result<u64, Defect> {
    let rest = bytes.get(*position..).unwrap_or_default();
    if let Some(chunk) = rest.first_chunk::<8>() {
        let word = u64::from_le_bytes(*chunk);
        let stops = !word & CONTINUE;
        if stops != 0 {
            // Bits up to and with the first byte that does not continue, then without the marks.
            let kept = word & (stops ^ (stops - 1)) & !CONTINUE;
            *position += (stops.trailing_zeros() as usize + 1) / 8;
            return Ok(squeeze(kept));
        }
    }
    read_bytewise(rest, position)
}

/// Puts eight groups of seven bits side by side, first two and two, then four and four.
#[inline]
const fn squeeze(groups: u64) -> u64 {
    let pairs = (groups & 0x007f_007f_007f_007f) | ((groups & 0x7f00_7f00_7f00_7f00) >> 1);
    let fours = (pairs & 0x0000_3fff_0000_3fff) | ((pairs & 0x3fff_0000_3fff_0000) >> 2);
    (fours & 0x0000_0000_0fff_ffff) | ((fours & 0x0fff_ffff_0000_0000) >> 4)
}

/// Near the end of the bytes, and for more than eight.
#[cold]
fn read_bytewise(rest: &[u8], position: &mut usize) -> Result<u64, Defect> {
    let mut value = 0u64;
    for (i, byte) in rest.iter().take(MAX_BYTES).enumerate() {
        // The tenth byte holds the one bit that is left of 64.
        if i == MAX_BYTES - 1 && *byte > 1 {
            return Err(Defect::Varint);
        }
        value |= u64::from(byte & 0x7f) << (7 * i);
        if *byte < 0x80 {
            *position += i + 1;
            return Ok(value);
        }
    }
    Err(if rest.len() < MAX_BYTES { Defect::Truncated } else { Defect::Varint })
}

/// From the `sint32`/`sint64` encoding, in which small negative numbers are short.
#[inline]
pub const fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// To the `sint32`/`sint64` encoding.
#[inline]
pub const fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], expected: Result<(u64, usize), Defect>) {
        let mut position = 0;
        let found = read_varint(bytes, &mut position).map(|value| (value, position));
        assert_eq!(found, expected);
    }

    #[test]
    fn one_to_ten_bytes() {
        check(&[0], Ok((0, 1)));
        check(&[0x7f, 0xff], Ok((127, 1)));
        check(&[0x96, 0x01], Ok((150, 2)));
        check(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], Ok((u64::MAX, 10)));
        // Longer than needed, but legal.
        check(&[0x80, 0x80, 0x00], Ok((0, 3)));
        // The same with bytes after it, which are read together with it.
        for length in 1..=10usize {
            let mut bytes = [0xff; 20];
            for (i, byte) in bytes.iter_mut().enumerate().take(length) {
                *byte = 0x80 | (i as u8 * 13 + 1);
            }
            bytes[length - 1] = 1;
            let groups = bytes[..length].iter().enumerate();
            let expected = groups.fold(0, |sum, (i, b)| sum | u64::from(b & 0x7f) << (7 * i));
            check(&bytes, Ok((expected, length)));
            check(&bytes[..length], Ok((expected, length)));
        }
    }

    #[test]
    fn defects() {
        check(&[], Err(Defect::Truncated));
        check(&[0x80], Err(Defect::Truncated));
        check(&[0x80; 9], Err(Defect::Truncated));
        check(&[0x80; 10], Err(Defect::Varint));
        check(&[0x80; 11], Err(Defect::Varint));
        check(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02], Err(Defect::Varint));
    }

    #[test]
    fn zigzag_is_the_formats_table() {
        for (plain, encoded) in [(0, 0), (-1, 1), (1, 2), (-2, 3), (i64::MAX, u64::MAX - 1)] {
            assert_eq!(zigzag(plain), encoded);
            assert_eq!(unzigzag(encoded), plain);
        }
        assert_eq!(zigzag(i64::MIN), u64::MAX);
    }
}
