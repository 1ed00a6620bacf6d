//! Places in a program: from stacks that were sampled, from slices, and from the places that probes know.

use rustc_hash::FxHashMap;
use wattle_timeline::{
    CallSlice, Frame, FrameKind, SiteId, SiteKind, SliceScope, SliceTrack, ThreadId, Timeline,
    Window,
};
use wattle_units::BootNanos;

use crate::CodePlace;
use crate::stacks::frame_text;
use crate::windows;

/// The most frames that are shown of a stack.
const MOST_FRAMES: usize = 64;

/// Finds the place where a thread was most of the time in a set: by its sampled stacks, else by its slices.
/// `of_switches`: its place when it let go of the CPU, if that was sampled.
pub(super) fn of_thread(
    timeline: &Timeline,
    thread: ThreadId,
    set: &[Window],
    of_switches: bool,
) -> Option<CodePlace> {
    sampled(timeline, thread, set, of_switches)
        .or_else(|| sampled(timeline, thread, set, !of_switches))
        .or_else(|| sliced(timeline, thread, set))
}

fn sampled(
    timeline: &Timeline,
    thread: ThreadId,
    set: &[Window],
    of_switches: bool,
) -> Option<CodePlace> {
    let samples = &timeline.code.samples;
    let mut counts: FxHashMap<u32, u64> = FxHashMap::default();
    for sample in samples.samples.iter().filter(|sample| sample.thread == thread) {
        let event = samples.event(sample.event);
        let is_switch = event.is_some_and(|event| event.is_switch(&timeline.names));
        if let Some(site) = sample.site
            && is_switch == of_switches
            && windows::around(set, sample.time).is_some()
        {
            *counts.entry(site).or_default() += 1;
        }
    }
    let site = counts.into_iter().max_by_key(|(site, count)| (*count, std::cmp::Reverse(*site)))?.0;
    let frames: Vec<&Frame> = samples.stack(Some(site)).take(MOST_FRAMES).collect();
    // What the program itself does: not where the kernel put it to sleep.
    let is_own = |frame: &&Frame| frame.kind != FrameKind::Kernel;
    let own = frames.iter().position(|it| is_own(it) && it.function.is_some());
    let named = || frames.iter().position(|frame| frame.function.is_some());
    let at = own.or_else(named).or_else(|| frames.iter().position(is_own)).unwrap_or(0);
    let frame = frames.get(at)?;
    let stack =
        frames.iter().skip(at).rev().map(|frame| frame_text(frame, &timeline.names)).collect();
    Some(CodePlace {
        function: frame_text(frame, &timeline.names),
        file: frame.file.map(|file| timeline.names.get(file).to_owned()),
        line: frame.line,
        stack,
    })
}

/// The slice that a thread was innermost in for longest.
fn sliced(timeline: &Timeline, thread: ThreadId, set: &[Window]) -> Option<CodePlace> {
    let mut best: Option<(i64, CodePlace)> = None;
    let own =
        timeline.code.slices.tracks.iter().filter(|it| it.scope == SliceScope::Thread(thread));
    for track in own {
        // Time of each name without what is inside of it, and one slice of that name.
        let mut times: FxHashMap<_, (i64, usize)> = FxHashMap::default();
        let mut open: Vec<_> = Vec::new();
        for (index, slice) in timeline.code.slices.of(track).enumerate() {
            let clipped = slice.clipped(timeline.window);
            let time = windows::inside(set, clipped).value();
            open.truncate(usize::from(slice.depth));
            if let Some(around) = open.last().and_then(|name| times.get_mut(name)) {
                around.0 -= time;
            }
            times.entry(slice.name).or_insert((0, index)).0 += time;
            open.push(slice.name);
        }
        let most =
            times.into_values().max_by_key(|(time, index)| (*time, std::cmp::Reverse(*index)));
        if let Some((time, index)) = most.filter(|(time, _)| *time > 0)
            && best.as_ref().is_none_or(|(known, _)| *known < time)
        {
            best = of_slice(timeline, track, index).map(|place| (time, place));
        }
    }
    best.map(|(_, place)| place)
}

/// The slice that a thread was innermost in at most of the instants, which are in order, with the part of them that it has.
pub(super) fn of_instants(
    timeline: &Timeline,
    thread: ThreadId,
    instants: &[BootNanos],
) -> Option<(CodePlace, f64)> {
    let slices = &timeline.code.slices;
    let is_own = |track: &&SliceTrack| track.scope == SliceScope::Thread(thread);
    let mut best: Option<(usize, &SliceTrack, usize)> = None;
    for track in slices.tracks.iter().filter(is_own) {
        let mut counts: FxHashMap<_, (usize, usize)> = FxHashMap::default();
        let mut open: Vec<(usize, CallSlice)> = Vec::new();
        let mut coming = slices.of(track).enumerate().peekable();
        for instant in instants {
            while let Some((index, slice)) = coming.next_if(|(_, slice)| slice.start <= *instant) {
                open.truncate(usize::from(slice.depth));
                open.push((index, slice));
            }
            while open.last().is_some_and(|(_, slice)| slice.end < *instant) {
                open.pop();
            }
            if let Some((index, slice)) = open.last() {
                counts.entry(slice.name).or_insert((0, *index)).0 += 1;
            }
        }
        let most = counts.into_values().max_by_key(|(count, at)| (*count, std::cmp::Reverse(*at)));
        if let Some((count, index)) = most
            && best.is_none_or(|(known, ..)| known < count)
        {
            best = Some((count, track, index));
        }
    }
    let (count, track, index) = best?;
    let place = of_slice(timeline, track, index)?;
    Some((place, count as f64 / instants.len() as f64))
}

/// A slice with those around it.
pub(super) fn of_slice(timeline: &Timeline, track: &SliceTrack, index: usize) -> Option<CodePlace> {
    let first = track.first as usize;
    let slice = timeline.code.slices.get(first + index)?;
    let mut around = vec![slice];
    let mut depth = slice.depth;
    for at in (first..first + index).rev() {
        if depth == 0 || around.len() >= MOST_FRAMES {
            break;
        }
        let Some(outer) = timeline.code.slices.get(at) else { break };
        if outer.depth < depth && outer.end >= slice.start {
            depth = outer.depth;
            around.push(outer);
        }
    }
    Some(of_slices(timeline, &around))
}

/// Slices that enclose each other, the innermost first.
fn of_slices(timeline: &Timeline, slices: &[CallSlice]) -> CodePlace {
    let name = |slice: &CallSlice| timeline.names.get(slice.name).to_owned();
    let stack: Vec<String> = slices.iter().rev().map(name).collect();
    let (file, line) = slices
        .first()
        .and_then(|slice| slice.site)
        .map_or((None, None), |site| source(timeline, site));
    let function = stack.last().cloned().unwrap_or_default();
    CodePlace { function, file, line, stack }
}

fn source(timeline: &Timeline, site: SiteId) -> (Option<String>, Option<u32>) {
    let Some(place) = timeline.code.sites.get(site) else { return (None, None) };
    let within = (place.kind == SiteKind::Call).then_some(place.within).flatten();
    let file = place.file.or_else(|| timeline.code.sites.get(within?)?.file);
    (file.map(|file| timeline.names.get(file).to_owned()), place.line)
}
