//! Schemas that TraceLogging events bring along: `EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL` and `EVENT_HEADER_EXT_TYPE_PROV_TRAITS`.
//!
//! Source: `TraceLoggingProvider.h` of the Windows SDK (`_TlgEventMetadata_t`, `TlgIn_t`, `TlgOut_t`).

use wattle_wire::{ByteCursor, ByteOrder};

use super::field_layout::{Amount, DEEPEST, FieldLayout};
use super::field_type::{InType, OutType};

/// `EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL`.
const SCHEMA: u16 = 11;
/// `EVENT_HEADER_EXT_TYPE_PROV_TRAITS`.
const TRAITS: u16 = 12;

/// Bits of a type's byte: what it is, whether it is an array, whether another byte follows.
const TYPE: u8 = 0x1f;
const COUNT: u8 = 0x60;
const FIXED_COUNT: u8 = 0x20;
const VARIABLE_COUNT: u8 = 0x40;
const CHAIN: u8 = 0x80;

/// Schema in the extended data items of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Metadata<'a> {
    /// The event's name and fields.
    pub schema: Option<&'a [u8]>,
    /// The provider's name.
    pub traits: Option<&'a [u8]>,
}

impl<'a> Metadata<'a> {
    /// Of extended data items as they lie in a log: size, type, linkage and length (two bytes each), data, padding to eight bytes.
    pub fn from_items(mut items: &'a [u8]) -> Self {
        let mut metadata = Self::default();
        while let Some(([_, _, kind_low, kind_high, linkage, _, low, high], rest)) =
            items.split_first_chunk::<8>()
        {
            let length = usize::from(u16::from_le_bytes([*low, *high]));
            let Some(data) = rest.get(..length) else { break };
            match u16::from_le_bytes([*kind_low, *kind_high]) {
                SCHEMA => metadata.schema = Some(data),
                TRAITS => metadata.traits = Some(data),
                _ => {}
            }
            if linkage & 1 == 0 {
                break;
            }
            items = rest.get(length.next_multiple_of(8)..).unwrap_or_default();
        }
        metadata
    }
}

/// The name in a provider's traits, which begin with their length.
pub(super) fn provider_name(traits: &[u8]) -> Option<String> {
    let mut reader = Reader { cursor: ByteCursor::new(traits, 2, ByteOrder::LITTLE) };
    reader.name().filter(|name| !name.is_empty())
}

/// The name of an event; the cheap half of [`event`].
pub(super) fn event_name(schema: &[u8]) -> Option<String> {
    header(schema).map(|(name, _)| name)
}

/// An event's name and fields. Fields end before the first that is not understood: nothing behind it could be found.
pub(super) fn event(schema: &[u8]) -> Option<(String, Vec<FieldLayout>)> {
    let (name, mut reader) = header(schema)?;
    let mut fields = Vec::new();
    while !reader.cursor.rest().is_empty() {
        let Some(field) = reader.field(0) else { break };
        fields.push(field);
    }
    Some((name, fields))
}

/// Length, tags, name; fields follow.
fn header(schema: &[u8]) -> Option<(String, Reader<'_>)> {
    let length = usize::from(ByteOrder::LITTLE.half(schema, 0)?);
    let bytes = schema.get(..length.min(schema.len()))?;
    let mut reader = Reader { cursor: ByteCursor::new(bytes, 2, ByteOrder::LITTLE) };
    reader.chain()?;
    let name = reader.name()?;
    Some((name, reader))
}

struct Reader<'a> {
    cursor: ByteCursor<'a>,
}

impl Reader<'_> {
    /// Tags: bytes as long as each has its highest bit set.
    fn chain(&mut self) -> Option<()> {
        while self.cursor.u8()? & CHAIN != 0 {}
        Some(())
    }

    /// UTF-8 up to a zero.
    fn name(&mut self) -> Option<String> {
        self.cursor.text().map(|name| String::from_utf8_lossy(name).into_owned())
    }

    fn field(&mut self, depth: usize) -> Option<FieldLayout> {
        let name = self.name()?;
        let in_byte = self.cursor.u8()?;
        let mut out_byte = 0;
        if in_byte & CHAIN != 0 {
            out_byte = self.cursor.u8()?;
            if out_byte & CHAIN != 0 {
                self.chain()?;
            }
        }
        let out_byte = out_byte & !CHAIN;
        let in_type = InType::from_number(u16::from(in_byte & TYPE))?;
        let count = match in_byte & COUNT {
            0 => None,
            FIXED_COUNT => Some(Amount::Fixed(self.cursor.u16()?)),
            VARIABLE_COUNT => Some(Amount::Before),
            // A type of the provider's own: bytes, with a description that only it understands.
            _ => {
                let length = self.cursor.u16()?;
                self.cursor.take(usize::from(length))?;
                let custom = FieldLayout::new(name, InType::CountedBinary, OutType::Plain);
                return Some(custom);
            }
        };
        let mut layout = FieldLayout {
            count,
            ..FieldLayout::new(name, in_type, OutType::of_trace_logging(out_byte))
        };
        match in_type {
            InType::Struct => {
                if depth >= DEEPEST {
                    return None;
                }
                for _ in 0..out_byte {
                    layout.members.push(self.field(depth + 1)?);
                }
            }
            // Here bytes always have their number before them.
            InType::Binary => layout.in_type = InType::CountedBinary,
            _ => {}
        }
        Some(layout)
    }
}
