//! Debug events to a line program.

use super::layout::Layout;
use super::{Code, Node};
use crate::cursor::Put;
use crate::debug_info::{
    ADVANCE_LINE, ADVANCE_PC, END_LOCAL, END_SEQUENCE, FIRST_SPECIAL, LINE_BASE, LINE_RANGE,
    RESTART_LOCAL, SET_EPILOGUE_BEGIN, SET_FILE, SET_PROLOGUE_END, START_LOCAL,
    START_LOCAL_EXTENDED,
};
use crate::remap::Remap;
use crate::{DebugEvent, Result, Section, StringId};

/// Makes `out` the `debug_info_item`; empty where the code has neither events nor parameter names.
///
/// `parameters` is the number of names that it must have, where the code has none.
pub(crate) fn encode_debug(
    code: &Code,
    layout: &Layout,
    remap: &Remap,
    parameters: usize,
    out: &mut Vec<u8>,
) -> Result<()> {
    out.clear();
    let events = || {
        code.nodes.iter().zip(&layout.addresses).filter_map(|(node, &at)| match node {
            Node::Debug(event) => Some((at, *event)),
            Node::Label(_) | Node::Instruction(_) => None,
        })
    };
    if code.parameter_names.is_none() && !layout.events {
        return Ok(());
    }
    let string = |id: Option<StringId>| -> Result<Option<u32>> {
        id.map(|id| remap.string(id.0, &Section::DEBUG_INFO)).transpose()
    };
    let first_line = events().find_map(|(_, event)| match event {
        DebugEvent::Line(line) => Some(line),
        _ => None,
    });
    let mut writer = LineWriter { line: first_line.unwrap_or(0), at: 0 };
    out.put_uleb(writer.line);
    if let Some(names) = &code.parameter_names {
        out.put_uleb(names.len() as u32);
        for &name in names {
            out.put_uleb_p1(string(name)?);
        }
    } else {
        out.put_uleb(parameters as u32);
        out.resize(out.len() + parameters, 0);
    }
    for (address, event) in events() {
        if let DebugEvent::Line(line) = event {
            writer.line(out, line, address);
            continue;
        }
        writer.advance(out, address);
        match event {
            DebugEvent::Line(_) => {}
            DebugEvent::StartLocal { register, name, ty, signature } => {
                out.push(if signature.is_some() { START_LOCAL_EXTENDED } else { START_LOCAL });
                out.put_uleb(register);
                out.put_uleb_p1(string(name)?);
                let ty = ty.map(|ty| remap.ty(ty.0, &Section::DEBUG_INFO)).transpose()?;
                out.put_uleb_p1(ty);
                if signature.is_some() {
                    out.put_uleb_p1(string(signature)?);
                }
            }
            DebugEvent::EndLocal(register) => {
                out.push(END_LOCAL);
                out.put_uleb(register);
            }
            DebugEvent::RestartLocal(register) => {
                out.push(RESTART_LOCAL);
                out.put_uleb(register);
            }
            DebugEvent::PrologueEnd => out.push(SET_PROLOGUE_END),
            DebugEvent::EpilogueBegin => out.push(SET_EPILOGUE_BEGIN),
            DebugEvent::File(name) => {
                out.push(SET_FILE);
                out.put_uleb_p1(string(name)?);
            }
        }
    }
    out.push(END_SEQUENCE);
    Ok(())
}

/// The registers of a line program that is written.
pub(super) struct LineWriter {
    pub(super) line: u32,
    pub(super) at: u32,
}

impl LineWriter {
    /// Appends a line at an address, which is not less than those before.
    pub(super) fn line(&mut self, out: &mut Vec<u8>, line: u32, at: u32) {
        position(out, line.wrapping_sub(self.line) as i32, at.saturating_sub(self.at));
        (self.line, self.at) = (line, at);
    }

    /// Goes to an address for an event that is no line.
    pub(super) fn advance(&mut self, out: &mut Vec<u8>, at: u32) {
        if at > self.at {
            out.push(ADVANCE_PC);
            out.put_uleb(at - self.at);
            self.at = at;
        }
    }
}

/// Emits a position by a special opcode, after what it cannot express.
fn position(out: &mut Vec<u8>, mut lines: i32, mut units: u32) {
    if !(LINE_BASE..LINE_BASE + LINE_RANGE).contains(&lines) {
        out.push(ADVANCE_LINE);
        out.put_sleb(lines);
        lines = 0;
    }
    let special = |units: u32| {
        (lines - LINE_BASE) as u32 + units * LINE_RANGE as u32 + u32::from(FIRST_SPECIAL)
    };
    if units > 16 || special(units) > 0xff {
        out.push(ADVANCE_PC);
        out.put_uleb(units);
        units = 0;
    }
    out.push(special(units) as u8);
}
