//! Typed values of attributes.

use std::fmt;
use std::sync::Arc;

/// `Res_value`: what an attribute says, without looking up resources.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// `TYPE_NULL`: nothing.
    Null,
    /// `TYPE_REFERENCE`: the resource of this number.
    Reference(u32),
    /// `TYPE_ATTRIBUTE`: the attribute of a theme.
    ThemeAttribute(u32),
    /// `TYPE_STRING`.
    String(Arc<str>),
    /// `TYPE_FLOAT`.
    Float(f32),
    /// `TYPE_INT_DEC`.
    Integer(i32),
    /// `TYPE_INT_HEX`: flags.
    Hex(u32),
    /// `TYPE_INT_BOOLEAN`.
    Boolean(bool),
    /// Another type: dimensions, fractions, colours.
    Other {
        /// Its number in the format.
        kind: u8,
        /// Its data, undecoded.
        data: u32,
    },
}

impl Value {
    pub(super) const STRING: u8 = 0x03;
    pub(super) const BOOLEAN: u8 = 0x12;

    /// A value that needs no string.
    pub(super) const fn from_data(kind: u8, data: u32) -> Self {
        match kind {
            0x00 => Self::Null,
            0x01 | 0x07 => Self::Reference(data),
            0x02 | 0x08 => Self::ThemeAttribute(data),
            0x04 => Self::Float(f32::from_bits(data)),
            0x10 => Self::Integer(data.cast_signed()),
            0x11 => Self::Hex(data),
            Self::BOOLEAN => Self::Boolean(data != 0),
            _ => Self::Other { kind, data },
        }
    }

    /// The text, if it is text.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The truth value: of a boolean, of a number (0 is false, as Android has it) or of the word.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Boolean(value) => Some(*value),
            Self::Integer(value) => Some(*value != 0),
            Self::Hex(value) => Some(*value != 0),
            Self::String(text) if &**text == "true" => Some(true),
            Self::String(text) if &**text == "false" => Some(false),
            _ => None,
        }
    }

    /// The number: of a number, or of a text that is one.
    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Self::Integer(value) => Some(i64::from(*value)),
            Self::Hex(value) => Some(i64::from(*value)),
            Self::String(text) => text.parse().ok(),
            _ => None,
        }
    }
}

impl fmt::Display for Value {
    /// As it would be written in XML; resources by their number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("@null"),
            Self::Reference(id) => write!(f, "@0x{id:08x}"),
            Self::ThemeAttribute(id) => write!(f, "?0x{id:08x}"),
            Self::String(text) => f.write_str(text),
            Self::Float(value) => write!(f, "{value}"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Hex(value) => write!(f, "0x{value:x}"),
            Self::Boolean(value) => write!(f, "{value}"),
            Self::Other { kind, data } => write!(f, "(type 0x{kind:02x})0x{data:x}"),
        }
    }
}
