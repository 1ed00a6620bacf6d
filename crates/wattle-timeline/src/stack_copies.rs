//! Stacks that a recorder copied without looking for the callers in them (`perf record --call-graph dwarf`, simpleperf
//! `--no-unwind`): whoever has the files that ran finds the callers.

use crate::{Architecture, FrameKind, NameId};

/// Registers of a program from which its callers are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StackRegisters {
    /// Address of the instruction.
    pub counter: u64,
    /// Address of the end of the stack, which is that of the copy's first byte.
    pub stack: u64,
    /// Address of the frame, where the program keeps one.
    pub frame: u64,
    /// Address that the function returns to (Arm); 0 on machines without it.
    pub link: u64,
    /// All registers of 32-bit Arm, r0 to r15, whose functions may keep the caller's stack pointer in any of them. `None` on other
    /// machines, and where the recorder left some out.
    pub arm: Option<[u32; 16]>,
}

/// A part of a file that was mapped into a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MappedRange {
    /// First address.
    pub start: u64,
    /// The first address behind it.
    pub end: u64,
    /// Offset in the file of the first address.
    pub offset: u64,
    /// The file.
    pub mapping: NameId,
    /// The kind of its code.
    pub kind: FrameKind,
    /// Frames in it have addresses of the process: no file says what is there, the process made it.
    pub is_memory: bool,
}

/// A copied stack of one sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackCopy {
    /// Index of the sample in [`crate::StackSamples::samples`].
    pub sample: u32,
    /// The instruction set.
    pub architecture: Architecture,
    /// The registers.
    pub registers: StackRegisters,
    /// Position of the copy's first byte in [`StackCopies::bytes`].
    pub start: usize,
    /// Its length.
    pub length: usize,
    /// Index of what was mapped then in [`StackCopies::spaces`].
    pub space: u32,
}

/// All copied stacks. Who unwinds them takes them away.
#[derive(Clone, Debug, Default)]
pub struct StackCopies {
    /// Each of them.
    pub list: Vec<StackCopy>,
    /// Their bytes.
    pub bytes: Vec<u8>,
    /// The mappings of processes at some time, each in order of addresses.
    pub spaces: Vec<Vec<MappedRange>>,
}

impl StackCopies {
    /// The bytes of a copy.
    pub fn bytes_of(&self, copy: &StackCopy) -> &[u8] {
        let end = copy.start.saturating_add(copy.length);
        self.bytes.get(copy.start..end).unwrap_or_default()
    }

    /// The mappings at the time of a copy.
    pub fn space_of(&self, copy: &StackCopy) -> &[MappedRange] {
        self.spaces.get(copy.space as usize).map(Vec::as_slice).unwrap_or_default()
    }
}
