//! Line programs.

use crate::cursor::Cursor;
use crate::{Dex, Result, Section, StringId, TypeId};

pub(crate) const END_SEQUENCE: u8 = 0;
pub(crate) const ADVANCE_PC: u8 = 1;
pub(crate) const ADVANCE_LINE: u8 = 2;
pub(crate) const START_LOCAL: u8 = 3;
pub(crate) const START_LOCAL_EXTENDED: u8 = 4;
pub(crate) const END_LOCAL: u8 = 5;
pub(crate) const RESTART_LOCAL: u8 = 6;
pub(crate) const SET_PROLOGUE_END: u8 = 7;
pub(crate) const SET_EPILOGUE_BEGIN: u8 = 8;
pub(crate) const SET_FILE: u8 = 9;
pub(crate) const FIRST_SPECIAL: u8 = 0x0a;
pub(crate) const LINE_BASE: i32 = -4;
pub(crate) const LINE_RANGE: i32 = 15;

/// `debug_info_item`: parameter names and a program that says which unit is of which line.
#[derive(Clone)]
pub struct DebugInfo<'a> {
    /// Names of the parameters, without `this`.
    pub parameter_names: Vec<Option<StringId>>,
    /// The line register's first value.
    pub line_start: u32,
    program: Cursor<'a>,
}

/// A fact of a line program, from a unit on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DebugEvent {
    /// The code is of this line.
    Line(u32),
    /// A local variable begins in a register.
    StartLocal {
        /// The register.
        register: u32,
        /// Its name.
        name: Option<StringId>,
        /// Its type.
        ty: Option<TypeId>,
        /// Its generic signature.
        signature: Option<StringId>,
    },
    /// The variable of a register ends.
    EndLocal(u32),
    /// The last variable of a register begins again.
    RestartLocal(u32),
    /// The prologue ends here: a good place for a breakpoint at entry.
    PrologueEnd,
    /// The epilogue begins here.
    EpilogueBegin,
    /// The code is of another file.
    File(Option<StringId>),
}

impl<'a> DebugInfo<'a> {
    pub(crate) fn parse(data: &'a [u8], at: u32) -> Result<Self> {
        let mut program = Cursor::new(data, at, Section::DEBUG_INFO);
        let line_start = program.uleb()?;
        let count = program.uleb()?;
        let mut parameter_names = Vec::new();
        for _ in 0..count {
            parameter_names.push(program.uleb_p1()?.map(StringId));
        }
        Ok(Self { parameter_names, line_start, program })
    }

    /// The events with the unit from which each holds. An error ends them.
    pub fn events(&self) -> DebugEvents<'a> {
        DebugEvents { cursor: self.program, unit: 0, line: self.line_start, ended: false }
    }
}

/// Runs a line program.
#[derive(Clone)]
pub struct DebugEvents<'a> {
    cursor: Cursor<'a>,
    unit: u32,
    line: u32,
    ended: bool,
}

impl DebugEvents<'_> {
    fn step(&mut self) -> Result<Option<(u32, DebugEvent)>> {
        loop {
            let start = self.cursor.at();
            let event = match self.cursor.u8()? {
                END_SEQUENCE => return Ok(None),
                ADVANCE_PC => {
                    self.advance(start)?;
                    continue;
                }
                ADVANCE_LINE => {
                    self.line = self.line.wrapping_add_signed(self.cursor.sleb()?);
                    continue;
                }
                opcode @ (START_LOCAL | START_LOCAL_EXTENDED) => DebugEvent::StartLocal {
                    register: self.cursor.uleb()?,
                    name: self.cursor.uleb_p1()?.map(StringId),
                    ty: self.cursor.uleb_p1()?.map(TypeId),
                    signature: if opcode == START_LOCAL_EXTENDED {
                        self.cursor.uleb_p1()?.map(StringId)
                    } else {
                        None
                    },
                },
                END_LOCAL => DebugEvent::EndLocal(self.cursor.uleb()?),
                RESTART_LOCAL => DebugEvent::RestartLocal(self.cursor.uleb()?),
                SET_PROLOGUE_END => DebugEvent::PrologueEnd,
                SET_EPILOGUE_BEGIN => DebugEvent::EpilogueBegin,
                SET_FILE => DebugEvent::File(self.cursor.uleb_p1()?.map(StringId)),
                special => {
                    let adjusted = i32::from(special - FIRST_SPECIAL);
                    self.line = self.line.wrapping_add_signed(LINE_BASE + adjusted % LINE_RANGE);
                    self.unit = self.unit.saturating_add((adjusted / LINE_RANGE) as u32);
                    DebugEvent::Line(self.line)
                }
            };
            return Ok(Some((self.unit, event)));
        }
    }

    fn advance(&mut self, start: u32) -> Result<()> {
        let units = self.cursor.uleb()?;
        self.unit = self.unit.checked_add(units).ok_or_else(|| {
            self.cursor.malformed_at(start, "an address of at most 32 bits", u64::from(units))
        })?;
        Ok(())
    }
}

impl Iterator for DebugEvents<'_> {
    type Item = Result<(u32, DebugEvent)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let step = self.step().transpose();
        self.ended = !matches!(step, Some(Ok(_)));
        step
    }
}

/// Offset of the end of a `debug_info_item`.
pub(crate) fn debug_info_end(data: &[u8], at: u32) -> Result<u32> {
    let mut cursor = Cursor::new(data, at, Section::DEBUG_INFO);
    cursor.uleb()?;
    for _ in 0..cursor.uleb()? {
        cursor.uleb()?;
    }
    loop {
        let operands = match cursor.u8()? {
            END_SEQUENCE => return Ok(cursor.at()),
            ADVANCE_PC | ADVANCE_LINE | END_LOCAL | RESTART_LOCAL | SET_FILE => 1,
            START_LOCAL => 3,
            START_LOCAL_EXTENDED => 4,
            _ => 0,
        };
        for _ in 0..operands {
            // Signed and unsigned numbers have the same length.
            cursor.uleb_any()?;
        }
    }
}

impl<'a> Dex<'a> {
    /// The line program at an offset; `None` at 0.
    pub fn debug_info(&self, at: u32) -> Result<Option<DebugInfo<'a>>> {
        if at == 0 { Ok(None) } else { DebugInfo::parse(self.data(), at).map(Some) }
    }
}
