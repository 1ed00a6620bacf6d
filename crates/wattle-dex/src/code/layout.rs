//! Lengths and addresses: branches get the shortest form that reaches.

use super::{Code, Instruction, Label, Node, Operand};
use crate::opcode_table::Opcode;
use crate::remap::Remap;
use crate::{DexError, Result, Section};

/// Addresses of all parts of a method body, in units.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// Address of each node.
    pub(crate) addresses: Vec<u32>,
    /// Length of each node.
    lengths: Vec<u8>,
    /// Address of each label.
    labels: Vec<u32>,
    /// Address of the payload of each node that has one, in node order.
    pub(crate) payloads: Vec<u32>,
    /// Whether there are debug events.
    pub(crate) events: bool,
    /// Whether there are branches.
    branches: bool,
    /// Units of instructions alone.
    pub(crate) code_end: u32,
    /// Units of instructions and payloads.
    pub(crate) len: u32,
}

const UNPLACED: u32 = u32::MAX;

/// Units that a branch takes: `goto` 1, 2 or 3; `if` 2, or 4 or 5 when inverted over a `goto`.
const INVERTED_16: u32 = 4;
const INVERTED_32: u32 = 5;

impl Layout {
    /// Forgets the body before and lays this one out.
    pub(crate) fn lay_out(&mut self, code: &Code, remap: &Remap) -> Result<()> {
        let mut lengths = std::mem::take(&mut self.lengths);
        let result = self.lay_out_with(code, remap, &mut lengths);
        self.lengths = lengths;
        result
    }

    fn lay_out_with(&mut self, code: &Code, remap: &Remap, lengths: &mut Vec<u8>) -> Result<()> {
        lengths.clear();
        lengths.reserve(code.nodes.len());
        self.branches = false;
        self.events = false;
        for node in &code.nodes {
            lengths.push(match node {
                Node::Instruction(instruction) => {
                    self.branches |= instruction.target().is_some();
                    first_length(instruction, remap)? as u8
                }
                Node::Label(_) => 0,
                Node::Debug(_) => {
                    self.events = true;
                    0
                }
            });
        }
        self.place(code, lengths)?;
        while self.branches && self.grow(code, lengths)? {
            self.place(code, lengths)?;
        }
        self.place_payloads(code)
    }

    /// The address of a label.
    pub(crate) fn label(&self, label: Label) -> Result<u32> {
        let found = self.labels.get(label.0 as usize).copied().filter(|&at| at != UNPLACED);
        found.ok_or(DexError::Label { label: label.0, found: "placed nowhere" })
    }

    fn place(&mut self, code: &Code, lengths: &[u8]) -> Result<()> {
        self.addresses.clear();
        self.labels.clear();
        self.labels.resize(code.labels as usize, UNPLACED);
        let mut at = 0_u32;
        for (node, &length) in code.nodes.iter().zip(lengths) {
            self.addresses.push(at);
            if let Node::Label(label) = node {
                let slot = self.labels.get_mut(label.0 as usize);
                let slot =
                    slot.ok_or(DexError::Label { label: label.0, found: "of another body" })?;
                if *slot != UNPLACED {
                    return Err(DexError::Label { label: label.0, found: "placed twice" });
                }
                *slot = at;
            }
            at = at.saturating_add(u32::from(length));
        }
        self.code_end = at;
        Ok(())
    }

    /// Lengthens branches that do not reach; true where there was one. Lengths never shrink, so it ends.
    fn grow(&self, code: &Code, lengths: &mut [u8]) -> Result<bool> {
        let mut grown = false;
        for ((node, &at), length) in code.nodes.iter().zip(&self.addresses).zip(lengths) {
            let Node::Instruction(instruction) = node else { continue };
            let Some(target) = instruction.target() else { continue };
            let distance = i64::from(self.label(target)?) - i64::from(at);
            let needed = if instruction.opcode.is_goto() {
                goto_length(distance)
            } else if distance != 0 && i16::try_from(distance).is_ok() {
                2
            } else {
                // The `goto` stands two units further.
                2 + goto_length(distance - 2).max(2)
            };
            if needed > u32::from(*length) {
                *length = needed as u8;
                grown = true;
            }
        }
        Ok(grown)
    }

    fn place_payloads(&mut self, code: &Code) -> Result<()> {
        let mut at = u64::from(self.code_end);
        self.payloads.clear();
        for instruction in code.instructions() {
            let units = match &instruction.operand {
                Operand::Switch(switch) => {
                    let count = switch.cases.len() as u64;
                    if count > 0xffff {
                        return Err(DexError::TooMany {
                            pool: Section::CODE,
                            found: count,
                            limit: 0xffff,
                        });
                    }
                    if instruction.opcode == Opcode::PACKED_SWITCH {
                        count * 2 + 4
                    } else {
                        count * 4 + 2
                    }
                }
                Operand::Data(data) => (data.bytes.len() as u64).div_ceil(2) + 4,
                _ => continue,
            };
            at = at.next_multiple_of(2);
            self.payloads.push(at as u32);
            at += units;
        }
        self.len = u32::try_from(at)
            .ok()
            .filter(|&len| len < 1 << 30)
            .ok_or(DexError::TooMany { pool: Section::CODE, found: at, limit: 1 << 30 })?;
        Ok(())
    }
}

fn goto_length(distance: i64) -> u32 {
    // Only `goto/32` can branch to itself.
    if distance != 0 && i8::try_from(distance).is_ok() {
        1
    } else if distance != 0 && i16::try_from(distance).is_ok() {
        2
    } else {
        3
    }
}

/// The shape of a conditional branch of a length.
pub(crate) fn inverted_goto(length: u32) -> Option<Opcode> {
    match length {
        INVERTED_16 => Some(Opcode::GOTO_16),
        INVERTED_32 => Some(Opcode::GOTO_32),
        _ => None,
    }
}

/// The units that an instruction takes, branches in their shortest form.
pub(super) fn first_length(instruction: &Instruction, remap: &Remap) -> Result<u32> {
    let info = instruction.opcode.info().ok_or(DexError::Instruction {
        offset: 0,
        unit: 0,
        expected: "an opcode of the format",
        found: u64::from(instruction.opcode.0),
    })?;
    if let Operand::String(id) = instruction.operand
        && remap.string(id.0, &Section::CODE)? > 0xffff
    {
        return Ok(3);
    }
    Ok(if instruction.opcode.is_goto() { 1 } else { info.format.units() })
}
