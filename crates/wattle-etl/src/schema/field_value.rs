//! Values of fields.

use std::fmt;

use super::civil::{FileTime, SystemTime};
use crate::event_record::Guid;

/// A field of an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// As the schema calls it.
    pub name: String,
    /// Value of the field.
    pub value: Value,
}

/// Value of a field, by the type that its schema gives it.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing.
    Null,
    /// A number without a sign.
    Unsigned(u64),
    /// A number with one.
    Signed(i64),
    /// A number that is written in hexadecimal: a pointer, flags.
    Hex(u64),
    /// A number with a fraction.
    Float(f64),
    /// Yes or no.
    Boolean(bool),
    /// Text.
    Text(String),
    /// An identity.
    Guid(Guid),
    /// A `FILETIME`: units of 100 ns since the beginning of 1601.
    FileTime(u64),
    /// A `SYSTEMTIME`, as its eight numbers.
    SystemTime([u16; 8]),
    /// Bytes without a meaning that the schema tells.
    Bytes(Vec<u8>),
    /// An array.
    List(Vec<Value>),
    /// A structure.
    Group(Vec<Field>),
}

impl Value {
    /// The number, of what is one.
    pub fn number(&self) -> Option<u64> {
        match self {
            Self::Unsigned(number) | Self::Hex(number) | Self::FileTime(number) => Some(*number),
            Self::Signed(number) => u64::try_from(*number).ok(),
            Self::Boolean(is_so) => Some(u64::from(*is_so)),
            _ => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => Ok(()),
            Self::Unsigned(number) => write!(f, "{number}"),
            Self::Signed(number) => write!(f, "{number}"),
            Self::Hex(number) => write!(f, "{number:#x}"),
            Self::Float(number) => write!(f, "{number}"),
            Self::Boolean(is_so) => write!(f, "{is_so}"),
            Self::Text(text) => f.write_str(text),
            Self::Guid(guid) => write!(f, "{guid}"),
            Self::FileTime(units) => write!(f, "{}", FileTime(*units)),
            Self::SystemTime(numbers) => write!(f, "{}", SystemTime(*numbers)),
            Self::Bytes(bytes) => bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}")),
            Self::List(values) => {
                f.write_str("[")?;
                for (index, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if index == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Self::Group(fields) => {
                f.write_str("{")?;
                for (index, field) in fields.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{}: {}", field.name, field.value)?;
                }
                f.write_str("}")
            }
        }
    }
}
