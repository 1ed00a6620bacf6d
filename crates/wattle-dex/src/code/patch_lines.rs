//! The line program of a body around which instructions are put.

use super::debug::LineWriter;
use super::patch::{NewPlaces, Subject};
use super::shifts::Shifts;
use crate::cursor::{Cursor, Put};
use crate::debug_info::{
    ADVANCE_LINE, ADVANCE_PC, END_LOCAL, END_SEQUENCE, FIRST_SPECIAL, LINE_BASE, LINE_RANGE,
    RESTART_LOCAL, SET_EPILOGUE_BEGIN, SET_FILE, SET_PROLOGUE_END, START_LOCAL,
    START_LOCAL_EXTENDED,
};
use crate::{Result, Section};

/// Moves the events of one body's line program.
pub(super) struct LinePatch<'l, 'a> {
    pub(super) subject: &'l Subject<'l, 'a>,
    pub(super) shifts: &'l Shifts,
    pub(super) places: NewPlaces,
    /// The end of the source's instructions, padding included; events from there on are dropped.
    pub(super) end: u32,
}

impl LinePatch<'_, '_> {
    /// Makes `out` the `debug_info_item`. A body without one gets lines that are the addresses of the instructions which can
    /// throw.
    pub(super) fn write(&self, throwing: &[u32], out: &mut Vec<u8>) -> Result<()> {
        out.clear();
        if self.subject.item.debug_info_off == 0 {
            self.pin(throwing, out);
            return Ok(());
        }
        self.program(out)
    }

    /// Whether there are instructions at the entry that need a line.
    fn has_entry(&self) -> bool {
        self.places.start > self.places.before_line
    }

    fn pin(&self, throwing: &[u32], out: &mut Vec<u8>) {
        let Some(&first) = throwing.first() else { return };
        out.put_uleb(first);
        out.put_uleb(self.subject.parameters as u32);
        out.resize(out.len() + self.subject.parameters, 0);
        let mut writer = LineWriter { line: first, at: 0 };
        if first == 0 && self.has_entry() {
            writer.line(out, 0, self.places.before_line);
        }
        for &at in throwing {
            writer.line(out, at, self.shifts.moved(at));
        }
        out.push(END_SEQUENCE);
    }

    fn program(&self, out: &mut Vec<u8>) -> Result<()> {
        let item = self.subject.item;
        let data = self.subject.dex.data();
        let mut cursor = Cursor::new(data, item.debug_info_off, Section::DEBUG_INFO);
        let start = cursor.uleb()?;
        let mut names = cursor;
        for _ in 0..cursor.uleb()? {
            cursor.uleb()?;
        }
        let first = first_line(cursor, start)?.filter(|_| self.has_entry());
        out.put_uleb(first.unwrap_or(start));
        self.names(&mut names, out)?;
        let mut writer = LineWriter { line: first.unwrap_or(start), at: 0 };
        if let Some(line) = first {
            writer.line(out, line, self.places.before_line);
        }
        let (mut line, mut at) = (start, 0_u32);
        while at < self.end {
            let opcode = cursor.u8()?;
            match opcode {
                END_SEQUENCE => break,
                ADVANCE_PC => {
                    let begin = cursor.at();
                    let units = cursor.uleb()?;
                    at = at.checked_add(units).ok_or_else(|| {
                        let expected = "an address of at most 32 bits";
                        cursor.malformed_at(begin, expected, u64::from(units))
                    })?;
                }
                ADVANCE_LINE => line = line.wrapping_add_signed(cursor.sleb()?),
                FIRST_SPECIAL.. => {
                    let adjusted = i32::from(opcode - FIRST_SPECIAL);
                    line = line.wrapping_add_signed(LINE_BASE + adjusted % LINE_RANGE);
                    at = at.saturating_add((adjusted / LINE_RANGE) as u32);
                    if at < self.end {
                        writer.line(out, line, self.shifts.moved(at));
                    }
                }
                _ => {
                    writer.advance(out, self.shifts.moved(at));
                    out.push(opcode);
                    self.event(opcode, &mut cursor, out)?;
                }
            }
        }
        out.push(END_SEQUENCE);
        Ok(())
    }

    fn names(&self, cursor: &mut Cursor<'_>, out: &mut Vec<u8>) -> Result<()> {
        let count = cursor.uleb()?;
        out.put_uleb(count);
        for _ in 0..count {
            self.string(cursor, out)?;
        }
        Ok(())
    }

    /// Copies the operands of an event that is no line.
    fn event(&self, opcode: u8, cursor: &mut Cursor<'_>, out: &mut Vec<u8>) -> Result<()> {
        match opcode {
            END_LOCAL | RESTART_LOCAL => out.put_uleb(cursor.uleb()?),
            START_LOCAL | START_LOCAL_EXTENDED => {
                out.put_uleb(cursor.uleb()?);
                self.string(cursor, out)?;
                let remap = self.subject.remap;
                let ty = cursor.uleb_p1()?.map(|id| remap.ty(id, cursor)).transpose()?;
                out.put_uleb_p1(ty);
                if opcode == START_LOCAL_EXTENDED {
                    self.string(cursor, out)?;
                }
            }
            SET_FILE => self.string(cursor, out)?,
            _ => {}
        }
        Ok(())
    }

    fn string(&self, cursor: &mut Cursor<'_>, out: &mut Vec<u8>) -> Result<()> {
        let remap = self.subject.remap;
        let id = cursor.uleb_p1()?.map(|id| remap.string(id, cursor)).transpose()?;
        out.put_uleb_p1(id);
        Ok(())
    }
}

/// The line of the first instruction: the last one that a program gives to address 0.
fn first_line(mut cursor: Cursor<'_>, start: u32) -> Result<Option<u32>> {
    let (mut line, mut found) = (start, None);
    loop {
        match cursor.u8()? {
            END_SEQUENCE => return Ok(found),
            ADVANCE_PC => {
                if cursor.uleb()? > 0 {
                    return Ok(found);
                }
            }
            ADVANCE_LINE => line = line.wrapping_add_signed(cursor.sleb()?),
            SET_PROLOGUE_END | SET_EPILOGUE_BEGIN => {}
            opcode @ FIRST_SPECIAL.. => {
                let adjusted = i32::from(opcode - FIRST_SPECIAL);
                line = line.wrapping_add_signed(LINE_BASE + adjusted % LINE_RANGE);
                if adjusted / LINE_RANGE > 0 {
                    return Ok(found);
                }
                found = Some(line);
            }
            opcode => {
                let operands = match opcode {
                    START_LOCAL => 3,
                    START_LOCAL_EXTENDED => 4,
                    _ => 1,
                };
                for _ in 0..operands {
                    cursor.uleb_any()?;
                }
            }
        }
    }
}
