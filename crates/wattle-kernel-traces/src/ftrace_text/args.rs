//! Arguments of an event as text: `key=value key=value`, where values of texts may hold spaces.

use memchr::memchr;

/// Returns the text after `key=`, to the end of the line.
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

/// The text that a value begins with: up to the next key, or the end.
pub(super) fn text(value: &[u8]) -> &[u8] {
    let end = memchr(b'=', value).and_then(|equals| {
        let key = value.get(..equals)?;
        key.iter().rposition(|byte| *byte == b' ')
    });
    let text = end.and_then(|end| value.get(..end)).unwrap_or(value).trim_ascii();
    text.strip_suffix(b",").unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use wattle_import::text::number;

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
    }
}
