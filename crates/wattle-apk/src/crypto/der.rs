//! DER, as far as certificates, keys and PKCS#7 need it; indefinite lengths (BER) are read, never written.

use crate::ApkError;

/// Tags of the universal class.
pub(crate) mod tag {
    pub(crate) const INTEGER: u8 = 0x02;
    pub(crate) const BIT_STRING: u8 = 0x03;
    pub(crate) const OCTET_STRING: u8 = 0x04;
    pub(crate) const NULL: u8 = 0x05;
    pub(crate) const OID: u8 = 0x06;
    pub(crate) const UTF8_STRING: u8 = 0x0c;
    pub(crate) const PRINTABLE_STRING: u8 = 0x13;
    pub(crate) const UTC_TIME: u8 = 0x17;
    pub(crate) const GENERALIZED_TIME: u8 = 0x18;
    pub(crate) const BMP_STRING: u8 = 0x1e;
    pub(crate) const SEQUENCE: u8 = 0x30;
    pub(crate) const SET: u8 = 0x31;
    /// `[n]`, constructed.
    pub(crate) const fn context(number: u8) -> u8 {
        0xa0 | number
    }
}

/// How deep values of indefinite length may be nested.
const DEPTH: usize = 32;

/// One value: its tag, its content, and all of its bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Value<'a> {
    pub(crate) tag: u8,
    pub(crate) content: &'a [u8],
    pub(crate) whole: &'a [u8],
    offset: usize,
    what: &'static str,
}

impl<'a> Value<'a> {
    /// A reader of the values inside.
    pub(crate) fn inside(&self) -> Der<'a> {
        let header = self.content.as_ptr().addr().saturating_sub(self.whole.as_ptr().addr());
        let base = self.offset.saturating_add(header);
        Der { rest: self.content, base, position: 0, what: self.what }
    }

    /// The content of an OCTET STRING, also of one that is written in parts.
    pub(crate) fn octets(&self) -> Result<Vec<u8>, ApkError> {
        if self.tag & 0x20 == 0 {
            return Ok(self.content.to_vec());
        }
        let mut octets = Vec::with_capacity(self.content.len());
        let mut parts = self.inside();
        while !parts.is_empty() {
            octets.extend_from_slice(
                parts.expect(tag::OCTET_STRING, "a part of an OCTET STRING")?.content,
            );
        }
        Ok(octets)
    }
}

/// A reader of consecutive values.
#[derive(Debug, Clone)]
pub(crate) struct Der<'a> {
    rest: &'a [u8],
    base: usize,
    position: usize,
    what: &'static str,
}

impl<'a> Der<'a> {
    /// Reads `bytes`, called `what` in errors.
    pub(crate) const fn new(bytes: &'a [u8], what: &'static str) -> Self {
        Self { rest: bytes, base: 0, position: 0, what }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The tag of the next value.
    pub(crate) fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    pub(crate) fn error(&self, expected: &'static str) -> ApkError {
        let offset = self.base.saturating_add(self.position) as u64;
        ApkError::Der { what: self.what, offset, expected }
    }

    /// The next value, whatever it is.
    pub(crate) fn next(&mut self) -> Result<Value<'a>, ApkError> {
        let (header, length, total) =
            measure(self.rest, DEPTH).ok_or_else(|| self.error("a complete value"))?;
        let value = Value {
            tag: self.rest.first().copied().unwrap_or(0),
            content: self.rest.get(header..header.saturating_add(length)).unwrap_or_default(),
            whole: self.rest.get(..total).unwrap_or_default(),
            offset: self.base.saturating_add(self.position),
            what: self.what,
        };
        self.rest = self.rest.get(total..).unwrap_or_default();
        self.position = self.position.saturating_add(total);
        Ok(value)
    }

