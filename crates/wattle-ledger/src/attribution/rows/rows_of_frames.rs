//! The frames of a ledger, and their energy: that of the call paths with the frame's number in their names.
//!
//! A path belongs to the innermost frame around it, so no joule is in two frames, whatever they do in time. The energy of a frame is that
//! of its app's threads; what `SurfaceFlinger` and the screen do for it has no number in a call path, and is outside.

use std::collections::BTreeMap;

use wattle_timeline::{FrameOwner, ProcessId, SliceScope, ThreadId, Timeline, Window};

use super::span_rows::{EntrySums, add, unmetered, whole};
use crate::attribution::bookings::Lines;
use crate::attribution::call_paths::CallTrees;
use crate::attribution::consumer::Consumer;
use crate::attribution::context::Context;
use crate::spans::SliceRole;
use crate::{FrameJank, Ledger, SpanEntry, SpanKind, SpanParty, SpanRole, SpanSubject};

/// The process of a frame, and its number; `None` for frames that are not told apart.
type FrameKey = (Option<ProcessId>, Option<i64>);

/// A frame without its energy.
#[derive(Clone, Copy, Debug)]
struct FrameFacts {
    window: Window,
    jank: Option<FrameJank>,
    count: u64,
    has_slices: bool,
}

/// Writes frames and the energy outside of them.
pub(super) fn fill(context: &Context<'_>, calls: &CallTrees, lines: &Lines, ledger: &mut Ledger) {
    let Context { timeline, window, .. } = *context;
    let roles: Vec<Option<SliceRole<'_>>> = timeline.names.texts().map(SliceRole::parse).collect();
    let mut frames = BTreeMap::new();
    from_slices(timeline, &roles, window, &mut frames);
    from_frame_timeline(timeline, window, &mut frames);
    if frames.is_empty() {
        return;
    }
    let keys = of_paths(timeline, calls, &roles);
    let mut sums: BTreeMap<FrameKey, EntrySums> = BTreeMap::new();
    let mut rest = EntrySums::new();
    for (line, sum) in lines.entries() {
        let consumer = line.consumer();
        let key = match consumer {
            Consumer::Path(path) => keys.get(path as usize).copied().flatten(),
            _ => None,
        };
        let (sums, party) = match (key.filter(|key| frames.contains_key(key)), consumer) {
            (Some(key), _) => (sums.entry(key).or_default(), SpanParty::Own),
            (None, Consumer::Path(_) | Consumer::App(_)) => (&mut rest, SpanParty::Others),
            // Added below.
            (None, Consumer::Unmetered) => continue,
            (None, _) => (&mut rest, SpanParty::NoProcess),
        };
        sums.entry((party, line.component(), line.source())).or_default().merge(*sum);
    }
    unmetered(lines, &mut rest);
    let nothing = EntrySums::new();
    let mut in_order: Vec<(FrameKey, FrameFacts)> = frames.into_iter().collect();
    in_order.sort_by_key(|(key, facts)| (facts.window.start, *key));
    for (key, facts) in in_order {
        add(ledger, entry(timeline, key, facts), sums.get(&key).unwrap_or(&nothing));
    }
    add(ledger, whole(SpanKind::Frame, SpanRole::Outside, &[window]), &rest);
}

fn entry(timeline: &Timeline, (process, token): FrameKey, facts: FrameFacts) -> SpanEntry {
    let process = process.and_then(|process| timeline.tasks.processes.get(process.index()));
    let name = process.and_then(|process| process.name).map(|name| timeline.names.get(name));
    SpanEntry {
        subject: SpanSubject::Frame { token, jank: facts.jank },
        role: SpanRole::Named,
        app: name.map(str::to_owned),
        window: facts.window,
        duration: facts.window.duration(),
        count: facts.count,
        cut: false,
        without_slices: !facts.has_slices,
    }
}

/// The frames that slices of threads name. Those without a number are one entry of a process: its frames on the main thread are
/// counted, and not those on the thread that draws them.
fn from_slices(
    timeline: &Timeline,
    roles: &[Option<SliceRole<'_>>],
    within: Window,
    frames: &mut BTreeMap<FrameKey, FrameFacts>,
) {
    let slices = &timeline.code.slices;
    for track in &slices.tracks {
        let SliceScope::Thread(thread) = track.scope else { continue };
        let process = timeline.tasks.threads.get(thread.index()).and_then(|it| it.process);
        for slice in slices.of(track) {
            let window = slice.clipped(within);
            let (token, count) = match roles.get(slice.name.index()).copied().flatten() {
                Some(SliceRole::Frame(_, token)) => (Some(token), 0),
                Some(SliceRole::AnyFrame(crate::spans::FramePart::DoFrame)) => (None, 1),
                Some(SliceRole::AnyFrame(crate::spans::FramePart::Draw)) => (None, 0),
                _ => continue,
            };
            if window.is_empty() {
                continue;
            }
            let facts = frames.entry((process, token)).or_insert(FrameFacts {
                window,
                jank: None,
                count: u64::from(token.is_some()),
                has_slices: true,
            });
            facts.count += count;
            facts.window = hull(facts.window, window);
        }
    }
}

/// The frames that Android's frame timeline names, with what it says of those that slices name, too.
fn from_frame_timeline(
    timeline: &Timeline,
    within: Window,
    frames: &mut BTreeMap<FrameKey, FrameFacts>,
) {
    for frame in timeline.code.frames.iter().filter(|frame| frame.owner == FrameOwner::App) {
        let window = frame.actual.intersect(within);
        let jank = Some(FrameJank::new(frame));
        let key = (frame.process, Some(frame.token));
        if let Some(known) = frames.get_mut(&key) {
            // Several layers: the frame is as late as the latest of them.
            known.jank = known.jank.max(jank);
            known.window = hull(known.window, window);
        } else if !window.is_empty() {
            frames.insert(key, FrameFacts { window, jank, count: 1, has_slices: false });
        }
    }
}

fn hull(one: Window, other: Window) -> Window {
    if other.is_empty() {
        return one;
    }
    Window::new(one.start.min(other.start), one.end.max(other.end))
}

/// By call path the innermost frame around it.
fn of_paths(
    timeline: &Timeline,
    calls: &CallTrees,
    roles: &[Option<SliceRole<'_>>],
) -> Vec<Option<FrameKey>> {
    let mut keys: Vec<Option<FrameKey>> = vec![None; calls.len()];
    for (index, thread) in (0..).zip(&timeline.tasks.threads) {
        let thread_id = ThreadId(index);
        let root = calls.root(thread_id) as usize;
        // Callers come before their callees.
        for (at, node) in calls.nodes(thread_id).iter().enumerate() {
            let role = node.name.and_then(|name| roles.get(name.index()).copied().flatten());
            let own = match role {
                Some(SliceRole::Frame(_, token)) => Some((thread.process, Some(token))),
                Some(SliceRole::AnyFrame(_)) => Some((thread.process, None)),
                _ => None,
            };
            let around = node.caller.and_then(|caller| keys.get(root + caller as usize).copied());
            if let Some(key) = keys.get_mut(root + at) {
                *key = own.or(around.flatten());
            }
        }
    }
    keys
}
