//! Writes a method body again without decoding it: only the numbers inside change.

use super::item_source::Source;
use crate::chunk::Chunk;
use crate::code::Assembler;
use crate::code_item::{CatchHandler, CodeItem, handler_offset};
use crate::cursor::Put;
use crate::decoded::length_at;
use crate::opcode_info::IndexKind;
use crate::opcode_table::Opcode;
use crate::remap::Remap;
use crate::{DexError, Result, Section, Units};

/// Appends the body at an offset.
pub(crate) fn emit_code(source: &Source<'_, '_>, at: u32, out: &mut Chunk) -> Result<()> {
    let remap = source.remap;
    let code = source.dex.code(at)?;
    out.bytes.put_u16(code.registers);
    out.bytes.put_u16(code.ins);
    out.bytes.put_u16(code.outs);
    out.bytes.put_u16(code.tries_len() as u16);
    out.put_offset(Section::DEBUG_INFO, code.debug_info_off);
    out.bytes.put_u32(code.units.len());
    let start = out.bytes.len();
    out.bytes.extend_from_slice(code.units.bytes());
    if !remap.is_code_identity()
        && let Some(units) = out.bytes.get_mut(start..)
        && !renumber(units, code.units, remap, at)?
    {
        // A string number has outgrown `const-string`: the body needs a new layout.
        out.bytes.truncate(start - 16);
        out.fixups.pop_if(|fixup| fixup.at as usize >= start - 16);
        return Assembler::reassemble(source.dex, &code, remap, out);
    }
    if code.tries_len() > 0 {
        out.bytes.pad_to(4);
        if remap.types.is_identity() {
            let (from, to) =
                (code.handlers().at() as usize - code.tries_len() * 8, code.end()? as usize);
            out.bytes.extend_from_slice(source.dex.data().get(from..to).unwrap_or_default());
        } else {
            tries(&code, remap, &mut out.bytes)?;
        }
    }
    Ok(())
}

/// Replaces the numbers in a copy of the instructions. False: a string needs the jumbo form.
fn renumber(copy: &mut [u8], units: Units<'_>, remap: &Remap, offset: u32) -> Result<bool> {
    let place = (Section::CODE, offset);
    let mut at = 0;
    while at < units.len() {
        let Some(length) = length_at(units, at) else {
            return Err(DexError::Instruction {
                offset: u64::from(offset),
                unit: at,
                expected: "an instruction that ends inside the code",
                found: u64::from(units.get(at).unwrap_or(0)),
            });
        };
        let unit = units.get(at).unwrap_or(0);
        let opcode = Opcode(unit as u8);
        let kind = opcode.info().map_or(IndexKind::None, |info| info.index);
        if kind != IndexKind::None {
            let index = u32::from(units.get(at + 1).unwrap_or(0));
            let wide = opcode == Opcode::CONST_STRING_JUMBO;
            let new = match kind {
                IndexKind::String if wide => {
                    remap.string(units.get_u32(at + 1).unwrap_or(0), &place)?
                }
                IndexKind::String => remap.string(index, &place)?,
                IndexKind::Type => remap.ty(index, &place)?,
                IndexKind::Field => remap.field(index, &place)?,
                IndexKind::Method | IndexKind::Polymorphic => remap.method(index, &place)?,
                IndexKind::CallSite => remap.call_site(index, &place)?,
                IndexKind::MethodHandle => remap.handle(index, &place)?,
                IndexKind::Proto => remap.proto(index, &place)?,
                IndexKind::None => index,
            };
            if !wide && new > 0xffff {
                return Ok(false);
            }
            put(copy, at + 1, new as u16);
            if wide {
                put(copy, at + 2, (new >> 16) as u16);
            }
            if kind == IndexKind::Polymorphic {
                let proto = remap.proto(u32::from(units.get(at + 3).unwrap_or(0)), &place)?;
                put(copy, at + 3, proto as u16);
            }
        }
        at += length;
    }
    Ok(true)
}

fn put(copy: &mut [u8], unit: u32, value: u16) {
    let at = unit as usize * 2;
    if let Some(bytes) = copy.get_mut(at..at + 2) {
        bytes.copy_from_slice(&value.to_le_bytes());
    }
}

/// Writes try ranges and handlers with new type numbers, whose length may change.
fn tries(code: &CodeItem<'_>, remap: &Remap, out: &mut Vec<u8>) -> Result<()> {
    let mut cursor = code.handlers();
    let base = cursor.at();
    let count = cursor.uleb()?;
    let mut list = Vec::new();
    list.put_uleb(count);
    let mut moved = Vec::new();
    for _ in 0..count {
        moved.push((cursor.at() - base, list.len() as u32));
        let mut handler = CatchHandler::parse(&mut cursor)?;
        for (ty, _) in &mut handler.typed {
            ty.0 = remap.ty(ty.0, &cursor)?;
        }
        handler.put(&mut list);
    }
    for item in code.tries() {
        let found = moved.binary_search_by_key(&u32::from(item.handler_off), |&(old, _)| old);
        let new = found.ok().and_then(|index| moved.get(index)).ok_or_else(|| {
            cursor.malformed_at(
                code.offset,
                "a try range that names a handler",
                u64::from(item.handler_off),
            )
        })?;
        out.put_u32(item.start);
        out.put_u16(item.count);
        out.put_u16(handler_offset(new.1)?);
    }
    out.extend(list);
    Ok(())
}
