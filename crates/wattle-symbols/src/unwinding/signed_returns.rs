//! Marks of signed return addresses in the unwind tables of 64-bit Arm (`DW_CFA_AARCH64_negate_ra_state`, "DWARF for the Arm 64-bit
//! Architecture").
//!
//! Programs that sign return addresses (`-mbranch-protection`; Android's own libraries do) say at each signing that the address in the
//! link register, or on the stack, has a signature from there on. Signatures are taken off wherever they are, so the mark says
//! nothing; but readers that do not know it give up the whole function. It becomes `DW_CFA_nop`, which is as long.

use crate::number_bytes::{u32_at, uleb};

const NOP: u8 = 0;
/// `DW_CFA_AARCH64_negate_ra_state_with_pc`, and the one without.
const MARKS: [u8; 2] = [0x2c, 0x2d];

/// Which of the two sections with rows it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowTable {
    /// `.eh_frame`: a row's common part is so far before it, pointers have the form that that states.
    EhFrame,
    /// `.debug_frame`: a row's common part is there, pointers are addresses.
    DebugFrame,
}

impl RowTable {
    /// Makes the marks nothing. What is no table stays as it is from there on.
    pub fn without_marks(self, bytes: &mut [u8]) {
        let mut at = 0;
        while let Some(length) = u32_at(bytes, at) {
            // Zero ends `.eh_frame`; the form with 64 bits is written by nobody.
            let end = at.saturating_add(4).saturating_add(length as usize);
            if length == 0 || length == u32::MAX || end > bytes.len() {
                break;
            }
            if let Some(from) = self.instructions(bytes, at, end) {
                unmark(bytes, from, end);
            }
            at = end;
        }
    }

    /// The place of the instructions of the row, or common part, from `at` to `end`.
    fn instructions(self, bytes: &[u8], at: usize, end: usize) -> Option<usize> {
        let id = u32_at(bytes, at + 4)?;
        if self.is_common(id) {
            return Some(Common::read(bytes, at, end)?.instructions);
        }
        let common = match self {
            Self::EhFrame => (at + 4).checked_sub(id as usize)?,
            Self::DebugFrame => id as usize,
        };
        let common_end = common.checked_add(4)?.checked_add(u32_at(bytes, common)? as usize)?;
        if !self.is_common(u32_at(bytes, common.checked_add(4)?)?) {
            return None;
        }
        let Common { pointer_size, has_data, .. } = Common::read(bytes, common, common_end)?;
        let mut reader = Reader { bytes, at: at + 8, end };
        reader.skip(2 * pointer_size)?;
        if has_data {
            let length = reader.number()?;
            reader.skip(length)?;
        }
        Some(reader.at)
    }

    fn is_common(self, id: u32) -> bool {
        id == if self == Self::EhFrame { 0 } else { u32::MAX }
    }
}

/// The facts of a common part (CIE) on the rows that refer to it.
struct Common {
    pointer_size: usize,
    /// Whether rows have a length and so many bytes before their instructions.
    has_data: bool,
    instructions: usize,
}

impl Common {
    fn read(bytes: &[u8], at: usize, end: usize) -> Option<Self> {
        let mut reader = Reader { bytes, at: at.checked_add(8)?, end };
        let version = reader.byte()?;
        let text_start = reader.at;
        while reader.byte()? != 0 {}
        let text = bytes.get(text_start..reader.at - 1)?;
        if version >= 4 {
            // The sizes of an address and of a segment.
            reader.skip(2)?;
        }
        reader.number()?;
        reader.number()?;
        // The register of the return address: a byte, then a number.
        match version {
            1 => reader.skip(1)?,
            _ => reader.numbers(1)?,
        }
        let mut pointer_size = 8;
        let has_data = text.first() == Some(&b'z');
        if has_data {
            let length = reader.number()?;
            let behind = reader.at.checked_add(length)?;
            for letter in text.get(1..)? {
                match letter {
                    b'R' => pointer_size = size_of_pointer(reader.byte()?)?,
                    b'L' => reader.skip(1)?,
                    b'P' => {
                        let size = size_of_pointer(reader.byte()?)?;
                        reader.skip(size)?;
                    }
                    _ => {}
                }
            }
            reader.at = behind;
        }
        (reader.at <= end).then_some(Self { pointer_size, has_data, instructions: reader.at })
    }
}

/// Bytes of a pointer of this form (`DW_EH_PE_*`); `None` for those without a fixed size.
fn size_of_pointer(form: u8) -> Option<usize> {
    match form & 0x0f {
        0x02 | 0x0a => Some(2),
        0x03 | 0x0b => Some(4),
        0x00 | 0x04 | 0x0c => Some(8),
        _ => None,
    }
}

