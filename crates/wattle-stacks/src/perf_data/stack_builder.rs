//! Stacks of the timeline, from the addresses of samples.

use rustc_hash::FxHashMap;
use wattle_timeline::{
    CallSite, Frame, FrameAddress, FrameKind, MappedRange, NameId, StackCopy, TimelineBuilder,
};

use super::address_space::{AddressSpace, MappedFile};
use super::register_numbers::RegisterNumbers;
use crate::perf_file::{CodeFileKind, CodeFiles, EventAttr, Mapping, MappingRecord, Sample};
use wattle_import::frame_kind;
use wattle_wire::ByteOrder;

/// `PERF_CONTEXT_*`: from the last on, numbers in a chain say whose addresses follow.
mod context {
    pub const KERNEL: u64 = -128_i64 as u64;
    pub const GUEST_KERNEL: u64 = -2176_i64 as u64;
    /// The chain of the program comes later, in a record of its own.
    pub const USER_DEFERRED: u64 = -640_i64 as u64;
    pub const LEAST: u64 = -4095_i64 as u64;
}

/// `PERF_RECORD_MISC_CPUMODE_MASK` and the modes that are the kernel's.
mod mode {
    pub const MASK: u16 = 7;
    pub const KERNEL: u16 = 1;
    pub const GUEST_KERNEL: u16 = 4;
}

/// `PERF_MAX_STACK_DEPTH`: where a chain ends if nothing else was asked for (`kernel.perf_event_max_stack`).
const DEFAULT_DEPTH: usize = 127;

/// Processes whose mappings are kept, and mappings that forks may copy.
const MAX_PROCESSES: usize = 1 << 16;
const MAX_COPIED: usize = 1 << 24;

/// Name of the kernel's own mapping, by `perf` and the kernel.
const KERNEL: &str = "[kernel.kallsyms]";

/// The pid of mappings of the kernel.
const KERNEL_PID: u32 = u32::MAX;

#[derive(Debug)]
struct File {
    path: Vec<u8>,
    name: NameId,
    kind: FrameKind,
}

/// Mappings of all processes, and the frames that were found in them.
#[derive(Debug)]
pub(super) struct Stacks {
    files: Vec<File>,
    by_path: FxHashMap<Vec<u8>, u32>,
    spaces: FxHashMap<u32, AddressSpace>,
    kernel: AddressSpace,
    kernel_name: NameId,
    copied: usize,
    /// Chains hold return addresses, not those of calls.
    has_return_addresses: bool,
    /// The registers of stacks that were copied.
    registers: Option<RegisterNumbers>,
    /// Ranges in the address spaces that the timeline knows for copied stacks.
    listed_ranges: usize,
    frames: Vec<u32>,
    /// Frames that lie in no mapping.
    pub unmapped: u64,
}

impl Stacks {
    pub fn new(
        builder: &mut TimelineBuilder,
        has_return_addresses: bool,
        arch: Option<&str>,
    ) -> Self {
        Self {
            files: Vec::new(),
            by_path: FxHashMap::default(),
            spaces: FxHashMap::default(),
            kernel: AddressSpace::default(),
            kernel_name: builder.names.intern(KERNEL),
            copied: 0,
            has_return_addresses,
            registers: arch.and_then(RegisterNumbers::from_machine),
            listed_ranges: 0,
            frames: Vec::new(),
            unmapped: 0,
        }
    }

    /// Takes in a mapping.
    pub fn map(
        &mut self,
        builder: &mut TimelineBuilder,
        code_files: &CodeFiles,
        record: &MappingRecord<'_>,
    ) {
        // The kernel has one address space for all processes.
        let is_kernel = record.pid == KERNEL_PID || is_kernel(record.misc);
        let file = self.file(builder, code_files, record.path, is_kernel);
        let mapping = record.mapping;
        let mapped = MappedFile { mapping, file };
        if !is_kernel {
            if let Some(space) = self.space(record.pid) {
                space.map(mapped);
            }
        } else if mapping.end - mapping.start < u64::MAX / 2 {
            // What claims to be everything (the kernel before Android 10, simpleperf's place for BPF) hides nothing else.
            self.kernel.map(mapped);
        }
    }

    /// The name of a mapped file.
    pub fn file_name(builder: &mut TimelineBuilder, path: &[u8]) -> NameId {
        builder.names.intern_bytes(shown(path))
    }

    fn file(
        &mut self,
        builder: &mut TimelineBuilder,
        code_files: &CodeFiles,
        path: &[u8],
        is_kernel: bool,
    ) -> u32 {
        if let Some(file) = self.by_path.get(path) {
            return *file;
        }
        let name = builder.names.intern_bytes(shown(path));
        let kind = match code_files.kind(path) {
            _ if is_kernel => FrameKind::Kernel,
            Some(CodeFileKind::Dex) => FrameKind::Java,
            _ => frame_kind(builder.names.get(name)),
        };
        let file = self.files.len() as u32;
        self.files.push(File { path: path.to_owned(), name, kind });
        self.by_path.insert(path.to_owned(), file);
        file
    }

