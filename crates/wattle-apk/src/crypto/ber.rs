//! BER rewritten as DER.
//!
//! The `der` crate refuses indefinite lengths, lengths with leading zeros and strings in several parts. Key stores of
//! Bouncy Castle and NSS and signature blocks of old signing programs have all of them.
//!
//! ```text
//! 30 80 │ 24 80 │ 04 02 01 02 │ 04 01 03 │ 00 00 │ 00 00    BER
//! 30 05 │ 04 03   01 02         03                          DER
//! ```

use der::asn1::OctetStringRef;
use der::{Decode as _, Encode as _, Length, Reader as _, SliceReader};

/// Nesting of values of indefinite length, which ends the recursion on hostile input.
const DEPTH: usize = 32;
const CONSTRUCTED: u8 = 0x20;
const OCTET_STRING: u8 = 0x04;
const END_OF_CONTENTS: [u8; 2] = [0, 0];

/// The first value of `ber` as it is and in DER, or the offset at which it is incomplete.
///
/// A part of definite length whose content is no sequence of values is copied: nobody may ever look at it.
pub(super) fn first(ber: &[u8]) -> Result<(&[u8], Vec<u8>), usize> {
    let mut rest = ber;
    let mut der = Vec::with_capacity(ber.len());
    let rewritten = rewrite(&mut rest, &mut der, DEPTH);
    let end = ber.len().saturating_sub(rest.len());
    rewritten.map(|()| (ber.get(..end).unwrap_or_default(), der)).ok_or(end)
}

/// Moves one value from the start of `input` to the end of `out`.
fn rewrite(input: &mut &[u8], out: &mut Vec<u8>, depth: usize) -> Option<()> {
    let (&[tag, first], rest) = input.split_first_chunk()?;
    // Tags of several bytes are in none of the structures that are read here.
    if tag & 0x1f == 0x1f {
        return None;
    }
    let content = if first == 0x80 {
        let depth = depth.checked_sub(1)?;
        *input = rest;
        let mut content = Vec::new();
        while !input.starts_with(&END_OF_CONTENTS) {
            rewrite(input, &mut content, depth)?;
        }
        *input = input.get(END_OF_CONTENTS.len()..)?;
        content
    } else {
        let (length, rest) = definite_length(first, rest)?;
        let (content, rest) = rest.split_at_checked(length)?;
        *input = rest;
        let parts = (tag & CONSTRUCTED != 0).then(|| rewrite_all(content, depth)).flatten();
        parts.unwrap_or_else(|| content.to_vec())
    };
    let (tag, content) = match joined(tag, &content) {
        Some(octets) => (OCTET_STRING, octets),
        None => (tag, content),
    };
    out.push(tag);
    Length::try_from(content.len()).ok()?.encode_to_vec(out).ok()?;
    out.extend_from_slice(&content);
    Some(())
}

/// The values inside a constructed one.
fn rewrite_all(mut content: &[u8], depth: usize) -> Option<Vec<u8>> {
    let depth = depth.checked_sub(1)?;
    let mut out = Vec::with_capacity(content.len());
    while !content.is_empty() {
        rewrite(&mut content, &mut out, depth)?;
    }
    Some(out)
}

fn definite_length(first: u8, rest: &[u8]) -> Option<(usize, &[u8])> {
    match first {
        0..=0x7f => Some((usize::from(first), rest)),
        0x81..=0x84 => {
            let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            let length = digits.iter().fold(0, |length, &digit| length << 8 | usize::from(digit));
            Some((length, rest))
        }
        _ => None,
    }
}

/// The octets of an OCTET STRING in parts, whose own parts are rewritten already.
fn joined(tag: u8, parts: &[u8]) -> Option<Vec<u8>> {
    if tag != OCTET_STRING | CONSTRUCTED {
        return None;
    }
    join(parts).ok()
}

/// The octets of consecutive OCTET STRINGs.
pub(super) fn join(parts: &[u8]) -> der::Result<Vec<u8>> {
    let mut octets = Vec::with_capacity(parts.len());
    let mut reader = SliceReader::new(parts)?;
    while !reader.is_finished() {
        octets.extend_from_slice(OctetStringRef::decode(&mut reader)?.as_bytes());
    }
    Ok(octets)
}

#[cfg(test)]
mod tests {
    use der::asn1::OctetString;
    use der::{Decode as _, Encode as _};
    use proptest::prelude::*;

    fn to_der(ber: &[u8]) -> Result<Vec<u8>, usize> {
        super::first(ber).map(|(_, der)| der)
    }

    #[test]
    fn indefinite_lengths_and_parts_become_der() {
        // X.690, 8.1.3.6 and 8.7.3.2; the last two bytes are behind the value.
        let ber = [0x30, 0x80, 0x24, 0x80, 4, 2, 1, 2, 4, 1, 3, 0, 0, 0, 0, 9, 9];
        assert_eq!(to_der(&ber).unwrap(), [0x30, 5, 4, 3, 1, 2, 3]);
        let long = [0x30, 0x82, 0, 4, 4, 0x81, 1, 7];
        assert_eq!(to_der(&long).unwrap(), [0x30, 3, 4, 1, 7]);
    }

    #[test]
    fn what_is_cut_short_is_refused_where_it_ends() {
        assert_eq!(to_der(&[0x30, 0x80, 4, 1, 7]), Err(5));
        assert_eq!(to_der(&[0x30, 0x05, 4, 1, 7]), Err(0));
        assert!(to_der(&[0x30, 0x80].repeat(100_000)).is_err());
        // Not looked at, so not refused.
        assert_eq!(to_der(&[0x30, 2, 4, 9]).unwrap(), [0x30, 2, 4, 9]);
    }

    proptest! {
        #[test]
        fn der_stays_as_it_is(contents in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..4)) {
            let strings: Vec<OctetString> =
                contents.iter().map(|content| OctetString::new(content.as_slice()).unwrap()).collect();
            let der = vec![strings].to_der().unwrap();
            prop_assert_eq!(to_der(&der).unwrap(), der.clone());
            prop_assert!(<Vec<Vec<OctetString>>>::from_der(&der).is_ok());
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(der) = to_der(&bytes) {
                prop_assert_eq!(to_der(&der), Ok(der));
            }
        }
    }
}
