//! The fields of a record that are read, by the description of its event.

use std::collections::BTreeMap;

use super::event_format::{Field, FieldKind, Format};
use crate::kernel::{EventFields, EventKind};
use wattle_wire::ByteOrder;

/// The most fields that are read of any event.
const MAX_PLACES: usize = 5;

/// Position of a field in a record.
#[derive(Clone, Copy, Debug)]
struct Place {
    offset: usize,
    size: usize,
    kind: FieldKind,
}

impl Place {
    fn from_field(field: &Field) -> Self {
        Self { offset: field.offset, size: field.size, kind: field.kind }
    }
}

/// Reading plan for the records of one event.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The number of its name among the counts.
    pub name: usize,
    /// Kind of the event, if it has a reader.
    pub kind: Option<EventKind>,
    pid: Option<Place>,
    places: [Option<Place>; MAX_PLACES],
}

impl Plan {
    /// Finds the fields.
    pub fn new(format: &Format, name: usize, kind: Option<EventKind>) -> Self {
        let mut places = [None; MAX_PLACES];
        let wanted = kind.map_or(&[][..], EventKind::fields);
        for (place, names) in places.iter_mut().zip(wanted) {
            *place = names.split('|').find_map(|name| format.field(name)).map(Place::from_field);
        }
        Self { name, kind, pid: format.field("common_pid").map(Place::from_field), places }
    }
}

/// A record of an event.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The record.
    pub bytes: &'a [u8],
    /// Positions of its fields.
    pub plan: &'a Plan,
    /// The order of bytes.
    pub order: ByteOrder,
    /// Texts by their addresses in the kernel.
    pub constants: &'a BTreeMap<u64, Vec<u8>>,
}

impl<'a> Record<'a> {
    /// The thread that was on the CPU.
    #[inline]
    pub fn tid(&self) -> u32 {
        self.plan.pid.and_then(|place| self.number_at(place)).map_or(0, |tid| tid as u32)
    }

    #[inline]
    fn number_at(&self, place: Place) -> Option<u64> {
        let bytes = self.bytes.get(place.offset..place.offset.checked_add(place.size)?)?;
        let value = self.order.number(bytes)?;
        let is_signed = matches!(place.kind, FieldKind::Number { is_signed: true });
        let bits = 8 * place.size as u32;
        if is_signed && bits < u64::BITS && value >> (bits - 1) != 0 {
            return Some(value | u64::MAX << bits);
        }
        Some(value)
    }

    #[inline]
    fn text_at(&self, place: Place) -> Option<&'a [u8]> {
        let text = match place.kind {
            FieldKind::Characters => {
                self.bytes.get(place.offset..place.offset.checked_add(place.size)?)?
            }
            FieldKind::Rest => self.bytes.get(place.offset..)?,
            FieldKind::Elsewhere | FieldKind::ElsewhereBehind => {
                let word = self.number_at(place)?;
                let (start, length) = ((word & 0xffff) as usize, (word >> 16 & 0xffff) as usize);
                let behind = place.kind == FieldKind::ElsewhereBehind;
                let start = if behind { start + place.offset + place.size } else { start };
                self.bytes.get(start..start + length)?
            }
            FieldKind::Address => {
                return self.constants.get(&self.number_at(place)?).map(Vec::as_slice);
            }
            FieldKind::Number { .. } => return None,
        };
        Some(text.split(|byte| *byte == 0).next().unwrap_or_default())
    }
}

impl<'a> EventFields<'a> for Record<'a> {
    #[inline]
    fn number(&self, place: usize) -> Option<u64> {
        self.number_at((*self.plan.places.get(place)?)?)
    }

    #[inline]
    fn text(&self, place: usize) -> Option<&'a [u8]> {
        self.text_at((*self.plan.places.get(place)?)?)
    }
}
