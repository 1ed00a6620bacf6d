//! The kernel's wakeup sources: who kept the device awake, and who woke it.

use std::collections::BTreeMap;

use wattle_timeline::{NameId, StateKind, StateTrack, Timeline, Window};
use wattle_units::{BootNanos, Nanos};

use super::look::{Look, evidence};
use crate::Evidence;
use crate::windows;
use crate::words::{seconds, time};

/// The first wakeup source that begins so soon after a suspend ended, it ended.
const AFTER_RESUME: Nanos = Nanos::new(1_000_000_000);
/// So many sources are named.
const MOST: usize = 3;

/// The kernel's account of being awake within a set of time, for a finding about wake-ups; nothing where it has none.
pub(super) fn awake(look: &Look<'_>, set: &[Window]) -> Vec<Evidence> {
    let mut found = Vec::new();
    found.extend(held(look, set));
    found.extend(woken(look, set));
    found
}

fn sources(timeline: &Timeline) -> impl Iterator<Item = (NameId, &StateTrack)> {
    let states = timeline.system.states.iter();
    let sources = states.filter(|it| it.kind == StateKind::WakeupSource);
    sources.filter_map(|it| Some((it.tag?, it)))
}

/// When a source kept the device awake. One that is first seen to end was on from the beginning.
fn on(look: &Look<'_>, track: &StateTrack) -> Vec<Window> {
    let known = track.level.segments(look.window).filter(|it| it.value > 0);
    let mut on: Vec<Window> = known.map(|it| it.window).collect();
    if let Some((end, 0)) = track.level.first() {
        on.push(Window::new(look.window.start, end).intersect(look.window));
    }
    windows::union(on)
}

/// The sources that kept the device awake longest.
fn held(look: &Look<'_>, set: &[Window]) -> Option<Evidence> {
    let mut sources: Vec<(NameId, f64)> = sources(look.timeline)
        .map(|(name, track)| {
            let inside = windows::intersection(&on(look, track), set);
            (name, windows::total(&inside).seconds())
        })
        .filter(|(_, length)| *length > 0.0)
        .collect();
    sources.sort_by(|one, other| other.1.total_cmp(&one.1));
    let named: Vec<String> = sources
        .iter()
        .take(MOST)
        .map(|(name, length)| {
            format!("\"{}\" for {}", look.timeline.names.get(*name), seconds(*length))
        })
        .collect();
    if named.is_empty() {
        return None;
    }
    let whole = windows::total(set);
    let asleep = asleep(look, set);
    let suspended = if look.timeline.suspend.suspended.is_empty() {
        String::new()
    } else {
        format!(" (suspended for {} of it)", time(asleep))
    };
    let text = format!(
        "kept awake in {}{suspended} by the kernel's wakeup sources {}",
        time(whole),
        named.join(", ")
    );
    Some(evidence(text, None))
}

fn asleep(look: &Look<'_>, set: &[Window]) -> Nanos {
    let suspended = look.timeline.suspend.suspended.segments(look.window);
    let asleep = suspended.filter(|it| it.value).map(|it| it.window).collect();
    windows::total(&windows::intersection(&windows::union(asleep), set))
}

/// The sources that ended suspends most often.
fn woken(look: &Look<'_>, set: &[Window]) -> Option<Evidence> {
    let suspended = look.timeline.suspend.suspended.iter();
    let resumes: Vec<BootNanos> = suspended
        .filter(|(time, asleep)| !asleep && windows::around(set, *time).is_some())
        .map(|(time, _)| time)
        .collect();
    if resumes.is_empty() {
        return None;
    }
    let mut begins: Vec<(BootNanos, NameId)> = Vec::new();
    for (name, track) in sources(look.timeline) {
        begins.extend(track.level.iter().filter(|it| it.1 > 0).map(|(time, _)| (time, name)));
    }
    begins.sort_unstable();
    let mut counts: BTreeMap<NameId, usize> = BTreeMap::new();
    for resume in &resumes {
        let first = begins.partition_point(|(time, _)| time < resume);
        if let Some((time, name)) = begins.get(first)
            && *time <= *resume + AFTER_RESUME
        {
            *counts.entry(*name).or_default() += 1;
        }
    }
    let mut counts: Vec<(NameId, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let named: Vec<String> = counts
        .iter()
        .take(MOST)
        .map(|(name, count)| {
            let times = if *count == 1 { "time" } else { "times" };
            format!("\"{}\" {count} {times}", look.timeline.names.get(*name))
        })
        .collect();
    if named.is_empty() {
        return None;
    }
    let text = format!(
        "wakeup sources that began first after {} from suspend: {}",
        if resumes.len() == 1 {
            "1 resume".to_owned()
        } else {
            format!("{} resumes", resumes.len())
        },
        named.join(", ")
    );
    Some(evidence(text, None))
}
