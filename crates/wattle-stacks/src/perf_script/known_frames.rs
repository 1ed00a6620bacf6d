//! Frames of the text, each interned once.

use rustc_hash::FxHashMap;
use wattle_timeline::{Frame, FrameAddress, FrameKind, NameId, TimelineBuilder};

use super::frame_line::{self, FrameLine};
use super::told_machine::ToldMachine;
use crate::samples::{is_start, java_method};
use wattle_import::frame_kind;
use wattle_import::limits::MAX_INTERNED;

/// Addresses from here on are no places in files: the first 256 MiB belong to no library.
const IN_FILE_BELOW: u64 = 1 << 28;

/// A line of a stack that was understood.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub frame: Frame,
    /// Its number, if it can stand as it is.
    pub interned: Option<u32>,
    /// A thread begins with it.
    pub is_start: bool,
    /// Methods that the compiler put into the place of their calls, outermost first: from, to in [`Frames::inlined`].
    pub inlined: (u32, u32),
}

/// Lines that were seen.
#[derive(Debug, Default)]
pub(super) struct Frames {
    lines: FxHashMap<Box<[u8]>, Option<Known>>,
    mappings: FxHashMap<Box<[u8]>, (NameId, FrameKind)>,
    inlined: Vec<Frame>,
    machine: ToldMachine,
}

impl Frames {
    /// The machine, as far as frames tell.
    pub const fn machine(&self) -> ToldMachine {
        self.machine
    }

    /// The frame of a line; `None` if it is none. `in_chain`: it stands in a line of its own.
    #[inline]
    pub fn line(
        &mut self,
        line: &[u8],
        in_chain: bool,
        builder: &mut TimelineBuilder,
    ) -> Option<Known> {
        // Lines behind an event come in another form and are rare.
        if in_chain && let Some(known) = self.lines.get(line) {
            return *known;
        }
        let known = frame_line::parse(line).map(|parsed| self.make(&parsed, in_chain, builder));
        if in_chain && self.lines.len() < MAX_INTERNED {
            self.lines.insert(line.into(), known);
        }
        known
    }

    /// Frames that the compiler put into the frame.
    pub fn inlined(&self, known: &Known) -> &[Frame] {
        let (from, to) = known.inlined;
        self.inlined.get(from as usize..to as usize).unwrap_or_default()
    }

    fn make(
        &mut self,
        parsed: &FrameLine<'_>,
        in_chain: bool,
        builder: &mut TimelineBuilder,
    ) -> Known {
        let mapping = parsed.mapping.map(|mapping| self.mapping(mapping, builder));
        let is_high = parsed.address >> 63 != 0;
        let kind = match mapping {
            Some((_, kind)) => kind,
            // Without a mapping the place tells: the upper half is the kernel's.
            None if is_high && parsed.function.is_some() => FrameKind::Kernel,
            None => FrameKind::Native,
        };
        let is_file = mapping.is_some_and(|(id, _)| {
            let path = builder.names.get(id);
            path.starts_with('/') && kind != FrameKind::Jit
        });
        let in_file = is_file && in_chain && kind != FrameKind::Kernel;
        let address = match parsed.address {
            0 if mapping.is_none() => FrameAddress::Unknown,
            address if in_file && address < IN_FILE_BELOW => FrameAddress::InFile(address),
            address => FrameAddress::Absolute(address),
        };
        let mapping = mapping.map(|(id, _)| id);
        let frame = Frame { mapping, address, kind, inlined: parsed.inlined, ..Frame::default() };
        let function = parsed.function.unwrap_or_default();
        let is_java = kind == FrameKind::Jit;
        let first_inlined = self.inlined.len() as u32;
        let mut outer = None;
        // What is compiled into a method comes behind an arrow (perf-map-agent's `unfoldall`).
        if is_java && memchr::memmem::find(function, b"->").is_some() {
            let text = String::from_utf8_lossy(function);
            let mut names = text.split("->").filter(|name| !name.is_empty());
            outer = names.next().map(|name| name_of(name.as_bytes(), true, builder));
            for name in names {
                let function = Some(name_of(name.as_bytes(), true, builder));
                self.inlined.push(Frame { function, inlined: true, ..frame });
            }
        } else if !function.is_empty() {
            outer = Some(name_of(function, is_java, builder));
        }
        if kind == FrameKind::Kernel {
            self.machine.kernel(function, parsed.address);
        }
        let frame = Frame { function: outer, ..frame };
        let interned = (!frame.inlined).then(|| builder.samples().frame(frame));
        let is_start = std::str::from_utf8(function).is_ok_and(is_start);
        Known { frame, interned, is_start, inlined: (first_inlined, self.inlined.len() as u32) }
    }

    fn mapping(&mut self, mapping: &[u8], builder: &mut TimelineBuilder) -> (NameId, FrameKind) {
        if let Some(known) = self.mappings.get(mapping) {
            return *known;
        }
        let name = builder.names.intern_bytes(mapping);
        let path = builder.names.get(name);
        self.machine.file(path);
        let found = (name, frame_kind(path));
        if self.mappings.len() < MAX_INTERNED {
            self.mappings.insert(mapping.into(), found);
        }
        found
    }
}

fn name_of(name: &[u8], is_java: bool, builder: &mut TimelineBuilder) -> NameId {
    let java = is_java.then(|| java_method(&String::from_utf8_lossy(name))).flatten();
    match java {
        Some(java) => builder.names.intern(&java),
        None => builder.names.intern_bytes(name),
    }
}
