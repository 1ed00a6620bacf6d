//! The shapes of encodings, and the kinds of numbers in them.

pub(crate) const CONTINUE: u8 = 1;
pub(crate) const THROW: u8 = 2;
pub(crate) const BRANCH: u8 = 4;
pub(crate) const SWITCH: u8 = 8;
pub(crate) const RETURN: u8 = 16;
pub(crate) const INVOKE: u8 = 32;

/// The format's description of one opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpcodeInfo {
    /// The mnemonic.
    pub name: &'static str,
    /// The shape of the encoding.
    pub format: Format,
    /// The table that the instruction's number points to.
    pub index: IndexKind,
    pub(crate) flow: u8,
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

/// The table that the number inside an instruction points to.
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
