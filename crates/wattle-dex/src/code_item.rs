//! Method bodies as they stand in the file.

use crate::cursor::{Cursor, Put};
use crate::decoded::length_at;
use crate::opcode_table::Opcode;
use crate::unit_shape::UnitShape;
use crate::{Decoded, Dex, DexError, Result, Section, TypeId, Units};

/// `code_item`: frame sizes, instructions, try ranges, handlers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeItem<'a> {
    /// Offset of the item.
    pub offset: u32,
    /// Number of registers of the frame.
    pub registers: u16,
    /// Number of words of incoming arguments, at the end of the frame.
    pub ins: u16,
    /// Number of words of outgoing arguments.
    pub outs: u16,
    /// Offset of the `debug_info_item`, 0 for none.
    pub debug_info_off: u32,
    /// The instructions.
    pub units: Units<'a>,
    tries: &'a [u8],
    handlers_at: u32,
    data: &'a [u8],
}

/// `try_item`: a range of instructions and where its handlers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TryItem {
    /// First unit.
    pub start: u32,
    /// Number of units.
    pub count: u16,
    /// Distance of the `encoded_catch_handler` from the start of the list.
    pub handler_off: u16,
}

/// `encoded_catch_handler`: who catches what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CatchHandler {
    /// Caught types and the units of their handlers, in order.
    pub typed: Vec<(TypeId, u32)>,
    /// The unit of the handler of everything else.
    pub catch_all: Option<u32>,
}

impl CatchHandler {
    pub(crate) fn parse(cursor: &mut Cursor<'_>) -> Result<Self> {
        let start = cursor.at();
        let size = cursor.sleb()?;
        let count = size.unsigned_abs();
        if count > 0xffff {
            return Err(cursor.malformed_at(start, "at most 65535 caught types", u64::from(count)));
        }
        let mut typed = Vec::new();
        for _ in 0..count {
            typed.push((TypeId(cursor.uleb()?), cursor.uleb()?));
        }
        let catch_all = if size <= 0 { Some(cursor.uleb()?) } else { None };
        Ok(Self { typed, catch_all })
    }

    fn skip(cursor: &mut Cursor<'_>) -> Result<()> {
        let size = cursor.sleb()?;
        for _ in 0..size.unsigned_abs() {
            cursor.uleb()?;
            cursor.uleb()?;
        }
        if size <= 0 {
            cursor.uleb()?;
        }
        Ok(())
    }

    /// Appends the handler's encoding, with the numbers it has.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        let size = self.typed.len() as i32;
        out.put_sleb(if self.catch_all.is_some() { -size } else { size });
        for (ty, unit) in &self.typed {
            out.put_uleb(ty.0);
            out.put_uleb(*unit);
        }
        if let Some(unit) = self.catch_all {
            out.put_uleb(unit);
        }
    }
}

/// The offset of a handler in its list, as a try range names it.
pub(crate) fn handler_offset(at: u32) -> Result<u16> {
    u16::try_from(at).map_err(|_| DexError::TooMany {
        pool: Section::CODE,
        found: u64::from(at),
        limit: 65535,
    })
}

impl<'a> CodeItem<'a> {
    pub(crate) fn parse(data: &'a [u8], at: u32) -> Result<Self> {
        let mut cursor = Cursor::new(data, at, Section::CODE);
        let (registers, ins, outs, tries) =
            (cursor.u16()?, cursor.u16()?, cursor.u16()?, cursor.u16()?);
        let debug_info_off = cursor.u32()?;
        let units = cursor.u32()?;
        let units = Units::new(cursor.bytes((units as usize).saturating_mul(2))?);
        if tries > 0 {
            cursor.align(4);
        }
        let tries = cursor.bytes(usize::from(tries) * 8)?;
        let handlers_at = cursor.at();
        Ok(Self {
            offset: at,
            registers,
            ins,
            outs,
            debug_info_off,
            units,
            tries,
            handlers_at,
            data,
        })
    }

