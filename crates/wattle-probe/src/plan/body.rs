//! What the plan has to know of a method's body.

use wattle_dex::{CodeItem, DebugEvent, Dex, Opcode, Result};

/// What the plan has to know of a method's body.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Body {
    /// It calls something.
    pub(super) calls: bool,
    /// It branches backwards.
    pub(super) loops: bool,
    /// It enters a monitor.
    pub(super) monitors: bool,
}

impl Body {
    /// Reads the instructions once.
    pub(super) fn scan(code: &CodeItem<'_>) -> Result<Self> {
        let mut body = Self::default();
        for item in code.instructions() {
            let (_, instruction) = item?;
            let opcode = instruction.opcode;
            body.calls |= opcode.is_invoke();
            body.loops |= (opcode.is_branch() || opcode.is_goto()) && instruction.offset <= 0;
            body.monitors |= opcode == Opcode::MONITOR_ENTER;
        }
        Ok(body)
    }
}

/// The first line of a method.
pub(super) fn first_line(dex: &Dex<'_>, code: &CodeItem<'_>) -> Option<u32> {
    // A line program that cannot be read tells no line; the verifier names it where it matters.
    let info = dex.debug_info(code.debug_info_off).ok()??;
    Some(info.line_start).filter(|&line| line > 0)
}

/// The lines of a body.
pub(super) struct Lines {
    /// Addresses with the line that begins there, ascending.
    lines: Vec<(u32, u32)>,
}

impl Lines {
    pub(super) fn of(dex: &Dex<'_>, code: &CodeItem<'_>) -> Self {
        let info = dex.debug_info(code.debug_info_off).ok().flatten();
        let events = info.iter().flat_map(wattle_dex::DebugInfo::events).map_while(Result::ok);
        let lines = events.filter_map(|(at, event)| match event {
            DebugEvent::Line(line) => Some((at, line)),
            _ => None,
        });
        Self { lines: lines.collect() }
    }

    /// The line of an address.
    pub(super) fn at(&self, address: u32) -> Option<u32> {
        let after = self.lines.partition_point(|&(at, _)| at <= address);
        self.lines.get(after.checked_sub(1)?).map(|&(_, line)| line)
    }
}
