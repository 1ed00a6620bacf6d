//! Method bodies for editing: instructions with labels instead of addresses.

mod assemble;
mod builder;
mod debug;
mod decode;
mod encode;
mod insert;
mod instruction;
mod layout;
mod patch;
mod patch_handlers;
mod patch_lines;
mod shifts;
mod tries;
mod wrapping;

pub use builder::CodeBuilder;
pub use instruction::{ArrayData, Instruction, Label, Operand, Switch};
pub use wrapping::Wrapping;

pub(crate) use assemble::Assembler;

use crate::{DebugEvent, StringId, TypeId};

/// A method body: nodes in order, try blocks between labels.
///
/// Addresses do not exist here. They come back when the code is assembled: branches get the shortest form
/// that reaches, an `if` that no longer reaches is inverted over a `goto`, payloads go to the end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Code {
    /// Number of registers of the frame.
    pub registers: u16,
    /// Number of words of incoming arguments, in the frame's last registers.
    pub ins: u16,
    /// Instructions, labels and debug events in order.
    pub nodes: Vec<Node>,
    /// Try blocks. Where several cover an instruction, earlier ones are asked first.
    pub tries: Vec<TryBlock>,
    /// Names of the parameters for debuggers, without `this`; nothing where there is no debug information.
    pub parameter_names: Option<Vec<Option<StringId>>>,
    /// Number of labels that have been given out.
    pub(crate) labels: u32,
}

/// One element of a method body.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A place that branches, try blocks and switches name.
    Label(Label),
    /// An instruction.
    Instruction(Instruction),
    /// A fact that holds from the next instruction on, for debuggers and stack traces.
    Debug(DebugEvent),
}

/// Instructions between two labels, and who handles what they throw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TryBlock {
    /// Before the first instruction.
    pub start: Label,
    /// After the last instruction.
    pub end: Label,
    /// Caught types and their handlers, in order.
    pub typed: Vec<(TypeId, Label)>,
    /// The handler of everything else.
    pub catch_all: Option<Label>,
}

impl Code {
    /// A body without instructions.
    pub fn new(registers: u16, ins: u16) -> Self {
        Self { registers, ins, ..Self::default() }
    }

    /// A label that is not placed yet.
    pub fn new_label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    /// The instructions in order.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        self.nodes.iter().filter_map(|node| match node {
            Node::Instruction(instruction) => Some(instruction),
            Node::Label(_) | Node::Debug(_) => None,
        })
    }

    /// Words of outgoing arguments: those of the call with the most. Compilers count the elements of
    /// `filled-new-array` too.
    pub fn outs(&self) -> u16 {
        self.instructions().map(Instruction::outs).max().unwrap_or(0)
    }
}
