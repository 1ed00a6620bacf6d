//! One process's mappings, ready to find callers in.

use std::ops::Range;

use framehop::aarch64::{CacheAarch64, PtrAuthMask, UnwindRegsAarch64, UnwinderAarch64};
use framehop::x86_64::{CacheX86_64, UnwindRegsX86_64, UnwinderX86_64};
use framehop::{FrameAddress, Module, UnwindIterator, Unwinder};
use wattle_timeline::{Architecture, MappedRange, StackRegisters};

use super::arm_stack;
use super::arm_tables::ArmModule;
use super::mapped_table::SharedBytes;
use super::stack_end::{DEEPEST, StackEnd};
use super::unwind_tables::UnwindTables;

/// Bytes of an instruction of 64-bit Arm.
const INSTRUCTION: u64 = 4;

/// The unwinder of an instruction set, with its cache of rows.
enum Machine {
    X86_64(Box<(UnwinderX86_64<SharedBytes>, CacheX86_64)>),
    /// With the stubs of all files.
    Arm64(Box<(UnwinderAarch64<SharedBytes>, CacheAarch64)>, Vec<Range<u64>>),
    /// The tables of each range.
    Arm(Vec<Option<ArmModule>>),
}

/// A process's mappings with their unwind tables.
pub(crate) struct UnwindSpace<'r> {
    ranges: &'r [MappedRange],
    /// Of each range whether there are tables for it.
    has_tables: Vec<bool>,
    machine: Machine,
}

impl<'r> UnwindSpace<'r> {
    /// With the tables of each range; `None` for instruction sets that nobody unwinds.
    pub(crate) fn new(
        architecture: Architecture,
        ranges: &'r [MappedRange],
        mut tables: impl FnMut(&MappedRange) -> Option<UnwindTables>,
    ) -> Option<Self> {
        if architecture == Architecture::Arm {
            let modules: Vec<Option<ArmModule>> =
                ranges.iter().map(|range| tables(range)?.arm_module(range)).collect();
            let has_tables = modules.iter().map(Option::is_some).collect();
            return Some(Self { ranges, has_tables, machine: Machine::Arm(modules) });
        }
        let mut stubs = Vec::new();
        let module = |range: &MappedRange| {
            let tables = tables(range)?;
            stubs.extend(tables.stubs(range));
            tables.module(range)
        };
        let modules: Vec<Option<Module<SharedBytes>>> = ranges.iter().map(module).collect();
        let has_tables = modules.iter().map(Option::is_some).collect();
        let modules = modules.into_iter().flatten();
        let machine = match architecture {
            Architecture::X86_64 => {
                let mut unwinder = UnwinderX86_64::new();
                modules.for_each(|module| unwinder.add_module(module));
                Machine::X86_64(Box::new((unwinder, CacheX86_64::new())))
            }
            Architecture::Arm64 => {
                let mut unwinder = UnwinderAarch64::new();
                modules.for_each(|module| unwinder.add_module(module));
                Machine::Arm64(Box::new((unwinder, CacheAarch64::new())), stubs)
            }
            _ => return None,
        };
        Some(Self { ranges, has_tables, machine })
    }

    /// The addresses of the callers' calls, the innermost first, and how the stack ends.
    pub(crate) fn callers(
        &mut self,
        registers: &StackRegisters,
        stack: &[u8],
    ) -> (Vec<u64>, StackEnd) {
        let bottom = registers.stack;
        let mut read = |address: u64| {
            let at = usize::try_from(address.checked_sub(bottom).ok_or(())?).map_err(|_| ())?;
            let bytes = stack.get(at..at.checked_add(8).ok_or(())?).ok_or(())?;
            bytes.try_into().map(u64::from_le_bytes).map_err(|_| ())
        };
        let (ranges, has_tables) = (self.ranges, &*self.has_tables);
        let StackRegisters { counter, stack: pointer, frame, link, .. } = *registers;
        match &mut self.machine {
            Machine::Arm(modules) => arm_stack::callers((ranges, modules), registers, stack),
            Machine::X86_64(machine) => {
                let (unwinder, cache) = &mut **machine;
                let registers = UnwindRegsX86_64::new(counter, pointer, frame);
                let mut frames = unwinder.iter_frames(counter, registers, cache, &mut read);
                walk(&mut frames, ranges, has_tables)
            }
            Machine::Arm64(machine, stubs) => {
                let (unwinder, cache) = &mut **machine;
                // Bits above those of addresses are a signature of the address, if the program has signed it.
                let mask = PtrAuthMask::from_max_known_address(
                    ranges.last().map_or(u64::MAX, |range| range.end.max(counter)),
                );
                let registers =
                    UnwindRegsAarch64::new_with_ptr_auth_mask(mask, link, pointer, frame);
                let returned_to = link & mask.0;
                let is_stub = stubs.iter().any(|stub| stub.contains(&counter));
                if !is_stub || returned_to < INSTRUCTION {
                    let mut frames = unwinder.iter_frames(counter, registers, cache, &mut read);
                    return walk(&mut frames, ranges, has_tables);
                }
                // The call of the stub stands in the caller as it was before.
                let call = returned_to - INSTRUCTION;
                let mut frames = unwinder.iter_frames(call, registers, cache, &mut read);
                let (mut callers, end) = walk(&mut frames, ranges, has_tables);
                callers.insert(0, returned_to - 1);
                (callers, end)
            }
        }
    }
}

/// Goes from caller to caller for as long as tables say where each one is. Where none are at hand a walk could go on along frame
/// pointers, which code without tables need not have: what it found then would be made up.
fn walk<U: Unwinder, F: FnMut(u64) -> Result<u64, ()>>(
    frames: &mut UnwindIterator<'_, '_, '_, U, F>,
    ranges: &[MappedRange],
    has_tables: &[bool],
) -> (Vec<u64>, StackEnd) {
    let mut callers = Vec::new();
    loop {
        let address = match frames.next() {
            Ok(Some(address)) => address,
            Ok(None) => return (callers, StackEnd::Complete),
            Err(_) => return (callers, StackEnd::Unknown),
        };
        let at = address.address_for_lookup();
        let is_caller = matches!(address, FrameAddress::ReturnAddress(_));
        let index = ranges.partition_point(|range| range.start <= at).checked_sub(1);
        let found = index.filter(|index| ranges.get(*index).is_some_and(|range| at < range.end));
        let Some(index) = found else { return (callers, StackEnd::Unknown) };
        if is_caller {
            callers.push(at);
        }
        if has_tables.get(index) != Some(&true) {
            return (callers, StackEnd::NoTables(index));
        }
        if callers.len() >= DEEPEST {
            return (callers, StackEnd::Unknown);
        }
    }
}
