//! The value of a field, by its wire type.

use crate::{PackedVarints, unzigzag};

/// Value of a field. The reader must know the type of the number behind it; the conversions give zero or nothing for
/// another wire type, as protobuf decoders ignore fields of a wrong type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// `int32`, `int64`, `uint32`, `uint64`, `sint32`, `sint64`, `bool`, enumerations.
    Varint(u64),
    /// `fixed64`, `sfixed64`, `double`.
    I64(u64),
    /// `string`, `bytes`, messages, packed repeated numbers.
    Len(&'a [u8]),
    /// `fixed32`, `sfixed32`, `float`.
    I32(u32),
}

impl<'a> Value<'a> {
    /// As an unsigned number, from a varint or a fixed one.
    #[inline]
    pub const fn uint(self) -> u64 {
        match self {
            Self::Varint(value) | Self::I64(value) => value,
            Self::I32(value) => value as u64,
            Self::Len(_) => 0,
        }
    }

    /// As an `int32` or `int64`; a fixed 32-bit number is extended with its sign.
    #[inline]
    pub const fn int(self) -> i64 {
        match self {
            Self::Varint(value) | Self::I64(value) => value as i64,
            Self::I32(value) => value as i32 as i64,
            Self::Len(_) => 0,
        }
    }

    /// As a `sint32` or `sint64`.
    #[inline]
    pub const fn sint(self) -> i64 {
        match self {
            Self::Varint(value) => unzigzag(value),
            _ => self.int(),
        }
    }

    /// As a `bool`.
    #[inline]
    pub const fn bool(self) -> bool {
        self.uint() != 0
    }

    /// As a `double` or `float`.
    #[inline]
    pub const fn float(self) -> f64 {
        match self {
            Self::I64(bits) => f64::from_bits(bits),
            Self::I32(bits) => f32::from_bits(bits) as f64,
            _ => 0.0,
        }
    }

    /// The bytes of a string, of bytes or of a message.
    #[inline]
    pub const fn bytes(self) -> &'a [u8] {
        match self {
            Self::Len(bytes) => bytes,
            _ => &[],
        }
    }

    /// The numbers of a repeated varint field, be it packed or a single one.
    #[inline]
    pub const fn varints(self) -> PackedVarints<'a> {
        match self {
            Self::Len(bytes) => PackedVarints::new(bytes),
            Self::Varint(value) => PackedVarints::single(value),
            Self::I64(_) | Self::I32(_) => PackedVarints::new(&[]),
        }
    }
}
