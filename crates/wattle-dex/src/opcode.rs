//! Opcodes and the shapes of their encodings.

use std::fmt;

use crate::opcode_table::TABLE;

/// An opcode: the low byte of an instruction's first unit. The numbers that the format leaves unused
/// are values too; they have no [`OpcodeInfo`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Opcode(pub u8);

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

const CONTINUE: u8 = 1;
const THROW: u8 = 2;
const BRANCH: u8 = 4;
const SWITCH: u8 = 8;
const RETURN: u8 = 16;
const INVOKE: u8 = 32;

/// What the format says of one opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpcodeInfo {
    /// The mnemonic.
    pub name: &'static str,
    /// The shape of the encoding.
    pub format: Format,
    /// What the instruction's number points to.
    pub index: IndexKind,
    flow: u8,
}

impl OpcodeInfo {
    pub(crate) const fn new(
        name: &'static str,
        format: Format,
        index: IndexKind,
        letters: &[u8],
    ) -> Self {
        let mut flow = 0;
        let mut at = 0;
        while at < letters.len() {
            flow |= match letters[at] {
                b'c' => CONTINUE,
                b't' => THROW,
                b'b' => BRANCH,
                b's' => SWITCH,
                b'r' => RETURN,
                _ => INVOKE,
            };
            at += 1;
        }
        Self { name, format, index, flow }
    }
}

/// What the number inside an instruction points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexKind {
    /// There is none.
    None,
    /// A string.
    String,
    /// A type.
    Type,
    /// A field.
    Field,
    /// A method.
    Method,
    /// A method and a signature (`invoke-polymorphic`).
    Polymorphic,
    /// A call site.
    CallSite,
    /// A method handle.
    MethodHandle,
    /// A signature.
    Proto,
}

/// The shape of an encoding, by the format's own names: units, registers, kind of the extra operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the format's own and carry their meaning")]
pub enum Format {
    F10x,
    F12x,
    F11n,
    F11x,
    F10t,
    F20t,
    F22x,
    F21t,
    F21s,
    F21h,
    F21c,
    F23x,
    F22b,
    F22t,
    F22s,
    F22c,
    F30t,
    F32x,
    F31i,
    F31t,
    F31c,
    F35c,
    F3rc,
    F45cc,
    F4rcc,
    F51l,
}

impl Format {
    /// Length in 16-bit units.
    pub const fn units(self) -> u32 {
        match self {
            Self::F10x | Self::F12x | Self::F11n | Self::F11x | Self::F10t => 1,
            Self::F20t
            | Self::F22x
            | Self::F21t
            | Self::F21s
            | Self::F21h
            | Self::F21c
            | Self::F23x
            | Self::F22b
            | Self::F22t
            | Self::F22s
            | Self::F22c => 2,
            Self::F30t
            | Self::F32x
            | Self::F31i
            | Self::F31t
            | Self::F31c
            | Self::F35c
            | Self::F3rc => 3,
            Self::F45cc | Self::F4rcc => 4,
            Self::F51l => 5,
        }
    }

    /// The highest register that its `position`-th register operand can name.
    pub const fn register_limit(self, position: usize) -> u16 {
        match self {
            Self::F12x
            | Self::F11n
            | Self::F22t
            | Self::F22s
            | Self::F22c
            | Self::F35c
            | Self::F45cc => 15,
            Self::F22x if position == 1 => u16::MAX,
            Self::F32x | Self::F3rc | Self::F4rcc => u16::MAX,
            _ => 255,
        }
    }
}
