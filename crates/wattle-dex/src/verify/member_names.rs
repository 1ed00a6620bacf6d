//! Names of fields, methods and classes: the productions `MemberName`, `SimpleName` and `TypeDescriptor` of the format.

use crate::Mutf8;

/// Whether a name can be that of a field or a method: `SimpleName`, or one in angle brackets.
pub(crate) fn is_member_name(name: Mutf8<'_>) -> bool {
    match name.bytes() {
        [b'<', inner @ .., b'>'] => are_parts(Mutf8::new(inner)),
        [] => false,
        bytes => are_parts(Mutf8::new(bytes)),
    }
}

/// Whether bytes are a type descriptor.
pub(crate) fn is_descriptor(bytes: &[u8]) -> bool {
    let element = bytes.iter().position(|&byte| byte != b'[').unwrap_or(bytes.len());
    let (arrays, element) = bytes.split_at_checked(element).unwrap_or_default();
    match element {
        [b'V'] => arrays.is_empty(),
        [b'Z' | b'B' | b'S' | b'C' | b'I' | b'J' | b'F' | b'D'] => arrays.len() <= 255,
        [b'L', name @ .., b';'] => {
            let is_simple = |part: &[u8]| !part.is_empty() && are_parts(Mutf8::new(part));
            arrays.len() <= 255 && name.split(|&byte| byte == b'/').all(is_simple)
        }
        _ => false,
    }
}

/// Whether all characters are `SimpleNameChar`.
fn are_parts(name: Mutf8<'_>) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"$-_".contains(byte);
    if name.bytes().iter().all(is_plain) {
        return true;
    }
    let mut units = name.units();
    while let Some(unit) = units.next() {
        let Some(unit) = unit else { return false };
        let fits = match unit {
            // Space separators: the format has them since version 040, the runtime takes them in any.
            0x20 | 0xa0 | 0x2000..=0x200a | 0x202f => true,
            0..0x80 => is_plain(&(unit as u8)),
            0x80..0xa0 | 0x200b..=0x200f | 0x2028..=0x202e | 0xdc00..=0xdfff | 0xfff0..=0xffff => {
                false
            }
            0xd800..=0xdbff => {
                units.next().flatten().is_some_and(|low| (0xdc00..=0xdfff).contains(&low))
            }
            _ => true,
        };
        if !fits {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode_mutf8;

    #[track_caller]
    fn check(name: &str, expected: bool) {
        let bytes = encode_mutf8(name);
        let found = is_member_name(Mutf8::new(&bytes));
        assert_eq!(found, expected, "{name:?}");
    }

    #[test]
    fn members_have_simple_names() {
        for name in [
            "a",
            "<init>",
            "$1-_",
            "ä",
            "日本",
            "\u{1f600}",
            "\u{2010}",
            "a b",
            "a\u{a0}",
            "\u{2003}",
        ] {
            check(name, true);
        }
        for name in [
            "",
            "a.b",
            "a;",
            "La/b;",
            "<init",
            "init>",
            "a<b",
            "\u{7f}",
            "\u{85}",
            "a\u{2028}",
            "\u{fffd}",
        ] {
            check(name, false);
        }
        // Half a surrogate pair.
        assert!(!is_member_name(Mutf8::new(&[0xed, 0xa0, 0x80])));
        assert!(!is_member_name(Mutf8::new(&[0xed, 0xb0, 0x80])));
    }

    #[test]
    fn classes_have_simple_names_between_slashes() {
        for name in ["La;", "La/b$c;", "[[I", "V", "L-;"] {
            assert!(is_descriptor(name.as_bytes()), "{name}");
        }
        for name in ["", "L;", "L/a;", "La/;", "La//b;", "La.b;", "La%t;", "[V", "La", "a", "II"] {
            assert!(!is_descriptor(name.as_bytes()), "{name}");
        }
    }
}
