//! One instruction to its units.

use super::layout::{Layout, inverted_goto};
use super::{Instruction, Operand};
use crate::cursor::Put;
use crate::decoded::{FILL_ARRAY, PACKED_SWITCH, SPARSE_SWITCH};
use crate::opcode_info::Format;
use crate::opcode_table::Opcode;
use crate::remap::Remap;
use crate::{DexError, Result, Section};

/// The place of an instruction among the units of its body.
#[derive(Clone, Copy)]
pub(super) struct Position {
    /// Its first unit.
    pub(super) at: u32,
    /// The number of its units.
    pub(super) length: u32,
    /// The first unit of its payload, if it has one.
    pub(super) payload: Option<u32>,
}

/// Writes the instructions of one body that has been laid out.
pub(super) struct Encoder<'e> {
    pub(super) layout: &'e Layout,
    pub(super) remap: &'e Remap,
}

impl Encoder<'_> {
    /// Appends an instruction.
    pub(super) fn encode(
        &self,
        instruction: &Instruction,
        position: Position,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let Self { layout, remap } = *self;
        let Position { at, length, payload } = position;
        let target = match (&instruction.operand, payload) {
            (Operand::Label(label), _) => i64::from(layout.label(*label)?) - i64::from(at),
            (_, Some(payload)) => i64::from(payload) - i64::from(at),
            _ => 0,
        };
        if instruction.opcode.is_goto() {
            match length {
                1 => out.put_u16(u16::from(Opcode::GOTO.0) | (target as u16) << 8),
                2 => {
                    out.put_u16(u16::from(Opcode::GOTO_16.0));
                    out.put_u16(target as u16);
                }
                _ => {
                    out.put_u16(u16::from(Opcode::GOTO_32.0));
                    out.put_u32(target as u32);
                }
            }
            return Ok(());
        }
        if instruction.opcode.is_branch()
            && let Some((goto, inverted)) = inverted_goto(length).zip(instruction.opcode.inverted())
        {
            let over = i64::from(length);
            shape(inverted, instruction, index(instruction, remap)?, over, out)?;
            out.put_u16(u16::from(goto.0));
            if goto == Opcode::GOTO_16 {
                out.put_u16((target - 2) as u16);
            } else {
                out.put_u32((target - 2) as u32);
            }
            return Ok(());
        }
        let opcode = match instruction.opcode {
            Opcode::CONST_STRING | Opcode::CONST_STRING_JUMBO if length == 3 => {
                Opcode::CONST_STRING_JUMBO
            }
            Opcode::CONST_STRING_JUMBO => Opcode::CONST_STRING,
            other => other,
        };
        shape(opcode, instruction, index(instruction, remap)?, target, out)
    }
}

/// The final numbers of what it names.
fn index(instruction: &Instruction, remap: &Remap) -> Result<(u32, u32)> {
    let place = Section::CODE;
    Ok(match instruction.operand {
        Operand::String(id) => (remap.string(id.0, &place)?, 0),
        Operand::Type(id) => (remap.ty(id.0, &place)?, 0),
        Operand::Field(id) => (remap.field(id.0, &place)?, 0),
        Operand::Method(id) => (remap.method(id.0, &place)?, 0),
        Operand::Polymorphic(id, proto) => {
            (remap.method(id.0, &place)?, remap.proto(proto.0, &place)?)
        }
        Operand::CallSite(id) => (remap.call_site(id.0, &place)?, 0),
        Operand::MethodHandle(id) => (remap.handle(id.0, &place)?, 0),
        Operand::Proto(id) => (remap.proto(id.0, &place)?, 0),
        _ => (0, 0),
    })
}

struct Fields<'i> {
    opcode: Opcode,
    format: Format,
    instruction: &'i Instruction,
}

impl Fields<'_> {
    fn register(&self, position: usize) -> Result<u16> {
        let register = self.instruction.registers.get(position);
        let limit = u32::from(self.format.register_limit(position));
        if register > limit {
            return Err(self.does_not_fit("register", i64::from(register), i64::from(limit)));
        }
        Ok(register as u16)
    }

    fn does_not_fit(&self, operand: &'static str, found: i64, limit: i64) -> DexError {
        DexError::Operand { opcode: self.opcode.name(), operand, found, limit }
    }

    fn literal(&self, bits: u32, shift: u32) -> Result<i64> {
        let Operand::Literal(value) = self.instruction.operand else {
            return Err(self.does_not_fit("literal", 0, 0));
        };
        let narrow = value >> shift;
        let limit = i64::MAX >> (64 - bits);
        if narrow << shift != value || narrow > limit || narrow < -limit - 1 {
            return Err(self.does_not_fit("literal", value, limit << shift));
        }
        Ok(narrow)
    }

    fn first(&self, value: u16) -> u16 {
        u16::from(self.opcode.0) | value << 8
    }

    fn count(&self, expected: usize) -> Result<()> {
        let found = self.instruction.registers.len();
        let is_range = matches!(self.format, Format::F3rc | Format::F4rcc);
        if self.instruction.registers.is_range() != is_range || (!is_range && found != expected) {
            return Err(self.does_not_fit("number of registers", found as i64, expected as i64));
        }
        Ok(())
    }
}