/// Makes the marks among instructions nothing, up to one whose length is not known.
fn unmark(bytes: &mut [u8], from: usize, end: usize) {
    let mut at = from;
    while at < end {
        let Some(code) = bytes.get(at).copied() else { return };
        if MARKS.contains(&code) {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = NOP;
            }
            at += 1;
            continue;
        }
        let mut reader = Reader { bytes, at: at + 1, end };
        if reader.operands(code).is_none() {
            return;
        }
        at = reader.at;
    }
}

/// Bytes up to an end.
struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
    end: usize,
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.at).copied().filter(|_| self.at < self.end)?;
        self.at += 1;
        Some(byte)
    }

    fn skip(&mut self, bytes: usize) -> Option<()> {
        self.at = self.at.checked_add(bytes).filter(|at| *at <= self.end)?;
        Some(())
    }

    /// A number in LEB128, with a sign or without: of a negative one only the length is right.
    fn number(&mut self) -> Option<usize> {
        Some(uleb(self.bytes.get(..self.end)?, &mut self.at)? as usize)
    }

    fn numbers(&mut self, count: usize) -> Option<()> {
        (0..count).try_for_each(|_| self.number().map(drop))
    }

    /// Goes behind the operands of an instruction (`DW_CFA_*`).
    fn operands(&mut self, code: u8) -> Option<()> {
        match code {
            // Also a step in the code, and a register as it was: their operand is in the code.
            0x00 | 0x0a | 0x0b | 0x40..=0x7f | 0xc0..=0xff => Some(()),
            0x02 => self.skip(1),
            0x03 => self.skip(2),
            0x04 => self.skip(4),
            0x06..=0x08 | 0x0d | 0x0e | 0x13 | 0x2e | 0x80..=0xbf => self.numbers(1),
            0x05 | 0x09 | 0x0c | 0x11 | 0x12 | 0x14 | 0x15 | 0x2f => self.numbers(2),
            0x0f => {
                let length = self.number()?;
                self.skip(length)
            }
            0x10 | 0x16 => {
                self.number()?;
                let length = self.number()?;
                self.skip(length)
            }
            // `DW_CFA_set_loc` and codes of others.
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A common part `zR` with 32-bit pointers, and a row of it.
    fn table(common: &[u8], row: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut part = |id: u32, body: &[u8]| {
            bytes.extend((4 + body.len() as u32).to_le_bytes());
            bytes.extend(id.to_le_bytes());
            bytes.extend(body);
        };
        part(0, &[&[1, b'z', b'R', 0, 4, 0x78, 30, 1, 0x1b][..], common].concat());
        let to_common = 8 + 9 + common.len() as u32 + 4;
        part(to_common, &[&[1, 0, 0, 0, 2, 0, 0, 0, 0][..], row].concat());
        bytes.extend([0; 4]);
        bytes
    }

    #[track_caller]
    fn check(row: &[u8], expected: &[u8]) {
        let common = [0x0c, 31, 0];
        let mut bytes = table(&common, row);
        RowTable::EhFrame.without_marks(&mut bytes);
        assert_eq!(bytes, table(&common, expected));
    }

    #[test]
    fn marks_become_nothing() {
        check(&[0x41, 0x2d, 0x0e, 0x20, 0x2d], &[0x41, 0, 0x0e, 0x20, 0]);
        check(&[0x2c, 0x2d], &[0, 0]);
        // As operands they are numbers.
        check(&[0x0e, 0x2d, 0x9e, 0x2d, 0x02, 0x2d], &[0x0e, 0x2d, 0x9e, 0x2d, 0x02, 0x2d]);
        check(
            &[0x0f, 2, 0x2d, 0x2d, 0x10, 30, 1, 0x2d, 0x2d],
            &[0x0f, 2, 0x2d, 0x2d, 0x10, 30, 1, 0x2d, 0],
        );
        check(&[0x11, 0xad, 0x7d, 0x2d, 0x2d], &[0x11, 0xad, 0x7d, 0x2d, 0]);
        // What follows an instruction of others is not looked at.
        check(&[0x2d, 0x1f, 0x2d], &[0, 0x1f, 0x2d]);
    }

    #[test]
    fn what_is_no_table_is_left_alone() {
        let whole = table(&[0x0c, 31, 0], &[0x41, 0x2d]);
        for table in [RowTable::EhFrame, RowTable::DebugFrame] {
            for end in 0..whole.len() {
                for (at, byte) in [(0, 0xff), (4, 0x80), (9, 1), (13, 0xff), (17, 0x07)] {
                    let mut damaged = whole.get(..end).unwrap_or_default().to_vec();
                    if let Some(place) = damaged.get_mut(at) {
                        *place = byte;
                    }
                    table.without_marks(&mut damaged);
                    assert_eq!(damaged.len(), end);
                }
            }
        }
    }
}
