//! Writes items of a source file again, with the numbers and offsets of the new one.

use super::code_items::emit_code;
use super::item_source::Source;
use crate::chunk::Chunk;
use crate::cursor::{Cursor, Put};
use crate::debug_info::{
    ADVANCE_LINE, ADVANCE_PC, END_LOCAL, END_SEQUENCE, RESTART_LOCAL, SET_FILE, START_LOCAL,
    START_LOCAL_EXTENDED,
};
use crate::encoded_value::{
    Tag, VALUE_ANNOTATION, VALUE_ARRAY, VALUE_ENUM, VALUE_FIELD, VALUE_METHOD, VALUE_METHOD_HANDLE,
    VALUE_METHOD_TYPE, VALUE_STRING, VALUE_TYPE, nested, put_unsigned,
};
use crate::remap::Remap;
use crate::{Result, Section};

impl Source<'_, '_> {
    /// Appends the item at `at`, which ends at or before `limit`.
    pub(crate) fn emit(
        &self,
        section: Section,
        at: u32,
        limit: u32,
        out: &mut Chunk,
    ) -> Result<()> {
        out.bytes.pad_to(section.alignment());
        let mut cursor = Cursor::new(self.dex.data(), at, section);
        let remap = self.remap;
        match section {
            Section::CODE => emit_code(self, at, out),
            Section::ANNOTATION_SETS => offsets(&mut cursor, Section::ANNOTATIONS, out),
            Section::ANNOTATION_SET_REF_LISTS => {
                offsets(&mut cursor, Section::ANNOTATION_SETS, out)
            }
            Section::ANNOTATIONS_DIRECTORIES => directory(&mut cursor, remap, out),
            Section::TYPE_LISTS if !remap.types.is_identity() => {
                let count = cursor.u32()?;
                out.bytes.put_u32(count);
                for _ in 0..count {
                    let ty = u32::from(cursor.u16()?);
                    out.bytes.put_u16(remap.ty(ty, &cursor)? as u16);
                }
                Ok(())
            }
            Section::DEBUG_INFO if !(remap.strings.is_identity() && remap.types.is_identity()) => {
                debug_info(&mut cursor, remap, &mut out.bytes)
            }
            Section::ANNOTATIONS if !remap.is_identity() => {
                out.bytes.push(cursor.u8()?);
                annotation(&mut cursor, remap, &mut out.bytes, 0)
            }
            Section::ENCODED_ARRAYS if !remap.is_identity() => {
                array(&mut cursor, remap, &mut out.bytes, 0)
            }
            _ => {
                let end = super::inventory::item_end(self.dex, section, at)?;
                let end = if section.is_known() { end } else { limit };
                out.bytes.extend_from_slice(cursor.bytes((end.saturating_sub(at)) as usize)?);
                Ok(())
            }
        }
    }
}

fn offsets(cursor: &mut Cursor<'_>, section: Section, out: &mut Chunk) -> Result<()> {
    let count = cursor.u32()?;
    out.bytes.put_u32(count);
    for _ in 0..count {
        out.put_offset(section, cursor.u32()?);
    }
    Ok(())
}

fn directory(cursor: &mut Cursor<'_>, remap: &Remap, out: &mut Chunk) -> Result<()> {
    out.put_offset(Section::ANNOTATION_SETS, cursor.u32()?);
    let counts = [cursor.u32()?, cursor.u32()?, cursor.u32()?];
    for count in counts {
        out.bytes.put_u32(count);
    }
    for (group, count) in counts.into_iter().enumerate() {
        for _ in 0..count {
            let member = cursor.u32()?;
            let member = if group == 0 {
                remap.field(member, cursor)?
            } else {
                remap.method(member, cursor)?
            };
            out.bytes.put_u32(member);
            let section = if group == 2 {
                Section::ANNOTATION_SET_REF_LISTS
            } else {
                Section::ANNOTATION_SETS
            };
            out.put_offset(section, cursor.u32()?);
        }
    }
    Ok(())
}

fn string_p1(cursor: &mut Cursor<'_>, remap: &Remap, out: &mut Vec<u8>) -> Result<()> {
    let id = cursor.uleb_p1()?.map(|id| remap.string(id, cursor)).transpose()?;
    out.put_uleb_p1(id);
    Ok(())
}

fn debug_info(cursor: &mut Cursor<'_>, remap: &Remap, out: &mut Vec<u8>) -> Result<()> {
    out.put_uleb(cursor.uleb()?);
    let parameters = cursor.uleb()?;
    out.put_uleb(parameters);
    for _ in 0..parameters {
        string_p1(cursor, remap, out)?;
    }
    loop {
        let opcode = cursor.u8()?;
        out.push(opcode);
        match opcode {
            END_SEQUENCE => return Ok(()),
            ADVANCE_PC | END_LOCAL | RESTART_LOCAL => out.put_uleb(cursor.uleb()?),
            ADVANCE_LINE => out.put_sleb(cursor.sleb()?),
            START_LOCAL | START_LOCAL_EXTENDED => {
                out.put_uleb(cursor.uleb()?);
                string_p1(cursor, remap, out)?;
                let ty = cursor.uleb_p1()?.map(|id| remap.ty(id, cursor)).transpose()?;
                out.put_uleb_p1(ty);
                if opcode == START_LOCAL_EXTENDED {
                    string_p1(cursor, remap, out)?;
                }
            }
            SET_FILE => string_p1(cursor, remap, out)?,
            _ => {}
        }
    }
}

fn value(cursor: &mut Cursor<'_>, remap: &Remap, out: &mut Vec<u8>, depth: u32) -> Result<()> {
    let tag = Tag::read(cursor)?;
    let bytes = cursor.bytes(tag.payload())?;
    let number = bytes.iter().rev().fold(0_u32, |number, &byte| number << 8 | u32::from(byte));
    let number = match tag.kind {
        VALUE_METHOD_TYPE => remap.proto(number, cursor)?,
        VALUE_METHOD_HANDLE => remap.handle(number, cursor)?,
        VALUE_STRING => remap.string(number, cursor)?,
        VALUE_TYPE => remap.ty(number, cursor)?,
        VALUE_FIELD | VALUE_ENUM => remap.field(number, cursor)?,
        VALUE_METHOD => remap.method(number, cursor)?,
        kind => {
            out.push(kind | tag.argument << 5);
            out.extend_from_slice(bytes);
            return match kind {
                VALUE_ARRAY => array(cursor, remap, out, depth),
                VALUE_ANNOTATION => annotation(cursor, remap, out, depth),
                _ => Ok(()),
            };
        }
    };
    put_unsigned(out, tag.kind, number);
    Ok(())
}

fn array(cursor: &mut Cursor<'_>, remap: &Remap, out: &mut Vec<u8>, depth: u32) -> Result<()> {
    let depth = nested(cursor, depth)?;
    let count = cursor.uleb()?;
    out.put_uleb(count);
    for _ in 0..count {
        value(cursor, remap, out, depth)?;
    }
    Ok(())
}

fn annotation(cursor: &mut Cursor<'_>, remap: &Remap, out: &mut Vec<u8>, depth: u32) -> Result<()> {
    let depth = nested(cursor, depth)?;
    let ty = cursor.uleb()?;
    out.put_uleb(remap.ty(ty, cursor)?);
    let count = cursor.uleb()?;
    out.put_uleb(count);
    for _ in 0..count {
        let name = cursor.uleb()?;
        out.put_uleb(remap.string(name, cursor)?);
        value(cursor, remap, out, depth)?;
    }
    Ok(())
}