fn shape(
    opcode: Opcode,
    instruction: &Instruction,
    (index, proto): (u32, u32),
    target: i64,
    out: &mut Vec<u8>,
) -> Result<()> {
    let format = opcode.info().map_or(Format::F10x, |info| info.format);
    let it = Fields { opcode, format, instruction };
    let index16 =
        || u16::try_from(index).map_err(|_| it.does_not_fit("number", i64::from(index), 0xffff));
    let target16 = || i16::try_from(target).map_err(|_| it.does_not_fit("distance", target, 32767));
    let nibbles = || -> Result<u16> { Ok(it.first(it.register(0)? | it.register(1)? << 4)) };
    match format {
        Format::F10x => {
            it.count(0)?;
            out.put_u16(it.first(0));
        }
        Format::F12x => {
            it.count(2)?;
            out.put_u16(nibbles()?);
        }
        Format::F11n => {
            it.count(1)?;
            out.put_u16(it.first(it.register(0)? | (it.literal(4, 0)? as u16 & 0xf) << 4));
        }
        Format::F11x => {
            it.count(1)?;
            out.put_u16(it.first(it.register(0)?));
        }
        // The forms of `goto` are written by the caller.
        Format::F10t | Format::F20t | Format::F30t => {}
        Format::F22x => {
            it.count(2)?;
            out.put_u16(it.first(it.register(0)?));
            out.put_u16(it.register(1)?);
        }
        Format::F21t => {
            it.count(1)?;
            out.put_u16(it.first(it.register(0)?));
            out.put_u16(target16()? as u16);
        }
        Format::F21s => {
            it.count(1)?;
            out.put_u16(it.first(it.register(0)?));
            out.put_u16(it.literal(16, 0)? as u16);
        }
        Format::F21h => {
            it.count(1)?;
            out.put_u16(it.first(it.register(0)?));
            let shift = if opcode == Opcode::CONST_HIGH16 { 16 } else { 48 };
            out.put_u16(it.literal(16, shift)? as u16);
        }
        Format::F21c => {
            it.count(1)?;
            out.put_u16(it.first(it.register(0)?));
            out.put_u16(index16()?);
        }
        Format::F23x => {
            it.count(3)?;
            out.put_u16(it.first(it.register(0)?));
            out.put_u16(it.register(1)? | it.register(2)? << 8);
        }
        Format::F22b => {
            it.count(2)?;
            out.put_u16(it.first(it.register(0)?));
            out.put_u16(it.register(1)? | (it.literal(8, 0)? as u16) << 8);
        }
        Format::F22t => {
            it.count(2)?;
            out.put_u16(nibbles()?);
            out.put_u16(target16()? as u16);
        }
        Format::F22s => {
            it.count(2)?;
            out.put_u16(nibbles()?);
            out.put_u16(it.literal(16, 0)? as u16);
        }
        Format::F22c => {
            it.count(2)?;
            out.put_u16(nibbles()?);
            out.put_u16(index16()?);
        }
        Format::F32x => {
            it.count(2)?;
            out.put_u16(it.first(0));
            out.put_u16(it.register(0)?);
            out.put_u16(it.register(1)?);
        }
        Format::F31i => {
            it.count(1)?;
            out.put_u16(it.first(it.register(0)?));
            out.put_u32(it.literal(32, 0)? as u32);
        }
        Format::F31t => {
            it.count(1)?;
            out.put_u16(it.first(it.register(0)?));
            out.put_u32(target as u32);
        }
        Format::F31c => {
            it.count(1)?;
            out.put_u16(it.first(it.register(0)?));
            out.put_u32(index);
        }
        Format::F35c | Format::F45cc => {
            let count = instruction.registers.len() as u16;
            it.count(count.into())?;
            let mut list = [0; 5];
            for (position, slot) in list.iter_mut().enumerate().take(count.into()) {
                *slot = it.register(position)?;
            }
            let [c, d, e, f, g] = list;
            out.put_u16(it.first(g | count << 4));
            out.put_u16(index16()?);
            out.put_u16(c | d << 4 | e << 8 | f << 12);
        }
        Format::F3rc | Format::F4rcc => {
            it.count(0)?;
            out.put_u16(it.first(instruction.registers.len() as u16));
            out.put_u16(index16()?);
            out.put_u16(it.register(0)?);
        }
        Format::F51l => {
            it.count(1)?;
            out.put_u16(it.first(it.register(0)?));
            out.extend(it.literal(64, 0)?.to_le_bytes());
        }
    }
    if matches!(format, Format::F45cc | Format::F4rcc) {
        out.put_u16(proto as u16);
    }
    Ok(())
}

/// Appends the payload of an instruction that stands at a unit.
pub(crate) fn encode_payload(
    instruction: &Instruction,
    at: u32,
    layout: &Layout,
    out: &mut Vec<u8>,
) -> Result<()> {
    match &instruction.operand {
        Operand::Switch(switch) => {
            let packed = instruction.opcode == Opcode::PACKED_SWITCH;
            out.put_u16(if packed { PACKED_SWITCH } else { SPARSE_SWITCH });
            out.put_u16(switch.cases.len() as u16);
            if packed {
                let first = switch.cases.first().map_or(0, |case| case.0);
                out.put_u32(first as u32);
                let gap = switch
                    .cases
                    .iter()
                    .zip(0_i64..)
                    .find(|((key, _), n)| i64::from(*key) != i64::from(first) + n);
                if let Some(((key, _), n)) = gap {
                    return Err(DexError::Edit {
                        subject: "packed-switch",
                        expected: format!("case {}", i64::from(first) + n),
                        found: format!("case {key}"),
                    });
                }
            } else {
                for (key, _) in &switch.cases {
                    out.put_u32(*key as u32);
                }
            }
            for (_, label) in &switch.cases {
                out.put_u32(layout.label(*label)?.wrapping_sub(at));
            }
        }
        Operand::Data(data) => {
            let width = usize::from(data.width).max(1);
            out.put_u16(FILL_ARRAY);
            out.put_u16(data.width);
            out.put_u32((data.bytes.len() / width) as u32);
            out.extend_from_slice(&data.bytes);
            if data.bytes.len() % 2 != 0 {
                out.push(0);
            }
        }
        _ => {}
    }
    Ok(())
}
