//! Instructions that undo a function's frame on 32-bit Arm: the bytecode of exception tables (Arm IHI 0038, "Exception handling ABI
//! for the Arm architecture", frame unwinding instructions).

use crate::number_bytes::next_uleb;

/// The registers of 32-bit Arm: r0 to r15.
pub(super) type ArmRegisters = [u32; 16];

/// The number of the stack's register.
pub(super) const STACK: usize = 13;
/// That of the address to return to.
pub(super) const LINK: usize = 14;
/// That of the instruction's address.
pub(super) const COUNTER: usize = 15;

/// Why a frame cannot be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameError {
    /// The function refuses to be unwound.
    Refused,
    /// An instruction that is reserved, or ends early.
    Instruction,
    /// A register is saved where the copy of the stack does not reach.
    Memory,
}

/// Undoes a frame: runs the instructions of its function. `read` gives the word at an address. The caller's registers are the result; its
/// counter is where the function returns to.
pub(super) fn undo_frame(
    instructions: &[u8],
    registers: &ArmRegisters,
    read: &mut impl FnMut(u32) -> Option<u32>,
) -> Result<ArmRegisters, FrameError> {
    let mut frame = Frame { registers: *registers, stack: registers[STACK], popped: 0, read };
    let mut bytes = instructions.iter().copied();
    while let Some(first) = bytes.next() {
        if !frame.step(first, &mut bytes)? {
            break;
        }
    }
    Ok(frame.caller())
}

/// A frame that is undone so far.
struct Frame<'r, R> {
    registers: ArmRegisters,
    /// The virtual stack pointer.
    stack: u32,
    /// The registers that were restored, as a mask.
    popped: u16,
    read: &'r mut R,
}

impl<R: FnMut(u32) -> Option<u32>> Frame<'_, R> {
    /// Runs one instruction; whether others follow.
    fn step(
        &mut self,
        first: u8,
        bytes: &mut impl Iterator<Item = u8>,
    ) -> Result<bool, FrameError> {
        let mut second = || bytes.next().ok_or(FrameError::Instruction);
        let low = u32::from(first & 7);
        match first {
            0x00..=0x3f => self.raise((u32::from(first & 0x3f) << 2) + 4),
            0x40..=0x7f => {
                self.stack = self.stack.wrapping_sub((u32::from(first & 0x3f) << 2) + 4);
            }
            0x80..=0x8f => {
                let mask = u16::from(first & 0xf) << 8 | u16::from(second()?);
                if mask == 0 {
                    return Err(FrameError::Refused);
                }
                self.pop(mask << 4)?;
            }
            0x9d | 0x9f => return Err(FrameError::Instruction),
            0x90..=0x9f => self.stack = self.registers[usize::from(first & 0xf)],
            // r4 to r(4+n), and the link for the second eight.
            0xa0..=0xaf => {
                let link = u16::from(first & 8 != 0) << LINK;
                self.pop(((1 << (low + 1)) - 1) << 4 | link)?;
            }
            0xb0 => return Ok(false),
            0xb1 => match second()? {
                mask @ 0x01..=0x0f => self.pop(u16::from(mask))?,
                _ => return Err(FrameError::Instruction),
            },
            0xb2 => self.raise(large_step(bytes).ok_or(FrameError::Instruction)?),
            // Registers of the floating-point unit: what is in them does not matter to callers. FSTMFDX has a word more.
            0xb3 => self.raise(8 * (u32::from(second()? & 0xf) + 1) + 4),
            // The signature of the address to return to.
            0xb4 => self.raise(4),
            // The signature is of the stack pointer: nothing to restore.
            0xb5 => {}
            0xb8..=0xbf => self.raise(8 * (low + 1) + 4),
            0xc0..=0xc5 | 0xd0..=0xd7 => self.raise(8 * (low + 1)),
            0xc6 | 0xc8 | 0xc9 => self.raise(8 * (u32::from(second()? & 0xf) + 1)),
            0xc7 => match second()? {
                mask @ 0x01..=0x0f => self.raise(4 * mask.count_ones()),
                _ => return Err(FrameError::Instruction),
            },
            _ => return Err(FrameError::Instruction),
        }
        Ok(true)
    }

    fn raise(&mut self, bytes: u32) {
        self.stack = self.stack.wrapping_add(bytes);
    }

    /// Restores registers in the order of their numbers.
    fn pop(&mut self, mask: u16) -> Result<(), FrameError> {
        for (number, register) in self.registers.iter_mut().enumerate() {
            if mask >> number & 1 == 1 {
                *register = (self.read)(self.stack).ok_or(FrameError::Memory)?;
                self.stack = self.stack.wrapping_add(4);
            }
        }
        if mask >> STACK & 1 == 1 {
            self.stack = self.registers[STACK];
        }
        self.popped |= mask;
        Ok(())
    }

    fn caller(self) -> ArmRegisters {
        let mut caller = self.registers;
        caller[STACK] = self.stack;
        if self.popped >> COUNTER & 1 == 0 {
            caller[COUNTER] = caller[LINK];
        }
        caller
    }
}

