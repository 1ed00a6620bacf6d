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
            ProbeOperand::Id(id) => Some((integer(id, register), Operand::Literal(i64::from(id)))),
            ProbeOperand::Text(text) => Some((Opcode::CONST_STRING, Operand::String(text))),
        };
        let arguments = if load.is_some() { list.as_slice() } else { &[] };
        let call =
            Instruction::calling(Opcode::INVOKE_STATIC, Operand::Method(self.method), arguments)?;
        let load = load.map(|(opcode, operand)| one(opcode, register, operand));
        Ok(load.into_iter().chain([Node::Instruction(call)]))
    }
}

/// The shortest form that loads a number.
fn integer(value: i32, register: u16) -> Opcode {
    if register < 16 && (-8..8).contains(&value) {
        Opcode::CONST_4
    } else if i16::try_from(value).is_ok() {
        Opcode::CONST_16
    } else if value.trailing_zeros() >= 16 {
        Opcode::CONST_HIGH16
    } else {
        Opcode::CONST
    }
}

pub(super) fn one(opcode: Opcode, register: u16, operand: Operand) -> Node {
    let registers = Registers::list(&[register]).unwrap_or(Registers::NONE);
    Node::Instruction(Instruction::new(opcode, registers, operand))
}
