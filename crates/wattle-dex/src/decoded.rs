//! One instruction as it stands in the code, operands unpacked.

use crate::effects::Effects;
use crate::opcode_info::{Format, IndexKind, OpcodeInfo};
use crate::opcode_table::Opcode;

/// The 16-bit units of a method's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Units<'a>(&'a [u8]);

impl<'a> Units<'a> {
    /// Takes little-endian units.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Their number.
    pub const fn len(self) -> u32 {
        (self.0.len() / 2) as u32
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The bytes.
    pub const fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// One unit.
    #[inline]
    pub fn get(self, at: u32) -> Option<u16> {
        let at = at as usize * 2;
        self.0.get(at..at + 2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
    }

    /// Two units as a 32-bit number.
    #[inline]
    pub fn get_u32(self, at: u32) -> Option<u32> {
        let at = at as usize * 2;
        self.0.get(at..at + 4)?.first_chunk().copied().map(u32::from_le_bytes)
    }

    fn get_u64(self, at: u32) -> Option<u64> {
        let at = at as usize * 2;
        self.0.get(at..at + 8)?.first_chunk().copied().map(u64::from_le_bytes)
    }
}

/// Register operands: up to five named ones, or a range.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Registers {
    list: [u16; 5],
    count: u8,
    range: bool,
}

impl Registers {
    /// No register.
    pub const NONE: Self = Self { list: [0; 5], count: 0, range: false };

    /// Up to five registers; `None` where there are more.
    pub fn list(registers: &[u16]) -> Option<Self> {
        let mut list = [0; 5];
        list.get_mut(..registers.len())?.copy_from_slice(registers);
        Some(Self { list, count: registers.len() as u8, range: false })
    }

    /// `count` registers from `first` on.
    pub const fn range(first: u16, count: u8) -> Self {
        Self { list: [first, 0, 0, 0, 0], count, range: true }
    }

    pub(crate) const fn one(a: u16) -> Self {
        Self { list: [a, 0, 0, 0, 0], count: 1, range: false }
    }

    pub(crate) const fn two(a: u16, b: u16) -> Self {
        Self { list: [a, b, 0, 0, 0], count: 2, range: false }
    }

    pub(crate) const fn three(a: u16, b: u16, c: u16) -> Self {
        Self { list: [a, b, c, 0, 0], count: 3, range: false }
    }

    /// The number of registers.
    pub const fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether they are a range.
    pub const fn is_range(&self) -> bool {
        self.range
    }

    /// The `position`-th; 0 where there is none. Wide, so that a range past 65535 shows.
    #[inline]
    pub fn get(&self, position: usize) -> u32 {
        if self.range {
            u32::from(self.list[0]) + position as u32
        } else {
            self.list.get(position).copied().map_or(0, u32::from)
        }
    }

    /// The highest register; 0 of an instruction without any.
    #[inline]
    pub(crate) fn highest(&self) -> u32 {
        if self.range {
            u32::from(self.list[0]) + u32::from(self.count.saturating_sub(1))
        } else {
            // Those that are not named are 0.
            self.list.into_iter().max().map_or(0, u32::from)
        }
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.len()).map(|position| self.get(position))
    }

    /// Each named register replaced; of a range only the first is asked for.
    #[must_use]
    pub fn map(mut self, mut each: impl FnMut(u16) -> u16) -> Self {
        let named = if self.range { 1 } else { self.len() };
        for register in self.list.iter_mut().take(named) {
            *register = each(*register);
        }
        self
    }
}

impl std::fmt::Debug for Registers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// An instruction with its operands unpacked. Operands that its shape has not are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The opcode.
    pub opcode: Opcode,
    /// Its registers, in the order of the mnemonic's operands.
    pub registers: Registers,
    /// The number of a string, type, field, …; see [`OpcodeInfo::index`].
    pub index: u32,
    /// The signature's number of `invoke-polymorphic`.
    pub proto: u32,
    /// The literal, sign-extended and shifted into place.
    pub literal: i64,
    /// Distance in units of a branch, or to a payload.
    pub offset: i32,
    /// Length in units.
    pub units: u32,
}

