//! The instructions of a probe.

use wattle_dex::{Instruction, Node, Opcode, Operand, Registers, Result};

use super::{CallValue, Probe, ProbeOperand};

impl Probe {
    /// Whether it loads what it hands over.
    pub(super) fn has_operand(self) -> bool {
        matches!(self.operand, ProbeOperand::Id(_) | ProbeOperand::Text(_))
    }

    /// The nodes with its instructions.
    pub(crate) fn nodes(self, register: u16) -> Result<impl Iterator<Item = Node>> {
        Ok(self.instructions(register)?.map(Node::Instruction))
    }

    /// The instructions; the register is only looked at where there is an operand.
    pub(crate) fn instructions(self, register: u16) -> Result<impl Iterator<Item = Instruction>> {
        let list = [register, register.saturating_add(1)];
        let words = match self.operand {
            ProbeOperand::None => 0,
            ProbeOperand::Value(CallValue::Result(Opcode::MOVE_RESULT_WIDE)) => 2,
            ProbeOperand::Id(_) | ProbeOperand::Text(_) | ProbeOperand::Value(_) => 1,
        };
        let load = match self.operand {
            ProbeOperand::None | ProbeOperand::Value(_) => None,
            ProbeOperand::Id(id) => Some(Instruction::const_int(register, id)),
            ProbeOperand::Text(text) => {
                Some(with_register(Opcode::CONST_STRING, register, Operand::String(text)))
            }
        };
        let arguments = list.get(..words).unwrap_or_default();
        let call =
            Instruction::calling(Opcode::INVOKE_STATIC, Operand::Method(self.method), arguments)?;
        Ok(load.into_iter().chain([call]))
    }
}

pub(super) fn one(opcode: Opcode, register: u16, operand: Operand) -> Node {
    Node::Instruction(with_register(opcode, register, operand))
}

fn with_register(opcode: Opcode, register: u16, operand: Operand) -> Instruction {
    let registers = Registers::list(&[register]).unwrap_or(Registers::NONE);
    Instruction::new(opcode, registers, operand)
}
