//! Structures in DER that certificates, signature blocks and key stores share, over the `der` crate.
//!
//! The `x509-cert`, `cms` and `pkcs12` crates are not used. They decode every part, and so refuse a file for parts that
//! Android never looks at: a date out of range, a long serial number, a broken certificate that nobody uses.

use der::asn1::{AnyRef, ObjectIdentifier};
use der::{
    Decode, DecodeValue, Encode, EncodeValue, FixedTag, Header, Length, Reader, Sequence, Tag,
    Tagged as _, Writer,
};
use rsa::BigUint;

use crate::ApkError;
use crate::crypto::ber;

/// The first value of `bytes`, which may be BER, in DER. `what` names it in errors.
pub(crate) fn to_der(bytes: &[u8], what: &'static str) -> Result<Vec<u8>, ApkError> {
    first(bytes, what).map(|(_, der)| der)
}

/// The first value of `bytes`, as it is and in DER. `what` names it in errors.
pub(crate) fn first<'a>(
    bytes: &'a [u8],
    what: &'static str,
) -> Result<(&'a [u8], Vec<u8>), ApkError> {
    ber::first(bytes).map_err(|offset| {
        let problem = "a complete value expected".to_owned();
        ApkError::Der { what, offset: offset as u64, problem }
    })
}

/// Reads a structure in DER. `what` names it in errors.
pub(crate) fn read<'a, T: Decode<'a>>(der: &'a [u8], what: &'static str) -> Result<T, ApkError> {
    T::from_der(der).map_err(|error| malformed(what, error))
}

/// An error of `der` with the name of what was read.
pub(crate) fn malformed(what: &'static str, error: der::Error) -> ApkError {
    let offset = error.position().map_or(0, u32::from);
    ApkError::Der { what, offset: offset.into(), problem: error.kind().to_string() }
}

/// SET OF in the order of the file. The sets of `der` sort their elements, and refuse two that are equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SetOf<T>(pub(crate) Vec<T>);

impl<T> FixedTag for SetOf<T> {
    const TAG: Tag = Tag::Set;
}

impl<'a, T: Decode<'a>> DecodeValue<'a> for SetOf<T> {
    fn decode_value<R: Reader<'a>>(reader: &mut R, header: Header) -> der::Result<Self> {
        reader.read_nested(header.length, |reader| {
            let mut elements = Vec::new();
            while !reader.is_finished() {
                elements.push(T::decode(reader)?);
            }
            Ok(Self(elements))
        })
    }
}

impl<T: Encode> EncodeValue for SetOf<T> {
    fn value_len(&self) -> der::Result<Length> {
        self.0.iter().try_fold(Length::ZERO, |length, element| length + element.encoded_len()?)
    }

    fn encode_value(&self, writer: &mut impl Writer) -> der::Result<()> {
        self.0.iter().try_for_each(|element| element.encode(writer))
    }
}

/// `ContentInfo` of PKCS#7 and PKCS#12 (RFC 2315, 7).
#[derive(Debug, Clone, PartialEq, Eq, Sequence)]
pub(crate) struct ContentInfo<'a> {
    pub(crate) kind: ObjectIdentifier,
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT", optional = "true")]
    pub(crate) content: Option<AnyRef<'a>>,
}

/// `Attribute` of signers and of bags in key stores (RFC 2985).
#[derive(Debug, Clone, PartialEq, Eq, Sequence)]
pub(crate) struct Attribute<'a> {
    pub(crate) kind: ObjectIdentifier,
    pub(crate) values: SetOf<AnyRef<'a>>,
}

/// The octets of an OCTET STRING, also of one with an implicit tag, whose parts [`to_der`] cannot know to be parts.
pub(crate) fn octets(string: AnyRef<'_>) -> der::Result<Vec<u8>> {
    if string.tag().is_constructed() {
        ber::join(string.value())
    } else {
        Ok(string.value().to_vec())
    }
}

/// An INTEGER as a number that is not negative, whatever its first bit: old programs forgot the leading zero.
pub(crate) fn unsigned(integer: AnyRef<'_>) -> der::Result<BigUint> {
    integer.tag().assert_eq(Tag::Integer)?;
    Ok(BigUint::from_bytes_be(integer.value()))
}

/// Text in UTF-16 (BMPString).
pub(crate) fn utf16(bytes: &[u8]) -> String {
    let (units, _) = bytes.as_chunks();
    let units: Vec<u16> = units.iter().copied().map(u16::from_be_bytes).collect();
    String::from_utf16_lossy(&units)
}
