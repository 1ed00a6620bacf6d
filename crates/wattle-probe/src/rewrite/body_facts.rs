//! Facts about a body that decide which registers its probes may use.

use wattle_dex::{CodeItem, Opcode, Result};

/// Registers at the start of a frame among which one is found that no return needs: a wide result and the receiver take three.
const LOW: u16 = 4;

/// Facts about a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BodyFacts {
    /// Something in it can throw.
    pub(super) throws: bool,
    /// The lowest registers that returns return, as bits.
    results: u8,
}

impl BodyFacts {
    /// Reads the opcodes once.
    pub(super) fn scan(code: &CodeItem<'_>) -> Result<Self> {
        let mut facts = Self::default();
        for item in code.opcodes() {
            let (at, opcode) = item?;
            facts.throws |= opcode.can_throw();
            let words = match opcode {
                Opcode::RETURN | Opcode::RETURN_OBJECT => 1,
                Opcode::RETURN_WIDE => 3,
                _ => continue,
            };
            let register = code.units.get(at).map_or(0, |unit| unit >> 8);
            if register < LOW {
                facts.results |= words << register;
            }
        }
        Ok(facts)
    }

    /// A register of a frame that no return returns, nor is the receiver's.
    pub(super) fn free_at_returns(self, registers: u16, receiver: Option<u16>) -> Option<u16> {
        let is_free = |it: &u16| Some(*it) != receiver && self.results >> *it & 1 == 0;
        (0..registers.min(LOW)).find(is_free)
    }
}
