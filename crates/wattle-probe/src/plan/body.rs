//! Facts about a method's body that the plan needs.

use wattle_dex::{CodeItem, Decoded, Opcode, Result};

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
        for item in code.opcodes() {
            let (at, opcode) = item?;
            body.calls |= opcode.is_invoke();
            if opcode.is_branch() {
                body.loops |= Decoded::at(code.units, at).is_none_or(|it| it.offset <= 0);
            }
            body.monitors |= opcode == Opcode::MONITOR_ENTER;
        }
        Ok(body)
    }
}
