//! Which registers an instruction reads and writes.

use crate::{Opcode, Registers};

/// The registers of an opcode by operand position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Effects {
    /// The role of operand 0.
    first: First,
    /// Whether operand 0 is a pair.
    wide: bool,
    /// The operands 1 and 2 that are read, and whether each is a pair.
    sources: [Source; 2],
    /// Whether every operand is read (calls).
    all: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum First {
    Nothing,
    Written,
    Read,
    Both,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    None,
    Single,
    Pair,
}

static EFFECTS: [Effects; 256] = {
    let mut effects = [Effects::of(Opcode::NOP); 256];
    let mut opcode = 0;
    while opcode < effects.len() {
        effects[opcode] = Effects::of(Opcode(opcode as u8));
        opcode += 1;
    }
    effects
};

/// Whether operand 0 of the group of seven (plain, wide, object, boolean, byte, char, short) is a pair.
const fn second_of_seven(code: u8, base: u8) -> bool {
    code == base + 1
}

impl Effects {
    pub(crate) fn from_opcode(opcode: Opcode) -> Self {
        EFFECTS[usize::from(opcode.0)]
    }

    #[expect(clippy::match_same_arms, reason = "the arms follow the order of the opcodes")]
    const fn of(opcode: Opcode) -> Self {
        use First::{Both, Nothing, Read, Written};
        use Source::{None, Pair, Single};
        let code = opcode.0;
        let (first, wide, a, b) = match code {
            0x01..=0x03 | 0x07..=0x09 | 0x20 | 0x21 | 0x23 => (Written, false, Single, None),
            0x04..=0x06 => (Written, true, Pair, None),
            0x0a | 0x0c | 0x0d | 0x12..=0x15 | 0x1a..=0x1c | 0x22 | 0xfe | 0xff => {
                (Written, false, None, None)
            }
            0x0b | 0x16..=0x19 => (Written, true, None, None),
            0x0f | 0x11 | 0x1d | 0x1e | 0x26 | 0x27 | 0x2b | 0x2c | 0x38..=0x3d => {
                (Read, false, None, None)
            }
            0x10 => (Read, true, None, None),
            0x1f => (Both, false, None, None),
            0x2d | 0x2e => (Written, false, Single, Single),
            0x2f..=0x31 => (Written, false, Pair, Pair),
            0x32..=0x37 => (Read, false, Single, None),
            0x44..=0x4a => (Written, second_of_seven(code, 0x44), Single, Single),
            0x4b..=0x51 => (Read, second_of_seven(code, 0x4b), Single, Single),
            0x52..=0x58 => (Written, second_of_seven(code, 0x52), Single, None),
            0x59..=0x5f => (Read, second_of_seven(code, 0x59), Single, None),
            0x60..=0x66 => (Written, second_of_seven(code, 0x60), None, None),
            0x67..=0x6d => (Read, second_of_seven(code, 0x67), None, None),
            0x7b | 0x7c | 0x7f | 0x82 | 0x87 | 0x8d..=0x8f => (Written, false, Single, None),
            0x7d | 0x7e | 0x80 | 0x86 | 0x8b => (Written, true, Pair, None),
            0x81 | 0x83 | 0x88 | 0x89 => (Written, true, Single, None),
            0x84 | 0x85 | 0x8a | 0x8c => (Written, false, Pair, None),
            0x90..=0x9a | 0xa6..=0xaa => (Written, false, Single, Single),
            0x9b..=0xa2 | 0xab..=0xaf => (Written, true, Pair, Pair),
            0xa3..=0xa5 => (Written, true, Pair, Single),
            0xb0..=0xba | 0xc6..=0xca => (Both, false, Single, None),
            0xbb..=0xc2 | 0xcb..=0xcf => (Both, true, Pair, None),
            0xc3..=0xc5 => (Both, true, Single, None),
            0xd0..=0xe2 => (Written, false, Single, None),
            _ => (Nothing, false, None, None),
        };
        let all = matches!(code, 0x24 | 0x25 | 0x6e..=0x72 | 0x74..=0x78 | 0xfa..=0xfd);
        Self { first, wide, sources: [a, b], all }
    }

    /// The register that is written, and whether the next one is too.
    pub(crate) fn written(self, registers: &Registers) -> Option<(u32, bool)> {
        matches!(self.first, First::Written | First::Both).then(|| (registers.get(0), self.wide))
    }

    /// Calls `each` with every register that is read, both halves of pairs.
    pub(crate) fn read(self, registers: &Registers, mut each: impl FnMut(u32)) {
        if self.all {
            registers.iter().for_each(each);
            return;
        }
        let mut operand = |position: usize, wide: bool| {
            let register = registers.get(position);
            each(register);
            if wide {
                each(register + 1);
            }
        };
        if matches!(self.first, First::Read | First::Both) {
            operand(0, self.wide);
        }
        for (position, source) in self.sources.into_iter().enumerate() {
            if source != Source::None {
                operand(position + 1, source == Source::Pair);
            }
        }
    }
}