    /// Offset of the item's end.
    pub(crate) fn end(&self) -> Result<u32> {
        if self.tries.is_empty() {
            return Ok(self.handlers_at);
        }
        let mut cursor = self.handlers();
        for _ in 0..cursor.uleb()? {
            CatchHandler::skip(&mut cursor)?;
        }
        Ok(cursor.at())
    }

    pub(crate) fn handlers(&self) -> Cursor<'a> {
        Cursor::new(self.data, self.handlers_at, Section::CODE)
    }

    /// Number of try ranges.
    pub fn tries_len(&self) -> usize {
        self.tries.len() / 8
    }

    /// The try ranges in order.
    pub fn tries(&self) -> impl Iterator<Item = TryItem> + 'a {
        self.tries.chunks_exact(8).map(|item| TryItem {
            start: u32::from_le_bytes([item[0], item[1], item[2], item[3]]),
            count: u16::from_le_bytes([item[4], item[5]]),
            handler_off: u16::from_le_bytes([item[6], item[7]]),
        })
    }

    /// The handlers of a try range.
    pub fn handler(&self, handler_off: u16) -> Result<CatchHandler> {
        let mut cursor =
            Cursor::new(self.data, self.handlers_at + u32::from(handler_off), Section::CODE);
        CatchHandler::parse(&mut cursor)
    }

    /// The instructions with their addresses, payloads left out. An error ends them.
    pub fn instructions(&self) -> impl Iterator<Item = Result<(u32, Decoded)>> + 'a {
        let (units, offset) = (self.units, u64::from(self.offset));
        let mut at = 0;
        std::iter::from_fn(move || {
            while at < units.len() {
                let here = at;
                let Some(length) = length_at(units, here) else {
                    at = u32::MAX;
                    let found = u64::from(units.get(here).unwrap_or(0));
                    let expected = "an instruction that ends inside the code";
                    return Some(Err(DexError::Instruction {
                        offset,
                        unit: here,
                        expected,
                        found,
                    }));
                };
                at += length;
                if let Some(decoded) = Decoded::at(units, here) {
                    return Some(Ok((here, decoded)));
                }
                // What has a length and is no instruction is a payload, unless registers are wrong.
                let found = u64::from(units.get(here).unwrap_or(0));
                if found & 0xff != 0 {
                    at = u32::MAX;
                    let expected = "at most five registers";
                    return Some(Err(DexError::Instruction {
                        offset,
                        unit: here,
                        expected,
                        found,
                    }));
                }
            }
            None
        })
    }
}

impl CodeItem<'_> {
    /// The opcodes with their addresses: what [`CodeItem::instructions`] gives, in a fraction of the time. An error ends them.
    pub fn opcodes(&self) -> impl Iterator<Item = Result<(u32, Opcode)>> {
        let (units, offset) = (self.units, u64::from(self.offset));
        let mut at = 0;
        std::iter::from_fn(move || {
            while let Some(unit) = units.get(at) {
                let (here, opcode) = (at, Opcode(unit as u8));
                let shape = UnitShape::of(unit);
                let is_payload = opcode == Opcode::NOP && unit != 0;
                let length = if is_payload { length_at(units, here) } else { Some(shape.length()) };
                let end = length.and_then(|it| here.checked_add(it).filter(|end| *end > here));
                let expected = if shape.lists_registers() && unit >> 12 > 5 {
                    Some("at most five registers")
                } else if end.is_none_or(|end| end > units.len()) {
                    Some("an instruction that ends inside the code")
                } else {
                    None
                };
                at = end.unwrap_or(u32::MAX);
                if let Some(expected) = expected {
                    at = u32::MAX;
                    let found = u64::from(unit);
                    return Some(Err(DexError::Instruction {
                        offset,
                        unit: here,
                        expected,
                        found,
                    }));
                }
                if !is_payload {
                    return Some(Ok((here, opcode)));
                }
            }
            None
        })
    }
}

impl<'a> Dex<'a> {
    /// The method body at an offset.
    pub fn code(&self, at: u32) -> Result<CodeItem<'a>> {
        CodeItem::parse(self.data(), at)
    }
}
