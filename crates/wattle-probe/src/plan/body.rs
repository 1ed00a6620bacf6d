//! Facts about a method's body that the plan needs.

use wattle_dex::{CodeItem, Opcode, Result};

/// Facts about a method's body that the plan needs.
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
