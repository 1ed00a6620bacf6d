//! The facts of an instruction that are needed to step over it, in one byte.

use crate::opcode_info::{BRANCH, CONTINUE, Format, IndexKind, RETURN, THROW};
use crate::opcode_table::TABLE;

/// Length and kind of an instruction by its opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnitShape(u8);

const LENGTH: u8 = 7;
const NUMBERED: u8 = 8;
const MOVES: u8 = 16;
const THROWS: u8 = 32;
const CONTINUES: u8 = 64;
const LISTS: u8 = 128;

static SHAPES: [UnitShape; 256] = {
    let mut shapes = [UnitShape(0); 256];
    let mut opcode = 0;
    while opcode < shapes.len() {
        if let Some(info) = &TABLE[opcode] {
            let mut shape = info.format.units() as u8;
            if !matches!(info.index, IndexKind::None) {
                shape |= NUMBERED;
            }
            if info.flow & (BRANCH | RETURN) != 0 || matches!(info.format, Format::F31t) {
                shape |= MOVES;
            }
            if info.flow & THROW != 0 {
                shape |= THROWS;
            }
            if info.flow & CONTINUE != 0 {
                shape |= CONTINUES;
            }
            if matches!(info.format, Format::F35c | Format::F45cc) {
                shape |= LISTS;
            }
            shapes[opcode] = UnitShape(shape);
        }
        opcode += 1;
    }
    shapes
};

impl UnitShape {
    /// Of the instruction whose first unit this is.
    pub(crate) fn of(unit: u16) -> Self {
        SHAPES[usize::from(unit as u8)]
    }

    /// The number of units; 0 where there is no such instruction.
    pub(crate) fn length(self) -> u32 {
        u32::from(self.0 & LENGTH)
    }

    /// Whether its first unit has the number of its registers, which may be five at most.
    pub(crate) fn lists_registers(self) -> bool {
        self.0 & LISTS != 0
    }

    /// Whether it names an entry of a table.
    pub(crate) fn is_numbered(self) -> bool {
        self.0 & NUMBERED != 0
    }

    /// Whether it is a branch, a return, or has a payload.
    pub(crate) fn has_place(self) -> bool {
        self.0 & MOVES != 0
    }

    /// Whether it can throw.
    pub(crate) fn can_throw(self) -> bool {
        self.0 & THROWS != 0
    }

    /// Whether the next instruction can follow.
    pub(crate) fn can_continue(self) -> bool {
        self.0 & CONTINUES != 0
    }
}

#[cfg(test)]
mod tests {
    use super::UnitShape;
    use crate::Opcode;

    #[test]
    fn shapes_are_those_of_the_table() {
        for number in 0..=255 {
            let (opcode, shape) = (Opcode(number), UnitShape::of(0xab00 | u16::from(number)));
            let info = opcode.info();
            assert_eq!(shape.length(), info.map_or(0, |info| info.format.units()), "{opcode}");
            assert_eq!(shape.can_throw(), opcode.can_throw(), "{opcode}");
            assert_eq!(shape.can_continue(), opcode.can_continue(), "{opcode}");
            if opcode.is_branch() || opcode.is_return() || opcode.is_switch() {
                assert!(shape.has_place(), "{opcode}");
            }
        }
    }
}
