//! Numbers and separators in lines of bytes.

use memchr::memmem;

/// A number, decimal or with `0x`; what follows its digits is its unit.
#[inline]
pub fn number(text: &[u8]) -> Option<u64> {
    if let Some(hex) = text.strip_prefix(b"0x") {
        return hexadecimal(hex);
    }
    let (is_negative, text) = match text.strip_prefix(b"-") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut value: Option<u64> = None;
    for byte in text.iter().take_while(|byte| byte.is_ascii_digit()) {
        let digit = u64::from(byte - b'0');
        value = Some(value.unwrap_or(0).checked_mul(10)?.checked_add(digit)?);
    }
    value.map(|value| if is_negative { value.wrapping_neg() } else { value })
}

/// Hexadecimal digits in front.
pub fn hexadecimal(text: &[u8]) -> Option<u64> {
    let mut value: Option<u64> = None;
    for byte in text {
        let Some(digit) = char::from(*byte).to_digit(16) else { break };
        let shifted = value.unwrap_or(0);
        if shifted >> 60 != 0 {
            return None;
        }
        value = Some(shifted << 4 | u64::from(digit));
    }
    value
}

/// The texts before and behind the first occurrence of another.
#[inline]
pub fn around<'a>(text: &'a [u8], middle: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = memmem::find(text, middle)?;
    Some((text.get(..at)?, text.get(at + middle.len()..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_where_their_digits_do() {
        assert_eq!(number(b"850000 x"), Some(850_000));
        assert_eq!(number(b"0x1f"), Some(31));
        assert_eq!(number(b"-5Khz"), Some((-5i64).cast_unsigned()));
        assert_eq!(number(b"x5"), None);
        assert_eq!(number(b"99999999999999999999"), None);
        assert_eq!(hexadecimal(b"fffffffffffffffff"), None);
        assert_eq!(hexadecimal(b"3d0f00 x"), Some(0x3d_0f00));
        assert_eq!(around(b"a => b => c", b" => "), Some((&b"a"[..], &b"b => c"[..])));
        assert_eq!(around(b"a", b" => "), None);
    }
}
