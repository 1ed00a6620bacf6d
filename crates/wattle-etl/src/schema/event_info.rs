//! Facts that Windows knew about an event when the log was merged (`TRACE_EVENT_INFO`, events 32 of
//! `KernelTraceControl`'s metadata).

use super::field_layout::{Amount, DEEPEST, FieldLayout};
use super::field_type::{InType, OutType};
use super::metadata_block::Block;
use crate::event_record::Guid;

/// Bytes before the properties.
const HEAD: usize = 112;
/// Bytes of an `EVENT_PROPERTY_INFO`.
const PROPERTY: usize = 24;
/// Fields of one event that are kept. The smallest takes [`PROPERTY`] bytes of at most 64 KiB, but structures may share them.
const MOST_FIELDS: usize = 4096;

/// `PROPERTY_FLAGS`.
mod flag {
    pub const STRUCT: u32 = 1;
    pub const LENGTH_IN_FIELD: u32 = 2;
    pub const COUNT_IN_FIELD: u32 = 4;
    pub const FIXED_COUNT: u32 = 0x20;
}

/// An event's names and fields.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct EventInfo {
    pub provider: Guid,
    pub id: u16,
    pub version: u8,
    pub opcode: u8,
    pub provider_name: Option<String>,
    pub task: Option<String>,
    pub opcode_name: Option<String>,
    pub fields: Vec<FieldLayout>,
    /// Which map each field's values are named by: its place in `fields`, and the map's name.
    pub maps: Vec<(usize, String)>,
}

impl EventInfo {
    /// Of an event's payload; `None` where it is too short to be one.
    pub fn read(payload: &[u8]) -> Option<Self> {
        let block = Block(payload);
        let provider = Guid::from_bytes(*payload.first_chunk()?);
        let count = (block.u32(100)? as usize).min(payload.len() / PROPERTY);
        let top = (block.u32(104)? as usize).min(count);
        let mut left = MOST_FIELDS;
        let fields = (0..top).map_while(|index| field(block, count, index, 0, &mut left)).collect();
        let maps = (0..top).filter_map(|index| {
            let at = HEAD + index * PROPERTY;
            let is_struct = block.u32(at)? & flag::STRUCT != 0;
            Some((index, block.text_at(at + 12).filter(|_| !is_struct)?))
        });
        Some(Self {
            provider,
            id: block.u16(32)?,
            version: *payload.get(34)?,
            opcode: *payload.get(37)?,
            provider_name: block.text_at(52),
            task: block.text_at(68),
            opcode_name: block.text_at(72),
            fields,
            maps: maps.collect(),
        })
    }
}

/// One property; structures with theirs.
fn field(
    block: Block<'_>,
    count: usize,
    index: usize,
    depth: usize,
    left: &mut usize,
) -> Option<FieldLayout> {
    *left = left.checked_sub(1)?;
    let at = HEAD + index * PROPERTY;
    let flags = block.u32(at)?;
    let name = block.text_at(at + 4).unwrap_or_default();
    let (first, second) = (block.u16(at + 8)?, block.u16(at + 10)?);
    let name_of = |index: u16| {
        let index = usize::from(index);
        (index < count).then(|| block.text_at(HEAD + index * PROPERTY + 4))?
    };
    let (number, length) = (block.u16(at + 16)?, block.u16(at + 18)?);
    let mut layout = if flags & flag::STRUCT != 0 {
        let mut layout = FieldLayout::new(name, InType::Struct, OutType::Plain);
        let start = usize::from(first);
        let end = start + usize::from(second);
        // Members come after all that is not one: a structure cannot be in itself.
        if depth >= DEEPEST || start <= index || end > count {
            return None;
        }
        for member in start..end {
            layout.members.push(field(block, count, member, depth + 1, left)?);
        }
        layout
    } else {
        FieldLayout::new(name, InType::from_number(first)?, OutType::of_tdh(second))
    };
    layout.count = match number {
        _ if flags & flag::COUNT_IN_FIELD != 0 => Some(Amount::Field(name_of(number)?)),
        2.. => Some(Amount::Fixed(number)),
        _ if flags & flag::FIXED_COUNT != 0 => Some(Amount::Fixed(number)),
        _ => None,
    };
    let has_own = !matches!(layout.in_type, InType::Utf16 | InType::Text | InType::Binary);
    layout.length = match length {
        _ if flags & flag::LENGTH_IN_FIELD != 0 => Some(Amount::Field(name_of(length)?)),
        0 => None,
        // Of numbers it only says how long the type is.
        _ if has_own => None,
        length => Some(Amount::Fixed(length)),
    };
    Some(layout)
}
