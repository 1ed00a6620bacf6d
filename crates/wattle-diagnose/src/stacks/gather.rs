//! The stacks of regions of one thread.

use rustc_hash::FxHashMap;
use wattle_timeline::{NameId, StackSample, ThreadId, Timeline, Window};

use super::open_sections::OpenSections;
use super::{FrameTexts, PrefixTree, TextId};
use crate::events::ThreadEvents;

/// The stacks of one region.
#[derive(Debug, Default)]
pub(crate) struct Stacks {
    pub(crate) tree: PrefixTree,
    /// Number of these stacks taken at switches.
    pub(crate) switches: u64,
    /// Number of stacks that ended before their root and were left out, as others did not.
    pub(crate) cut: u64,
    /// Sections that were open while the thread ran stand in for stacks.
    pub(crate) are_sections: bool,
}

/// A thread with its samples, which are in order of time, and its events.
#[derive(Clone, Copy)]
pub(crate) struct ThreadStacks<'a> {
    pub(crate) id: ThreadId,
    pub(crate) samples: &'a [StackSample],
    pub(crate) events: &'a ThreadEvents,
}

/// The stacks of each of a thread's regions, which are in order of time and apart. `samples` are the thread's own, in order. A
/// switch away at the very end of a region belongs to it.
pub(crate) fn gather(
    timeline: &Timeline,
    ThreadStacks { id, samples, events }: ThreadStacks<'_>,
    regions: &[Window],
    texts: &mut FrameTexts,
) -> Vec<Stacks> {
    let mut sections = OpenSections::new(timeline, id);
    let mut found = Vec::with_capacity(regions.len());
    let mut next = 0;
    for region in regions {
        let first = next + samples[next..].partition_point(|it| it.time < region.start);
        next = first + samples[first..].partition_point(|it| it.time <= region.end);
        let mut stacks = of_samples(timeline, &samples[first..next], texts);
        if stacks.tree.stacks() == 0
            && let Some(sections) = &mut sections
        {
            stacks = of_sections(timeline, events, *region, sections, texts);
        }
        found.push(stacks);
    }
    found
}

fn of_samples(timeline: &Timeline, samples: &[StackSample], texts: &mut FrameTexts) -> Stacks {
    let all = &timeline.code.samples;
    let is_switch: Vec<bool> =
        all.events.iter().map(|event| event.is_switch(&timeline.names)).collect();
    let mut counts: FxHashMap<u32, (u64, u64)> = FxHashMap::default();
    let mut cut: FxHashMap<u32, (u64, u64)> = FxHashMap::default();
    for sample in samples {
        let Some(site) = sample.site else { continue };
        let to = if sample.is_truncated { &mut cut } else { &mut counts };
        let count = to.entry(site).or_default();
        count.0 += 1;
        count.1 += u64::from(is_switch.get(usize::from(sample.event.0)) == Some(&true));
    }
    let mut stacks = Stacks::default();
    // A stack without its root cannot be matched from the root. Where all are so, what there is of them is.
    if counts.is_empty() {
        counts = cut;
    } else {
        stacks.cut = cut.values().map(|count| count.0).sum();
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_unstable();
    for (site, (count, switches)) in counts {
        stacks.switches += switches;
        stacks.tree.add(path(timeline, site, texts), count);
    }
    stacks
}

/// The frames of a call site, outermost first.
fn path(timeline: &Timeline, site: u32, texts: &mut FrameTexts) -> Vec<TextId> {
    let all = &timeline.code.samples;
    let mut path = Vec::new();
    let mut next = Some(site);
    while let Some(index) = next {
        let Some(site) = all.sites.get(index as usize) else { break };
        path.push(texts.of_frame(all, &timeline.names, site.frame));
        // Callers come first: a site that names a later one would go in a circle.
        next = site.caller.filter(|caller| *caller < index);
    }
    path.reverse();
    path
}

/// One stack for each stretch on a CPU in whose middle some section was open.
fn of_sections(
    timeline: &Timeline,
    events: &ThreadEvents,
    region: Window,
    sections: &mut OpenSections<'_>,
    texts: &mut FrameTexts,
) -> Stacks {
    let first = events.runs.partition_point(|run| run.window.end <= region.start);
    let inside = events.runs.iter().skip(first).take_while(|run| run.window.start < region.end);
    let mut counts: FxHashMap<Vec<NameId>, u64> = FxHashMap::default();
    for run in inside {
        let half = run.window.duration().value() / 2;
        let middle = run.window.start + wattle_units::Nanos::new(half);
        let open = sections.open_at(middle);
        if open.is_empty() {
            continue;
        }
        match counts.get_mut(open) {
            Some(count) => *count += 1,
            None => {
                counts.insert(open.to_vec(), 1);
            }
        }
    }
    let mut stacks = Stacks { are_sections: !counts.is_empty(), ..Stacks::default() };
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_unstable();
    for (names, count) in counts {
        let path: Vec<TextId> =
            names.iter().map(|name| texts.of_section(&timeline.names, *name)).collect();
        stacks.tree.add(path, count);
    }
    stacks
}
