//! Instructions around a whole method body.

use super::{Code, Instruction, Node, TryBlock};
use crate::frame_growth::argument_moves;
use crate::{ArgumentKind, DebugEvent, DexError, NewRegisters, Result};

/// Instructions to be put around a whole method body: at its entry, in front of each return, and where an exception leaves it.
///
/// ```text
///     the first of `entry`, then the rest with the line of the body's start
/// start:
///     the body, `exit` in front of each return
/// end:
///     `handler`, for whatever is thrown between start and end and has no handler of the body
/// ```
/// No try block of the body covers what is inserted; its branches to a return run through `exit`. The instructions name
/// no labels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wrapping {
    /// The number of registers that the frame gains at its end. The arguments then arrive so many registers later, so
    /// `entry` has to begin with moves to where the body expects them: [`Wrapping::grow`].
    pub gained: u16,
    /// Number of instructions of `entry` that stand in front of the line of the body's start.
    pub before_line: usize,
    /// At the entry.
    pub entry: Vec<Instruction>,
    /// In front of each return.
    pub exit: Vec<Instruction>,
    /// The handler of everything; none where it is empty.
    pub handler: Vec<Instruction>,
}

impl Wrapping {
    /// Makes it empty and keeps its memory.
    pub fn clear(&mut self) {
        (self.gained, self.before_line) = (0, 0);
        self.entry.clear();
        self.exit.clear();
        self.handler.clear();
    }

    /// Gives the frame of a body more registers at its end, as [`Code::grow_frame`] does.
    pub fn grow(
        &mut self,
        (registers, ins): (u16, u16),
        count: u16,
        arguments: &[ArgumentKind],
    ) -> Result<NewRegisters> {
        grown(registers, count)?;
        self.gained = count;
        self.entry.splice(0..0, argument_moves((registers, ins), count, arguments)?);
        self.before_line = arguments.len();
        Ok(NewRegisters { first: registers, count })
    }

    /// All its instructions.
    pub(super) fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        self.entry.iter().chain(&self.exit).chain(&self.handler)
    }
}

/// The number of registers of a frame that gains some.
pub(super) fn grown(registers: u16, gained: u16) -> Result<u16> {
    registers.checked_add(gained).ok_or(DexError::Operand {
        opcode: "frame",
        operand: "number of registers",
        found: i64::from(registers) + i64::from(gained),
        limit: i64::from(u16::MAX),
    })
}

impl Code {
    /// Puts instructions around the body.
    pub fn wrap(&mut self, wrapping: &Wrapping) -> Result<()> {
        self.registers = grown(self.registers, wrapping.gained)?;
        let nodes = |list: &[Instruction]| -> Vec<Node> {
            list.iter().cloned().map(Node::Instruction).collect()
        };
        let (start, end, handler) = (self.new_label(), self.new_label(), self.new_label());
        let (moves, rest) = wrapping.entry.split_at(wrapping.before_line.min(wrapping.entry.len()));
        let line = self.first_line().filter(|_| !rest.is_empty());
        self.nodes.splice(0..0, nodes(moves));
        let mut entry: Vec<Node> = line.map(Node::Debug).into_iter().collect();
        entry.extend(nodes(rest));
        entry.push(Node::Label(start));
        let mut insertions = vec![(moves.len(), entry)];
        for (index, node) in self.nodes.iter().enumerate().skip(moves.len()) {
            if matches!(node, Node::Instruction(it) if it.opcode.is_return()) {
                insertions.push((index, nodes(&wrapping.exit)));
            }
        }
        self.insert_outside_tries(insertions)?;
        if !wrapping.handler.is_empty() {
            self.nodes.extend([Node::Label(end), Node::Label(handler)]);
            self.nodes.extend(nodes(&wrapping.handler));
            self.tries.push(TryBlock { start, end, typed: Vec::new(), catch_all: Some(handler) });
        }
        Ok(())
    }

    /// The line of the first instruction, if it has one.
    fn first_line(&self) -> Option<DebugEvent> {
        let start = self.nodes.iter().take_while(|node| !matches!(node, Node::Instruction(_)));
        start.into_iter().find_map(|node| match node {
            Node::Debug(event @ DebugEvent::Line(_)) => Some(*event),
            _ => None,
        })
    }
}
