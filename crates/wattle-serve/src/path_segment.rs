//! Texts as segments of addresses.

use std::fmt::Write as _;

/// One segment of a path.
pub fn segment(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            safe.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(safe, "%{byte:02X}");
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::segment;

    #[test]
    fn a_segment_stays_one() {
        assert_eq!(segment("a b/..%ä"), "a%20b%2F..%25%C3%A4");
    }
}