/// `0x204 + (uleb128 << 2)`: steps that are too large for one byte.
fn large_step(bytes: &mut impl Iterator<Item = u8>) -> Option<u32> {
    Some(0x204_u32.wrapping_add(next_uleb(bytes)? << 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: u32 = 0x1000;

    /// A stack at [`AT`] whose words are 0xa0, 0xa1 and so on; the stack pointer is its start.
    fn run(instructions: &[u8]) -> Result<ArmRegisters, FrameError> {
        let mut registers: ArmRegisters = std::array::from_fn(|number| number as u32);
        registers[STACK] = AT;
        registers[LINK] = 0x8001;
        registers[7] = AT + 0x40;
        let mut read = |at: u32| at.checked_sub(AT).filter(|at| *at < 256).map(|at| 0xa0 + at / 4);
        undo_frame(instructions, &registers, &mut read)
    }

    #[track_caller]
    fn check(instructions: &[u8], stack: u32, restored: &[(usize, u32)]) {
        let found = run(instructions).unwrap();
        assert_eq!(found[STACK], stack, "{instructions:x?}");
        for (register, value) in restored {
            assert_eq!(found[*register], *value, "{instructions:x?} r{register}");
        }
    }

    /// The table of section 10.3, one line each.
    #[test]
    fn every_instruction() {
        check(&[0x00, 0xb0], AT + 4, &[(COUNTER, 0x8001)]);
        check(&[0x3f], AT + 0x100, &[]);
        check(&[0x3f, 0x40], AT + 0xfc, &[]);
        check(&[0x3f, 0x7f], AT, &[]);
        // r4, r11, and the counter.
        check(&[0x88, 0x81], AT + 12, &[(4, 0xa0), (11, 0xa1), (15, 0xa2), (5, 5)]);
        // The stack pointer among them.
        check(&[0x82, 0x01], 0xa1, &[(4, 0xa0)]);
        check(&[0x97], AT + 0x40, &[]);
        check(&[0xa2], AT + 12, &[(4, 0xa0), (6, 0xa2), (7, AT + 0x40), (COUNTER, 0x8001)]);
        check(&[0xa8], AT + 8, &[(4, 0xa0), (LINK, 0xa1), (COUNTER, 0xa1)]);
        check(&[0xaf], AT + 36, &[(11, 0xa7), (COUNTER, 0xa8)]);
        check(&[0xb1, 0x0f], AT + 16, &[(0, 0xa0), (3, 0xa3)]);
        check(&[0xb2, 0x04], AT + 0x214, &[]);
        check(&[0xb2, 0x81, 0x01], AT + 0x204 + (129 << 2), &[]);
        check(&[0xb3, 0x81], AT + 20, &[]);
        check(&[0xb4], AT + 4, &[]);
        check(&[0xb5], AT, &[]);
        check(&[0xb9], AT + 20, &[]);
        check(&[0xc2], AT + 24, &[]);
        check(&[0xc6, 0x03], AT + 32, &[]);
        check(&[0xc7, 0x05], AT + 8, &[]);
        check(&[0xc8, 0x02], AT + 24, &[]);
        check(&[0xc9, 0x81], AT + 16, &[]);
        check(&[0xd3], AT + 32, &[]);
        // Behind the end nothing runs.
        check(&[0xb0, 0x00], AT, &[]);
        check(&[], AT, &[(COUNTER, 0x8001)]);
    }

    #[test]
    fn what_is_reserved_is_refused() {
        assert_eq!(run(&[0x80, 0x00]), Err(FrameError::Refused));
        for reserved in [
            &[0x9d][..],
            &[0x9f],
            &[0xb1, 0x00],
            &[0xb1, 0x10],
            &[0xb6],
            &[0xb7],
            &[0xc7, 0x00],
            &[0xc7, 0x10],
            &[0xca],
            &[0xcf],
            &[0xd8],
            &[0xff],
            &[0x84],
            &[0xb1],
            &[0xb2],
            &[0xb2, 0x80],
            &[0xb2, 0x80, 0x80, 0x80, 0x80, 0x80],
            &[0xb3],
            &[0xc6],
            &[0xc7],
            &[0xc8],
            &[0xc9],
        ] {
            assert_eq!(run(reserved), Err(FrameError::Instruction), "{reserved:x?}");
        }
        assert_eq!(run(&[0x3f, 0xa0]), Err(FrameError::Memory));
    }

    /// As compilers write it: frame pointer in r7, locals, d8 and d9, r4 to r7 and the link.
    #[test]
    fn a_usual_function() {
        let found = run(&[0x97, 0x41, 0xd1, 0xab, 0xb0]).unwrap();
        let saved = 0xa0 + (0x40 - 8 + 16) / 4;
        assert_eq!(found[4], saved);
        assert_eq!(found[COUNTER], saved + 4);
        assert_eq!(found[STACK], AT + 0x40 - 8 + 16 + 20);
    }
}
