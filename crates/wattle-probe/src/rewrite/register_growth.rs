//! Registers that probes may use.

use wattle_dex::{ArgumentKind, Code, DexError, Instruction, Liveness, Opcode};

/// Registers that `const`, `const-string` and `move-exception` can name.
const REACH: u16 = 256;

/// Registers that the probes around a body may use.
///
/// The one in which the receiver arrives is never among them: before Android 6 the verifier takes it for granted
/// that it keeps its type, and before Android 10 a debugger reads the receiver from it whatever the code does (R8,
/// `InternalOptions.canHaveThisTypeVerifierBug`, `canHaveThisJitCodeDebuggingBug`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// Nodes at the start that bring the arguments to where the body expects them.
    pub(super) moves: usize,
    /// A register that is free at the start of the body; unspecified where none is needed.
    pub(super) entry: u16,
    /// Registers that are free where everything is; unspecified where none is needed.
    pub(super) handler: [u16; 2],
    /// A register that the body never uses, where the frame was grown.
    spare: Option<u16>,
    receiver: Option<u16>,
}

/// The registers that the probes of a method need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Needs {
    /// One register at the entry.
    pub(super) entry: bool,
    /// One register at each return, besides that of the result.
    pub(super) exit: bool,
    /// Registers in the handler of everything that is thrown, at most two.
    pub(super) handler: u16,
    /// So many registers that follow the frame's last, throughout the body.
    pub(super) throughout: u16,
}

impl Frame {
    /// Finds free registers; grows the frame where there are none.
    ///
    /// Locals hold nothing at the entry; at a return nothing but the result is needed any more; in the handler
    /// around everything nothing is.
    pub(super) fn new(
        code: &mut Code,
        arguments: &[ArgumentKind],
        is_static: bool,
        needs: Needs,
    ) -> Result<Self, DexError> {
        let old = code.registers;
        let locals = old.saturating_sub(code.ins);
        let receiver = (!is_static && code.ins > 0).then_some(locals);
        let others = |count: usize| -> Vec<u16> {
            (0..old.min(REACH)).filter(|&it| Some(it) != receiver).take(count).collect()
        };
        let mut entry = (locals > 0).then_some(0);
        if needs.entry && entry.is_none() && old > u16::from(receiver.is_some()) {
            let free = Liveness::from_code(code)?.free_before(code, 0, REACH)?;
            entry = free.into_iter().find(|&it| Some(it) != receiver);
        }
        let mut missing = needs.throughout.max(u16::from(needs.entry && entry.is_none()));
        let spare_at = |it| spare_at_return(it, old, receiver);
        if needs.exit && code.instructions().any(|it| spare_at(it).is_none()) {
            missing = missing.max(1);
        }
        let mut handler = others(2);
        missing = missing.max(needs.handler.saturating_sub(handler.len() as u16));
        let mut frame =
            Self { moves: 0, entry: entry.unwrap_or(0), handler: [0; 2], spare: None, receiver };
        if missing > 0 {
            // The receiver, and so all arguments, arrive past the registers gained and stay there untouched.
            let gained = missing + if is_static { 0 } else { code.ins };
            let new = code.grow_frame(gained, arguments)?;
            if new.first + missing > REACH {
                return Err(DexError::Operand {
                    opcode: "const",
                    operand: "register",
                    found: i64::from(new.first),
                    limit: i64::from(REACH - 1),
                });
            }
            frame.moves = arguments.len();
            frame.entry = new.first;
            frame.spare = Some(new.first);
            frame.receiver = None;
            handler.extend(new.first..new.first + missing);
        }
        for (slot, register) in frame.handler.iter_mut().zip(handler) {
            *slot = register;
        }
        Ok(frame)
    }

    /// A register that is free at a return.
    pub(super) fn at_return(&self, instruction: &Instruction, registers: u16) -> u16 {
        let spare = || spare_at_return(instruction, registers, self.receiver);
        self.spare.or_else(spare).unwrap_or(0)
    }
}

/// The first register that a return does not return; any other instruction needs none.
fn spare_at_return(
    instruction: &Instruction,
    registers: u16,
    receiver: Option<u16>,
) -> Option<u16> {
    if !instruction.opcode.is_return() {
        return Some(0);
    }
    let result = instruction.registers.iter().next().map_or(0..0, |first| {
        let words = if instruction.opcode == Opcode::RETURN_WIDE { 2 } else { 1 };
        first..first + words
    });
    // Four are enough to leave out a wide result and the receiver.
    (0..registers.min(4)).find(|&it| Some(it) != receiver && !result.contains(&u32::from(it)))
}
