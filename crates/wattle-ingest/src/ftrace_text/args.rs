//! Arguments of an event as text: `key=value key=value`, where values of texts may hold spaces.

use memchr::memchr;
use memchr::memmem;

/// What stands behind `key=`, to the end of the line.
#[inline]
pub(super) fn after<'a>(args: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let mut from = 0;
    loop {
        let equals = from + memchr(b'=', args.get(from..)?)?;
        let before = args.get(..equals)?;
        if let Some(start) = before.strip_suffix(key)
            && start.last().is_none_or(|byte| matches!(byte, b' ' | b',' | b'(' | b'\t'))
        {
            return args.get(equals + 1..);
        }
        from = equals + 1;
    }
}

/// A number, decimal or with `0x`; what follows its digits is its unit.
#[inline]
pub(crate) fn number(text: &[u8]) -> Option<u64> {
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
pub(crate) fn hexadecimal(text: &[u8]) -> Option<u64> {
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

/// The text that a value begins with: up to the next key, or the end.
pub(super) fn text(value: &[u8]) -> &[u8] {
    let end = memchr(b'=', value).and_then(|equals| {
        let key = value.get(..equals)?;
        key.iter().rposition(|byte| *byte == b' ')
    });
    let text = end.and_then(|end| value.get(..end)).unwrap_or(value).trim_ascii();
    text.strip_suffix(b",").unwrap_or(text)
}

/// What stands before and behind the first such text.
#[inline]
pub(crate) fn around<'a>(text: &'a [u8], middle: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = memmem::find(text, middle)?;
    Some((text.get(..at)?, text.get(at + middle.len()..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_by_their_keys() {
        let args = b"name=krait1, val=850000 xval=3 comm=a b cpu_id=0x1f freq=-5Khz";
        let number_of = |key: &str| after(args, key.as_bytes()).and_then(number);
        assert_eq!(number_of("val"), Some(850_000));
        assert_eq!(number_of("cpu_id"), Some(31));
        assert_eq!(number_of("freq"), Some((-5i64).cast_unsigned()));
        assert_eq!(number_of("comm"), None);
        assert_eq!(number_of("none"), None);
        assert_eq!(after(args, b"name").map(text), Some(&b"krait1"[..]));
        assert_eq!(after(args, b"comm").map(text), Some(&b"a b"[..]));
        assert_eq!(number(b"99999999999999999999"), None);
        assert_eq!(hexadecimal(b"fffffffffffffffff"), None);
        assert_eq!(hexadecimal(b"3d0f00 x"), Some(0x3d_0f00));
    }
}
