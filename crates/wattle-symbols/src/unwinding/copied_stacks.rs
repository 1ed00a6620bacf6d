//! Copied stacks of a timeline, replaced by their callers.

use rustc_hash::FxHashMap;
use wattle_timeline::{
    Architecture, CallSite, Frame, FrameAddress, FrameKind, MappedRange, NameId, StackCopies,
    StackSamples, Timeline,
};

use super::stack_end::StackEnd;
use super::unwind_space::UnwindSpace;
use super::unwind_tables::UnwindTables;
use super::unwound::Unwound;
use crate::search::{MappedName, Search};
use crate::{BuildId, Sources};

/// Address spaces whose tables are kept at a time.
const KEPT_SPACES: usize = 64;

/// Finds the callers in the copied stacks of a timeline, by the files that ran. Frames come without names, as those of other stacks.
pub(crate) fn unwind(
    timeline: &mut Timeline,
    sources: &Sources,
    build_ids: &FxHashMap<NameId, Vec<BuildId>>,
) -> Unwound {
    let copies = std::mem::take(&mut timeline.code.samples.copies);
    let mut outcome = Unwound::default();
    if copies.list.is_empty() {
        return outcome;
    }
    let mut files = TableFiles { timeline, sources, build_ids, tables: FxHashMap::default() };
    let mut stacks = Vec::with_capacity(copies.list.len());
    let mut spaces: FxHashMap<(u32, Architecture), Option<UnwindSpace<'_>>> = FxHashMap::default();
    let mut missing: FxHashMap<NameId, u64> = FxHashMap::default();
    for copy in &copies.list {
        let key = (copy.space, copy.architecture);
        if spaces.len() >= KEPT_SPACES && !spaces.contains_key(&key) {
            spaces.clear();
        }
        let ranges = copies.space_of(copy);
        let space = spaces.entry(key).or_insert_with(|| {
            let tables = |range: &MappedRange| files.tables(range.mapping).cloned();
            UnwindSpace::new(copy.architecture, ranges, tables)
        });
        let (callers, end) = match space {
            Some(space) => space.callers(&copy.registers, copies.bytes_of(copy)),
            None => (Vec::new(), StackEnd::Unknown),
        };
        outcome.callers += callers.len() as u64;
        match end {
            StackEnd::Complete => outcome.complete += 1,
            StackEnd::NoTables(_) | StackEnd::Unknown => outcome.truncated += 1,
        }
        if let StackEnd::NoTables(index) = end
            && let Some(range) = ranges.get(index).filter(|range| files.is_file(range.mapping))
        {
            *missing.entry(range.mapping).or_default() += 1;
        }
        stacks.push((callers, end));
    }
    drop(spaces);
    let name = |(mapping, count)| (timeline.names.get(mapping).to_owned(), count);
    outcome.missing = missing.into_iter().map(name).collect();
    outcome.missing.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    graft(&mut timeline.code.samples, &copies, &stacks);
    outcome
}

/// Unwind tables by the name of the mapped file, each read once.
struct TableFiles<'t> {
    timeline: &'t Timeline,
    sources: &'t Sources,
    build_ids: &'t FxHashMap<NameId, Vec<BuildId>>,
    tables: FxHashMap<NameId, Option<UnwindTables>>,
}

impl TableFiles<'_> {
    /// Whether a mapping is of a file that somebody could have, not of memory (`//anon`, `[vdso]`).
    fn is_file(&self, mapping: NameId) -> bool {
        let name = self.timeline.names.get(mapping);
        name.starts_with('/') && !name.starts_with("//")
    }

    fn tables(&mut self, mapping: NameId) -> Option<&UnwindTables> {
        let find = || {
            let name = MappedName::from_mapping(self.timeline.names.get(mapping));
            let build_ids = self.build_ids.get(&mapping).map(Vec::as_slice).unwrap_or_default();
            let search = Search { index: &self.sources.files, name, build_ids };
            let (contents, _) = search.files().ok()?;
            UnwindTables::from_files(&contents, &self.sources.files.unpacking)
        };
        self.tables.entry(mapping).or_insert_with(find).as_ref()
    }
}