    fn space(&mut self, pid: u32) -> Option<&mut AddressSpace> {
        if self.spaces.len() >= MAX_PROCESSES && !self.spaces.contains_key(&pid) {
            return None;
        }
        Some(self.spaces.entry(pid).or_default())
    }

    /// A process begins with the mappings of its parent.
    pub fn fork(&mut self, parent: u32, child: u32) {
        let copy = self.spaces.get(&parent).map(AddressSpace::fork).unwrap_or_default();
        // The next change of either copies the mappings.
        self.copied += copy.shared();
        let copy = if self.copied > MAX_COPIED { AddressSpace::default() } else { copy };
        if let Some(space) = self.space(child) {
            *space = copy;
        }
    }

    /// The innermost call site of a sample, and whether its stack ends too early.
    pub fn site(
        &mut self,
        builder: &mut TimelineBuilder,
        code_files: &CodeFiles,
        (attr, misc, order): (&EventAttr, u16, ByteOrder),
        sample: &Sample<'_>,
    ) -> (Option<u32>, bool) {
        let pid = sample.tid.map_or(0, |(pid, _)| pid);
        let mut frames = std::mem::take(&mut self.frames);
        frames.clear();
        let mut in_kernel = is_kernel(misc);
        let mut is_truncated = false;
        // Where each part begins the CPU was, or was interrupted; what follows are callers.
        let mut is_first = true;
        for ip in sample.chain.iter().flat_map(|chain| chain.iter(order)) {
            if ip >= context::LEAST {
                in_kernel = matches!(ip, context::KERNEL | context::GUEST_KERNEL);
                is_truncated |= ip == context::USER_DEFERRED;
                is_first = true;
                continue;
            }
            // Where the kernel found nothing more it may end with a 0.
            if ip == 0 {
                continue;
            }
            // A call returns to the instruction behind it, which is another line's, or another function's if the call is the last
            // instruction of its own. A byte before that is in the call.
            let is_return = self.has_return_addresses && !is_first;
            let address = if is_return { ip - 1 } else { ip };
            is_first = false;
            frames.push(self.frame(builder, code_files, pid, address, in_kernel));
        }
        let depth = match usize::from(attr.max_stack) {
            0 => DEFAULT_DEPTH,
            depth => depth,
        };
        is_truncated |= frames.len() >= depth;
        if let (true, Some(ip)) = (frames.is_empty(), sample.ip.filter(|ip| *ip != 0)) {
            frames.push(self.frame(builder, code_files, pid, ip, is_kernel(misc)));
        }
        if sample.stack_size > 0 {
            // The program's frames are to be unwound from its stack, which nobody did. Where it was is known.
            is_truncated = true;
            let numbers = self.registers.as_ref();
            let at = numbers.and_then(|it| sample.register(it.counter, attr.regs_user, order));
            if let Some(at) = at.filter(|at| Some(*at) != sample.ip) {
                frames.push(self.frame(builder, code_files, pid, at, false));
            }
        }
        // Chains begin with the innermost frame, call sites with the outermost: stacks share the sites of their common callers.
        let mut site = None;
        for frame in frames.iter().rev() {
            site = Some(builder.samples().call_site(CallSite { caller: site, frame: *frame }));
        }
        self.frames = frames;
        (site, is_truncated)
    }

    /// The copied stack of a sample, for whoever has the files to unwind it with; `None` where there is none.
    pub fn copy(
        &mut self,
        builder: &mut TimelineBuilder,
        attr: &EventAttr,
        order: ByteOrder,
        sample: &Sample<'_>,
    ) -> Option<StackCopy> {
        let numbers = self.registers.as_ref().filter(|_| sample.is_64_bit && !order.is_big)?;
        let (registers, architecture) = (numbers.read(sample, attr, order)?, numbers.architecture);
        let (pid, _) = sample.tid.filter(|_| !sample.stack.is_empty())?;
        let space = self.spaces.get(&pid)?;
        let number = match space.number {
            Some(number) => number,
            None if self.listed_ranges > MAX_COPIED => return None,
            None => {
                let range = |it: &MappedFile| {
                    let file = self.files.get(it.file as usize)?;
                    let Mapping { start, end, offset, holds_jit_symbols } = it.mapping;
                    let kind = if holds_jit_symbols { FrameKind::Jit } else { file.kind };
                    let is_memory = holds_jit_symbols || is_memory(&file.path);
                    Some(MappedRange { start, end, offset, mapping: file.name, kind, is_memory })
                };
                let ranges: Vec<_> = space.all().filter_map(range).collect();
                self.listed_ranges += ranges.len();
                let number = builder.samples().address_space(ranges);
                self.space(pid)?.number = Some(number);
                number
            }
        };
        let start = builder.samples().stack_bytes(sample.stack);
        let length = sample.stack.len();
        Some(StackCopy { sample: 0, architecture, registers, start, length, space: number })
    }

