//! Arithmetic.

use super::operands::Check;
use super::register_state::State;
use super::register_transfer::Transfer;
use super::types::Kind;
use crate::Opcode;

impl Transfer<'_, '_, '_> {
    pub(super) fn arithmetic(&self, state: &mut State) -> Check<()> {
        let registers = &self.decoded.registers;
        let (target, sources) = arithmetic_kinds(self.decoded.opcode);
        // The two-address forms read what they write.
        let first = usize::from(!matches!(self.decoded.opcode.0, 0xb0..=0xcf));
        let mut all_boolean = true;
        for (position, kind) in sources.into_iter().enumerate() {
            let Some(kind) = kind else { continue };
            let register = registers.get(first + position);
            self.number(state, register, kind, false)?;
            all_boolean &= state.get(register).is_boolean();
        }
        let (code, literal) = (self.decoded.opcode.0, self.decoded.literal);
        let bitwise = matches!(code, 0x95..=0x97 | 0xb5..=0xb7 | 0xd5..=0xd7 | 0xdd..=0xdf);
        let literal_fits = code < 0xd0 || (0..=1).contains(&literal);
        match target.wide() {
            Some(wide) => state.set_pair(registers.get(0), wide),
            None if bitwise && all_boolean && literal_fits => {
                state.set(registers.get(0), Kind::Boolean.register());
            }
            None => state.set(registers.get(0), target.register()),
        }
        Ok(())
    }
}

/// Returns the kinds of the result and the operands of an arithmetic instruction.
#[expect(clippy::match_same_arms, reason = "the arms follow the order of the opcodes")]
fn arithmetic_kinds(opcode: Opcode) -> (Kind, [Option<Kind>; 2]) {
    use Kind::{Byte, Char, Double, Float, Int, Long, Short};
    let one = |to, from| (to, [Some(from), None]);
    let two = |kind| (kind, [Some(kind), Some(kind)]);
    match opcode.0 {
        0x7b | 0x7c => one(Int, Int),
        0x7d | 0x7e => one(Long, Long),
        0x7f => one(Float, Float),
        0x80 => one(Double, Double),
        0x81 => one(Long, Int),
        0x82 => one(Float, Int),
        0x83 => one(Double, Int),
        0x84 => one(Int, Long),
        0x85 => one(Float, Long),
        0x86 => one(Double, Long),
        0x87 => one(Int, Float),
        0x88 => one(Long, Float),
        0x89 => one(Double, Float),
        0x8a => one(Int, Double),
        0x8b => one(Long, Double),
        0x8c => one(Float, Double),
        0x8d => one(Byte, Int),
        0x8e => one(Char, Int),
        0x8f => one(Short, Int),
        0x90..=0x9a | 0xb0..=0xba => two(Int),
        0x9b..=0xa2 | 0xbb..=0xc2 => two(Long),
        0xa3..=0xa5 | 0xc3..=0xc5 => (Long, [Some(Long), Some(Int)]),
        0xa6..=0xaa | 0xc6..=0xca => two(Float),
        0xab..=0xaf | 0xcb..=0xcf => two(Double),
        _ => one(Int, Int),
    }
}