/// Puts the callers below the stacks of their samples.
fn graft(samples: &mut StackSamples, copies: &StackCopies, stacks: &[(Vec<u64>, StackEnd)]) {
    let mut tree = Tree::new(samples);
    for (copy, (callers, end)) in copies.list.iter().zip(stacks) {
        let Some(sample) = samples.samples.get_mut(copy.sample as usize) else { continue };
        sample.is_truncated = *end != StackEnd::Complete;
        if callers.is_empty() {
            continue;
        }
        // The stack so far: the kernel's part, and behind it the program's innermost function.
        let known = tree.frames_of(sample.site);
        let own = known.iter().filter(|frame| tree.is_program(**frame)).count();
        if own != 1 {
            continue;
        }
        let ranges = copies.space_of(copy);
        let outer = callers.iter().rev().map(|address| frame(*address, ranges));
        let mut site = None;
        for frame in outer {
            let frame = tree.frame(frame);
            site = Some(tree.site(CallSite { caller: site, frame }));
        }
        for frame in known.iter().rev() {
            site = Some(tree.site(CallSite { caller: site, frame: *frame }));
        }
        sample.site = site;
    }
    (samples.frames, samples.sites) = (tree.frames, tree.sites);
}

/// The frame at an address of a process.
fn frame(address: u64, ranges: &[MappedRange]) -> Frame {
    let index = ranges.partition_point(|range| range.start <= address);
    let range = index.checked_sub(1).and_then(|index| ranges.get(index));
    let Some(range) = range.filter(|range| address < range.end) else {
        return Frame { address: FrameAddress::Absolute(address), ..Frame::default() };
    };
    let in_file = (address - range.start).wrapping_add(range.offset);
    let address = if range.is_memory {
        FrameAddress::Absolute(address)
    } else {
        FrameAddress::InFile(in_file)
    };
    Frame { mapping: Some(range.mapping), address, kind: range.kind, ..Frame::default() }
}

/// Frames and call sites of a timeline, each once.
struct Tree {
    frames: Vec<Frame>,
    sites: Vec<CallSite>,
    frame_numbers: FxHashMap<Frame, u32>,
    site_numbers: FxHashMap<CallSite, u32>,
}

impl Tree {
    fn new(samples: &mut StackSamples) -> Self {
        let frames = std::mem::take(&mut samples.frames);
        let sites = std::mem::take(&mut samples.sites);
        // Recorded names may differ at one place: the address alone is what callers have.
        let mut frame_numbers = FxHashMap::default();
        for (number, frame) in (0..).zip(&frames) {
            frame_numbers.entry(Frame { function: None, ..*frame }).or_insert(number);
        }
        let site_numbers = (0..).zip(&sites).map(|(number, site)| (*site, number)).collect();
        Self { frames, sites, frame_numbers, site_numbers }
    }

    fn frame(&mut self, frame: Frame) -> u32 {
        *self.frame_numbers.entry(frame).or_insert_with(|| {
            self.frames.push(frame);
            self.frames.len() as u32 - 1
        })
    }

    fn site(&mut self, site: CallSite) -> u32 {
        *self.site_numbers.entry(site).or_insert_with(|| {
            self.sites.push(site);
            self.sites.len() as u32 - 1
        })
    }

    /// The frames of a stack, the innermost first.
    fn frames_of(&self, site: Option<u32>) -> Vec<u32> {
        let mut next = site;
        let mut frames = Vec::new();
        while let Some(site) = next.and_then(|site| self.sites.get(site as usize)) {
            frames.push(site.frame);
            // Callers come first: a site that names a later one would go in a circle.
            next = site.caller.filter(|caller| Some(*caller) < next);
        }
        frames
    }

    fn is_program(&self, frame: u32) -> bool {
        self.frames.get(frame as usize).is_some_and(|frame| frame.kind != FrameKind::Kernel)
    }
}
