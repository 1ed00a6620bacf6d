//! Room in a frame for registers that the body does not know.

use crate::{ArgumentKind, Code, DexError, Instruction, Node, Result};

/// Registers that the frame has gained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewRegisters {
    /// The first of them.
    pub first: u16,
    /// The number of registers.
    pub count: u16,
}

impl NewRegisters {
    /// Whether every one can be named by instructions with 8-bit operands (`const`, `move-result`, …);
    /// otherwise only the `/16` moves and range calls reach them.
    pub const fn fit_8_bits(self) -> bool {
        self.first as u32 + self.count as u32 <= 256
    }
}

impl Code {
    /// Makes the frame `count` registers larger without touching an instruction of the body.
    ///
    /// Arguments arrive at the end of the frame, so they are moved down to where the body expects them:
    /// moves of the right kind and form go in front of everything. The registers gained are the last of
    /// the frame; behind the moves they are free everywhere. `arguments` lists the arguments in order,
    /// `this` first.
    ///
    /// The frame may have 65536 registers at most.
    pub fn grow_frame(&mut self, count: u16, arguments: &[ArgumentKind]) -> Result<NewRegisters> {
        let (old, first) = (self.registers, self.registers);
        self.registers = old.checked_add(count).ok_or(DexError::Operand {
            opcode: "frame",
            operand: "number of registers",
            found: i64::from(old) + i64::from(count),
            limit: i64::from(u16::MAX),
        })?;
        if count == 0 {
            argument_moves((old, self.ins), 0, arguments)?;
            return Ok(NewRegisters { first, count });
        }
        let moves = argument_moves((old, self.ins), count, arguments)?;
        self.nodes.splice(0..0, moves.into_iter().map(Node::Instruction));
        Ok(NewRegisters { first, count })
    }
}

/// The moves that bring the arguments of a frame that was grown by `count` registers to where the body expects them.
pub(crate) fn argument_moves(
    (registers, ins): (u16, u16),
    count: u16,
    arguments: &[ArgumentKind],
) -> Result<Vec<Instruction>> {
    let words: u32 = arguments.iter().map(|kind| u32::from(kind.words())).sum();
    if words != u32::from(ins) {
        return Err(DexError::Edit {
            subject: "frame",
            expected: format!("arguments of {ins} words"),
            found: format!("{words} words"),
        });
    }
    let mut to = registers.saturating_sub(ins);
    let mut moves = Vec::with_capacity(arguments.len());
    for kind in arguments {
        // Ascending, so that an argument is read before a lower one is written over it.
        moves.push(Instruction::moving(*kind, to, to.saturating_add(count)));
        to = to.saturating_add(kind.words());
    }
    Ok(moves)
}
