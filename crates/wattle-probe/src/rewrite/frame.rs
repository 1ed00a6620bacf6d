//! Registers that probes may use.

use wattle_dex::{ArgumentKind, Code, DexError, Instruction, Liveness, Opcode};

/// Registers that the probes around a body may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// Nodes at the start that bring the arguments to where the body expects them.
    pub(super) moves: usize,
    /// A register that is free at the start of the body; unspecified where none is needed.
    pub(super) entry: u16,
    /// A register that the body never uses, where the frame was grown.
    pub(super) spare: Option<u16>,
}

/// What the probes of a method need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Needs {
    /// One register at the entry.
    pub(super) entry: bool,
    /// One register at each return, besides that of the result.
    pub(super) exit: bool,
    /// Registers in the handler of everything that is thrown.
    pub(super) handler: u16,
    /// Registers that nothing else uses, throughout the body.
    pub(super) throughout: u16,
}

impl Frame {
    /// Finds free registers; grows the frame where there are none.
    ///
    /// Locals hold nothing at the entry; at a return nothing but the result is needed any more; in the handler
    /// around everything nothing is.
    pub(super) fn of(
        code: &mut Code,
        arguments: &[ArgumentKind],
        needs: Needs,
    ) -> Result<Self, DexError> {
        let locals = code.registers.saturating_sub(code.ins);
        let mut entry = (locals > 0).then_some(0);
        if needs.entry && entry.is_none() && code.registers > 0 {
            entry = Liveness::of(code)?.free_before(code, 0, 256)?.first().copied();
        }
        let mut missing = needs.throughout;
        if needs.entry && entry.is_none() {
            missing = missing.max(1);
        }
        if needs.exit && code.instructions().any(|it| spare_at_return(it, code.registers).is_none())
        {
            missing = missing.max(1);
        }
        missing = missing.max(needs.handler.saturating_sub(code.registers));
        if missing == 0 {
            return Ok(Self { moves: 0, entry: entry.unwrap_or(0), spare: None });
        }
        let new = code.grow_frame(missing, arguments)?;
        if !new.fit_8_bits() {
            return Err(DexError::Operand {
                opcode: "const",
                operand: "register",
                found: i64::from(new.first),
                limit: 255,
            });
        }
        Ok(Self { moves: arguments.len(), entry: new.first, spare: Some(new.first) })
    }

    /// A register that is free at a return.
    pub(super) fn at_return(&self, instruction: &Instruction, registers: u16) -> u16 {
        self.spare.or_else(|| spare_at_return(instruction, registers)).unwrap_or(0)
    }
}

/// The first register that a return does not return; any other instruction needs none.
fn spare_at_return(instruction: &Instruction, registers: u16) -> Option<u16> {
    if !instruction.opcode.is_return() {
        return Some(0);
    }
    let result = instruction.registers.iter().next().map_or(0..0, |first| {
        let words = if instruction.opcode == Opcode::RETURN_WIDE { 2 } else { 1 };
        first..first + words
    });
    (0..registers.min(4)).find(|&register| !result.contains(&u32::from(register)))
}
