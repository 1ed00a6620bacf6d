//! The instructions of a probe.

use wattle_dex::{Instruction, Node, Opcode, Operand, Registers, Result};

use super::{CallValue, Probe, ProbeOperand};

impl Probe {
    /// Whether it loads what it hands over.
    pub(super) fn has_operand(self) -> bool {
        matches!(self.operand, ProbeOperand::Id(_) | ProbeOperand::Text(_))
    }

    /// The instructions; the register is only looked at where there is an operand.
    pub(crate) fn nodes(self, register: u16) -> Result<impl Iterator<Item = Node>> {
        let list = [register, register.saturating_add(1)];
        let words = match self.operand {
            ProbeOperand::None => 0,
            ProbeOperand::Value(CallValue::Result(Opcode::MOVE_RESULT_WIDE)) => 2,
            ProbeOperand::Id(_) | ProbeOperand::Text(_) | ProbeOperand::Value(_) => 1,
        };
        let load = match self.operand {
            ProbeOperand::None | ProbeOperand::Value(_) => None,
            ProbeOperand::Id(id) => Some(Node::Instruction(Instruction::const_int(register, id))),
            ProbeOperand::Text(text) => {
                Some(one(Opcode::CONST_STRING, register, Operand::String(text)))
            }
        };
        let arguments = list.get(..words).unwrap_or_default();
        let call =
            Instruction::calling(Opcode::INVOKE_STATIC, Operand::Method(self.method), arguments)?;
        Ok(load.into_iter().chain([Node::Instruction(call)]))
    }
}

pub(super) fn one(opcode: Opcode, register: u16, operand: Operand) -> Node {
    let registers = Registers::list(&[register]).unwrap_or(Registers::NONE);
    Node::Instruction(Instruction::new(opcode, registers, operand))
}