    #[inline]
    fn frame(
        &mut self,
        builder: &mut TimelineBuilder,
        code_files: &CodeFiles,
        pid: u32,
        address: u64,
        in_kernel: bool,
    ) -> u32 {
        let space = if in_kernel { Some(&self.kernel) } else { self.spaces.get(&pid) };
        if let Some(frame) = space.and_then(|space| space.frames.get(&address)) {
            return *frame;
        }
        let frame = if in_kernel {
            self.kernel_frame(builder, code_files, address)
        } else {
            self.user_frame(builder, code_files, pid, address)
        };
        let frame = builder.samples().frame(frame);
        let space = if in_kernel { Some(&mut self.kernel) } else { self.space(pid) };
        if let Some(space) = space {
            space.frames.insert(address, frame);
        }
        frame
    }

    fn kernel_frame(
        &mut self,
        builder: &mut TimelineBuilder,
        code_files: &CodeFiles,
        address: u64,
    ) -> Frame {
        let mapped = self.kernel.find(address);
        let file = mapped.and_then(|mapped| self.files.get(mapped.file as usize));
        let in_module = file
            .zip(mapped)
            .and_then(|(file, mapped)| code_files.function(&file.path, address, &mapped.mapping));
        let function = in_module.or_else(|| code_files.kernel.find(address));
        Frame {
            function: function.map(|name| builder.names.intern_bytes(name)),
            mapping: Some(file.map_or(self.kernel_name, |file| file.name)),
            address: FrameAddress::Absolute(address),
            kind: FrameKind::Kernel,
            ..Frame::default()
        }
    }

    fn user_frame(
        &mut self,
        builder: &mut TimelineBuilder,
        code_files: &CodeFiles,
        pid: u32,
        address: u64,
    ) -> Frame {
        let mapped = self.spaces.get(&pid).and_then(|space| space.find(address));
        let file = mapped.and_then(|mapped| self.files.get(mapped.file as usize));
        let Some((mapping, file)) = mapped.map(|it| &it.mapping).zip(file) else {
            self.unmapped += 1;
            return Frame { address: FrameAddress::Absolute(address), ..Frame::default() };
        };
        let kind = if mapping.holds_jit_symbols { FrameKind::Jit } else { file.kind };
        let function = code_files.function(&file.path, address, mapping);
        let function = function.map(|name| match kind {
            FrameKind::Java | FrameKind::Jit => java_name(name),
            _ => name,
        });
        let in_file = address.wrapping_sub(mapping.start).wrapping_add(mapping.offset);
        Frame {
            function: function.map(|name| builder.names.intern_bytes(name)),
            mapping: Some(file.name),
            address: if mapping.holds_jit_symbols || is_memory(&file.path) {
                FrameAddress::Absolute(address)
            } else {
                FrameAddress::InFile(in_file)
            },
            kind,
            ..Frame::default()
        }
    }
}

fn is_kernel(misc: u16) -> bool {
    matches!(misc & mode::MASK, mode::KERNEL | mode::GUEST_KERNEL)
}

/// Whether a mapping is of memory that no file is behind: its code was made by the process itself.
fn is_memory(path: &[u8]) -> bool {
    path.starts_with(b"//anon") || path == b"[heap]"
}

/// A file's path as people know it: the kernel's own mapping is named after a symbol (`[kernel.kallsyms]_text`).
fn shown(path: &[u8]) -> &[u8] {
    if path.starts_with(KERNEL.as_bytes()) { KERNEL.as_bytes() } else { path }
}

/// A method's name without what it returns and takes (`void a.B.c(int) [DEDUPED]`), as Java writes it.
fn java_name(name: &[u8]) -> &[u8] {
    let Some(open) = memchr::memchr(b'(', name) else { return name };
    let before = name.get(..open).unwrap_or(name);
    let start = memchr::memrchr(b' ', before).map_or(0, |space| space + 1);
    before.get(start..).filter(|name| !name.is_empty()).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn java_methods_are_named_as_java_does() {
        let check = |name: &str, expected: &str| {
            assert_eq!(java_name(name.as_bytes()), expected.as_bytes(), "{name}");
        };
        check("void android.os.Looper.loop()", "android.os.Looper.loop");
        check("java.util.List a.B.c(int, long) [DEDUPED]", "a.B.c");
        check("android.os.Looper.loop", "android.os.Looper.loop");
        check("art_quick_invoke_stub", "art_quick_invoke_stub");
        check("(weird", "(weird");
    }
}
