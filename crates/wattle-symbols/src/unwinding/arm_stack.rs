//! Callers in copied stacks of 32-bit Arm.

use wattle_timeline::{MappedRange, StackRegisters};

use super::arm_frame::{COUNTER, STACK, undo_frame};
use super::arm_tables::{ArmEntry, ArmModule};
use super::stack_end::{DEEPEST, StackEnd};
use crate::number_bytes::u32_at;

/// The addresses of the callers' calls, the innermost first, and how the stack ends. Tables are right where calls are, and not inside
/// of a function's first and last instructions: a sample there loses its caller, or its stack ends.
pub(super) fn callers(
    (ranges, modules): (&[MappedRange], &[Option<ArmModule>]),
    start: &StackRegisters,
    stack: &[u8],
) -> (Vec<u64>, StackEnd) {
    let mut callers = Vec::new();
    let Some(mut registers) = start.arm else { return (callers, StackEnd::Unknown) };
    let mut read = |address: u32| {
        let at = u64::from(address).checked_sub(start.stack)?;
        u32_at(stack, usize::try_from(at).ok()?)
    };
    let mut is_caller = false;
    loop {
        // The lowest bit says that the code is Thumb; a call is before the place to which it returns.
        let counter = registers[COUNTER] & !1;
        let at = u64::from(counter.wrapping_sub(u32::from(is_caller)));
        let index = ranges.partition_point(|range| range.start <= at).checked_sub(1);
        let found = index.filter(|index| ranges.get(*index).is_some_and(|range| at < range.end));
        let Some(index) = found else {
            let is_first = is_caller && counter == 0;
            return (callers, if is_first { StackEnd::Complete } else { StackEnd::Unknown });
        };
        if is_caller {
            callers.push(at);
        }
        let Some(module) = modules.get(index).and_then(Option::as_ref) else {
            return (callers, StackEnd::NoTables(index));
        };
        let address = at.checked_sub(module.base).and_then(|it| u32::try_from(it).ok());
        let instructions = match address.and_then(|it| module.tables.entry_at(it)) {
            Some(ArmEntry::Instructions(instructions)) => instructions,
            Some(ArmEntry::CannotUnwind) => return (callers, StackEnd::Complete),
            None => return (callers, StackEnd::Unknown),
        };
        let Ok(caller) = undo_frame(&instructions, &registers, &mut read) else {
            return (callers, StackEnd::Unknown);
        };
        // Only the innermost function may have no frame; stacks that do not end would go in a circle.
        let is_further =
            caller[STACK] > registers[STACK] || !is_caller && caller[STACK] == registers[STACK];
        if !is_further || callers.len() >= DEEPEST {
            return (callers, StackEnd::Unknown);
        }
        registers = caller;
        is_caller = true;
    }
}

#[cfg(test)]
mod tests {
    use wattle_timeline::{FrameKind, NameId};

    use super::super::arm_tables::ArmTables;
    use super::super::mapped_table::{SharedBytes, Table};
    use super::*;

    const STACK_AT: u64 = 0x9000;
    const BASE: u64 = 0x40_0000;

    /// `leaf` at 0x1000 without a frame; `middle` at 0x1100 saves r4 and the link; `thread` at 0x1200 is the first function.
    fn module() -> ArmModule {
        let prel31 = |at: u32, to: u32| to.wrapping_sub(at) & 0x7fff_ffff;
        let words = [
            prel31(0x2000, 0x1000),
            0x80b0_b0b0,
            prel31(0x2008, 0x1100),
            0x80a8_b0b0,
            prel31(0x2010, 0x1200),
            1,
        ];
        let bytes: Vec<u8> = words.iter().flat_map(|it| it.to_le_bytes()).collect();
        let index = Table { addresses: 0x2000..0x2018, bytes: SharedBytes::from(bytes) };
        ArmModule { base: BASE, tables: ArmTables::new(index, None) }
    }

    fn range() -> MappedRange {
        let (start, end) = (BASE + 0x1000, BASE + 0x2000);
        let mapping = NameId::default();
        MappedRange {
            start,
            end,
            offset: 0x1000,
            mapping,
            kind: FrameKind::Native,
            is_memory: false,
        }
    }

    fn registers(link: u64) -> StackRegisters {
        let mut arm = [0; 16];
        arm[STACK] = STACK_AT as u32;
        arm[14] = link as u32;
        arm[COUNTER] = BASE as u32 + 0x1010;
        StackRegisters {
            counter: BASE + 0x1010,
            stack: STACK_AT,
            arm: Some(arm),
            ..Default::default()
        }
    }

    fn run(registers: &StackRegisters, words: &[u64]) -> (Vec<u64>, StackEnd) {
        let stack: Vec<u8> = words.iter().flat_map(|it| (*it as u32).to_le_bytes()).collect();
        callers((&[range()], &[Some(module())]), registers, &stack)
    }

    #[test]
    fn callers_to_the_first_function() {
        // Thumb code: returns have the lowest bit.
        let found = run(&registers(BASE + 0x1111), &[4, BASE + 0x1221]);
        assert_eq!(found, (vec![BASE + 0x110f, BASE + 0x121f], StackEnd::Complete));
    }

    #[test]
    fn stacks_that_end_early_say_so() {
        let of = |words: &[u64]| run(&registers(BASE + 0x1111), words);
        assert_eq!(of(&[]), (vec![BASE + 0x110f], StackEnd::Unknown), "nothing was copied");
        assert_eq!(
            of(&[4, 0]),
            (vec![BASE + 0x110f], StackEnd::Complete),
            "no address to return to"
        );
        assert_eq!(of(&[4, 0x77]).1, StackEnd::Unknown, "outside of all files");
        // A function without a frame that is called by itself.
        assert_eq!(run(&registers(BASE + 0x1011), &[]).1, StackEnd::Unknown);
        let bare = StackRegisters { arm: None, ..registers(0) };
        assert_eq!(run(&bare, &[]), (vec![], StackEnd::Unknown));
        let without = callers((&[range()], &[None]), &registers(0), &[]);
        assert_eq!(without, (vec![], StackEnd::NoTables(0)));
    }
}
