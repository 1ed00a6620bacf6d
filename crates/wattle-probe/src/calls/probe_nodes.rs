//! The instructions of a probe.

use wattle_dex::{Instruction, Node, Opcode, Operand, Registers, Result};

use super::{Probe, ProbeOperand};

impl Probe {
    pub(super) fn has_operand(self) -> bool {
        self.operand != ProbeOperand::None
    }

    /// The instructions; the register is only looked at where there is an operand.
    pub(crate) fn nodes(self, register: u16) -> Result<impl Iterator<Item = Node>> {
        let list = [register];
        let load = match self.operand {
            ProbeOperand::None => None,
            ProbeOperand::Id(id) => Some(Node::Instruction(Instruction::const_int(register, id))),
            ProbeOperand::Text(text) => {
                Some(one(Opcode::CONST_STRING, register, Operand::String(text)))
            }
        };
        let arguments = if load.is_some() { list.as_slice() } else { &[] };
        let call =
            Instruction::calling(Opcode::INVOKE_STATIC, Operand::Method(self.method), arguments)?;
        Ok(load.into_iter().chain([Node::Instruction(call)]))
    }
}

pub(super) fn one(opcode: Opcode, register: u16, operand: Operand) -> Node {
    let registers = Registers::list(&[register]).unwrap_or(Registers::NONE);
    Node::Instruction(Instruction::new(opcode, registers, operand))
}