impl Decoded {
    #[inline]
    /// Reads the instruction at a unit. `None`: an unused opcode, a payload, or the code ends inside it.
    pub fn at(code: Units<'_>, at: u32) -> Option<Self> {
        let unit = code.get(at)?;
        let opcode = Opcode(unit as u8);
        let info = opcode.info()?;
        let high = unit >> 8;
        if opcode == Opcode::NOP && high != 0 {
            return None;
        }
        let (nibble_a, nibble_b) = (high & 0xf, high >> 4);
        let second = || code.get(at.checked_add(1)?);
        let wide = || code.get_u32(at.checked_add(1)?);
        let mut it = Self {
            opcode,
            registers: Registers::NONE,
            index: 0,
            proto: 0,
            literal: 0,
            offset: 0,
            units: info.format.units(),
        };
        match info.format {
            Format::F10x => {}
            Format::F12x => it.registers = Registers::two(nibble_a, nibble_b),
            Format::F11n => {
                it.registers = Registers::one(nibble_a);
                it.literal = i64::from((unit as i16) >> 12);
            }
            Format::F11x => it.registers = Registers::one(high),
            Format::F10t => it.offset = i32::from(high as u8 as i8),
            Format::F20t => it.offset = i32::from(second()? as i16),
            Format::F22x => it.registers = Registers::two(high, second()?),
            Format::F21t => {
                it.registers = Registers::one(high);
                it.offset = i32::from(second()? as i16);
            }
            Format::F21s => {
                it.registers = Registers::one(high);
                it.literal = i64::from(second()? as i16);
            }
            Format::F21h => {
                it.registers = Registers::one(high);
                let shift = if opcode == Opcode::CONST_HIGH16 { 16 } else { 48 };
                it.literal = i64::from(second()? as i16) << shift;
            }
            Format::F21c => {
                it.registers = Registers::one(high);
                it.index = u32::from(second()?);
            }
            Format::F23x => {
                let unit = second()?;
                it.registers = Registers::three(high, unit & 0xff, unit >> 8);
            }
            Format::F22b => {
                let unit = second()?;
                it.registers = Registers::two(high, unit & 0xff);
                it.literal = i64::from((unit as i16) >> 8);
            }
            Format::F22t => {
                it.registers = Registers::two(nibble_a, nibble_b);
                it.offset = i32::from(second()? as i16);
            }
            Format::F22s => {
                it.registers = Registers::two(nibble_a, nibble_b);
                it.literal = i64::from(second()? as i16);
            }
            Format::F22c => {
                it.registers = Registers::two(nibble_a, nibble_b);
                it.index = u32::from(second()?);
            }
            Format::F30t => it.offset = wide()? as i32,
            Format::F32x => {
                it.registers = Registers::two(second()?, code.get(at.checked_add(2)?)?);
            }
            Format::F31i => {
                it.registers = Registers::one(high);
                it.literal = i64::from(wide()? as i32);
            }
            Format::F31t => {
                it.registers = Registers::one(high);
                it.offset = wide()? as i32;
            }
            Format::F31c => {
                it.registers = Registers::one(high);
                it.index = wide()?;
            }
            Format::F35c | Format::F45cc => {
                it.index = u32::from(second()?);
                let packed = code.get(at.checked_add(2)?)?;
                let nibbles =
                    [packed & 0xf, packed >> 4 & 0xf, packed >> 8 & 0xf, packed >> 12, nibble_a];
                it.registers = Registers::list(nibbles.get(..nibble_b as usize)?)?;
                if info.format == Format::F45cc {
                    it.proto = u32::from(code.get(at.checked_add(3)?)?);
                }
            }
            Format::F3rc | Format::F4rcc => {
                it.index = u32::from(second()?);
                it.registers = Registers::range(code.get(at.checked_add(2)?)?, high as u8);
                if info.format == Format::F4rcc {
                    it.proto = u32::from(code.get(at.checked_add(3)?)?);
                }
            }
            Format::F51l => {
                it.registers = Registers::one(high);
                it.literal = code.get_u64(at.checked_add(1)?)? as i64;
            }
        }
        Some(it)
    }

    /// The register that it writes, and whether the next one is the upper half of a pair.
    pub fn written(&self) -> Option<(u32, bool)> {
        Effects::from_opcode(self.opcode).written(&self.registers)
    }

    /// Whether it reads a register, as a half of a pair too.
    pub fn reads(&self, register: u32) -> bool {
        let mut found = false;
        Effects::from_opcode(self.opcode).read(&self.registers, |read| found |= read == register);
        found
    }

    /// Name, shape and flow of its opcode.
    pub fn info(&self) -> &'static OpcodeInfo {
        // Only opcodes with a table entry are decoded; `nop` stands in for the impossible case.
        static NOP: OpcodeInfo = OpcodeInfo::new("nop", Format::F10x, IndexKind::None, b"c");
        self.opcode.info().unwrap_or(&NOP)
    }
}

/// `ident` of `packed-switch-payload`.
pub(crate) const PACKED_SWITCH: u16 = 0x0100;
/// `ident` of `sparse-switch-payload`.
pub(crate) const SPARSE_SWITCH: u16 = 0x0200;
/// `ident` of `fill-array-data-payload`.
pub(crate) const FILL_ARRAY: u16 = 0x0300;

/// Length in units of what stands at a unit: an instruction or a payload. `None` where it is neither or
/// passes the end.
pub(crate) fn length_at(code: Units<'_>, at: u32) -> Option<u32> {
    let unit = code.get(at)?;
    let units = match unit {
        PACKED_SWITCH => u32::from(code.get(at.checked_add(1)?)?) * 2 + 4,
        SPARSE_SWITCH => u32::from(code.get(at.checked_add(1)?)?) * 4 + 2,
        FILL_ARRAY => {
            let width = u64::from(code.get(at.checked_add(1)?)?);
            let count = u64::from(code.get_u32(at.checked_add(2)?)?);
            u32::try_from((width * count).div_ceil(2) + 4).ok()?
        }
        _ if Opcode(unit as u8) == Opcode::NOP && unit != 0 => return None,
        _ => Opcode(unit as u8).info()?.format.units(),
    };
    (at.checked_add(units)? <= code.len()).then_some(units)
}