    /// The next value, which must have this tag.
    pub(crate) fn expect(
        &mut self,
        tag: u8,
        expected: &'static str,
    ) -> Result<Value<'a>, ApkError> {
        if self.peek() == Some(tag) { self.next() } else { Err(self.error(expected)) }
    }

    /// The next value, if it has this tag.
    pub(crate) fn optional(&mut self, tag: u8) -> Result<Option<Value<'a>>, ApkError> {
        if self.peek() == Some(tag) { self.next().map(Some) } else { Ok(None) }
    }

    /// A reader of the values inside the next one, a SEQUENCE.
    pub(crate) fn sequence(&mut self, expected: &'static str) -> Result<Self, ApkError> {
        self.expect(tag::SEQUENCE, expected).map(|value| value.inside())
    }

    /// The content of the next value, an OBJECT IDENTIFIER.
    pub(crate) fn oid(&mut self) -> Result<&'a [u8], ApkError> {
        self.expect(tag::OID, "an OBJECT IDENTIFIER").map(|value| value.content)
    }

    /// The next value, an INTEGER that fits 32 bits and is not negative.
    pub(crate) fn small_integer(&mut self) -> Result<u32, ApkError> {
        let error = self.error("a small INTEGER");
        let content = self.expect(tag::INTEGER, "an INTEGER")?.content;
        let digits = content.strip_prefix(&[0]).unwrap_or(content);
        if content.is_empty() || digits.len() > 4 || content.first().is_some_and(|&b| b >= 0x80) {
            return Err(error);
        }
        Ok(digits.iter().fold(0, |value, &digit| value << 8 | u32::from(digit)))
    }
}

/// Length of the header, of the content and of it all, of the value at the start of `bytes`.
fn measure(bytes: &[u8], depth: usize) -> Option<(usize, usize, usize)> {
    let &tag = bytes.first()?;
    if tag & 0x1f == 0x1f {
        return None;
    }
    let &first = bytes.get(1)?;
    let (header, length) = match first {
        0..=0x7f => (2, usize::from(first)),
        0x80 => {
            // Indefinite: values follow until two zeros.
            let depth = depth.checked_sub(1)?;
            let mut end = 2_usize;
            while bytes.get(end..end.checked_add(2)?)? != [0, 0] {
                end = end.checked_add(measure(bytes.get(end..)?, depth)?.2)?;
            }
            return Some((2, end.checked_sub(2)?, end.checked_add(2)?));
        }
        0x81..=0x84 => {
            let digits = bytes.get(2..2_usize.checked_add(usize::from(first & 0x7f))?)?;
            let length =
                digits.iter().fold(0_usize, |length, &digit| length << 8 | usize::from(digit));
            (digits.len().checked_add(2)?, length)
        }
        _ => return None,
    };
    let total = header.checked_add(length)?;
    (total <= bytes.len()).then_some((header, length, total))
}

/// A value of this tag whose content is these parts, one after the other.
pub(crate) fn tlv(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let mut out = Vec::with_capacity(length.saturating_add(6));
    out.push(tag);
    if length < 0x80 {
        out.push(length as u8);
    } else {
        let digits = (length as u32).to_be_bytes();
        let zeros = digits.iter().take_while(|&&digit| digit == 0).count();
        let digits = digits.get(zeros..).unwrap_or_default();
        out.push(0x80 | digits.len() as u8);
        out.extend_from_slice(digits);
    }
    for part in parts {
        out.extend_from_slice(part);
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Der, tag, tlv};

    proptest! {
        #[test]
        fn what_is_written_is_read(content in prop::collection::vec(any::<u8>(), 0..1000)) {
            let encoded = tlv(tag::OCTET_STRING, &[&content]);
            let mut der = Der::new(&encoded, "test");
            let value = der.expect(tag::OCTET_STRING, "octets").unwrap();
            prop_assert_eq!(value.octets().unwrap(), content);
            prop_assert!(der.is_empty());
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut der = Der::new(&bytes, "test");
            while let Ok(value) = der.next() {
                let _ = value.octets();
                let _ = value.inside().next();
            }
        }
    }

    #[test]
    fn long_lengths_are_written_shortest() {
        // X.690, 8.1.3 and 10.1.
        for (length, header) in [
            (0x7f, &[4, 0x7f][..]),
            (0x80, &[4, 0x81, 0x80]),
            (0xff, &[4, 0x81, 0xff]),
            (0x100, &[4, 0x82, 1, 0]),
            (0x1_0000, &[4, 0x83, 1, 0, 0]),
        ] {
            let encoded = tlv(tag::OCTET_STRING, &[&vec![7; length]]);
            assert_eq!(encoded.get(..header.len()), Some(header));
            let value = Der::new(&encoded, "test").next().unwrap();
            assert_eq!(value.content, vec![7; length]);
        }
    }

    #[test]
    fn indefinite_lengths_are_read() {
        let bytes = [0x24, 0x80, 0x04, 2, 1, 2, 0x04, 1, 3, 0, 0];
        let value = Der::new(&bytes, "test").next().unwrap();
        assert_eq!(value.octets().unwrap(), [1, 2, 3]);
        assert_eq!(value.whole.len(), bytes.len());
        let nested: Vec<u8> = [0x30, 0x80].repeat(100_000);
        assert!(Der::new(&nested, "test").next().is_err());
    }
}
