//! Names, shapes and flow of opcodes.

use std::fmt;

use crate::opcode_info::{BRANCH, CONTINUE, INVOKE, OpcodeInfo, RETURN, SWITCH, THROW};
use crate::opcode_table::{Opcode, TABLE};

impl Opcode {
    /// Name, shape and flow; `None` for an unused number.
    pub fn info(self) -> Option<&'static OpcodeInfo> {
        TABLE[self.0 as usize].as_ref()
    }

    /// The mnemonic; `unused` for an unused number.
    pub fn name(self) -> &'static str {
        self.info().map_or("unused", |info| info.name)
    }

    fn has(self, flag: u8) -> bool {
        self.info().is_some_and(|info| info.flow & flag != 0)
    }

    /// Whether the next instruction can follow.
    pub fn can_continue(self) -> bool {
        self.has(CONTINUE)
    }

    /// Whether it can throw.
    pub fn can_throw(self) -> bool {
        self.has(THROW)
    }

    /// Whether it is a `goto` or an `if`.
    pub fn is_branch(self) -> bool {
        self.has(BRANCH)
    }

    /// Whether it is one of the three forms of `goto`.
    pub fn is_goto(self) -> bool {
        matches!(self, Self::GOTO | Self::GOTO_16 | Self::GOTO_32)
    }

    /// Whether it is `packed-switch` or `sparse-switch`.
    pub fn is_switch(self) -> bool {
        self.has(SWITCH)
    }

    /// Whether it returns.
    pub fn is_return(self) -> bool {
        self.has(RETURN)
    }

    /// Whether it calls.
    pub fn is_invoke(self) -> bool {
        self.has(INVOKE)
    }

    /// Whether it is one of the three `move-result`.
    pub fn is_move_result(self) -> bool {
        matches!(self, Self::MOVE_RESULT | Self::MOVE_RESULT_WIDE | Self::MOVE_RESULT_OBJECT)
    }

    /// The `if` that jumps exactly when this one does not; `None` for all other opcodes.
    pub fn inverted(self) -> Option<Self> {
        // Pairs are neighbours: eq/ne, lt/ge, gt/le, and the same against zero.
        matches!(self.0, 0x32..=0x3d).then(|| Self(((self.0 - 0x32) ^ 1) + 0x32))
    }
}

impl fmt::Debug for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({:#04x})", self.name(), self.0)
    }
}

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
