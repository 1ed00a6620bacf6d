//! `unseen-frames`.

use std::collections::BTreeMap;

use wattle_timeline::{
    FrameOwner, JankCauses, NameId, ProcessId, SliceScope, StateKind, ThreadId, Window,
};
use wattle_units::{BootNanos, Nanos};

use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::{code_places, people};
use crate::words::{figure, seconds, time};
use crate::{Confidence, Finding, FindingSeverity, Rule, Threshold, pictures, windows};

pub(super) const RULE: Rule = Rule {
    id: "unseen-frames",
    title: "An app works for frames that nobody can see",
    severity: FindingSeverity::Warning,
    keeps_severity: true,
    example: "A frame callback that posts itself again without drawing anything: the main thread runs for each refresh of the panel, and no \
              picture changes. An animation that goes on when the screen is off.",
    counter_example: "A game or a map that draws by itself into a surface: its buffers go to the screen. Frames that were dropped because \
                      the app was late.",
    looks_for: "Choreographer's frames of an app that follow each other for seconds while none of its threads draws (no DrawFrame, no buffer, no \
                frame on the frame timeline), and frames of the frame timeline or of Choreographer while the display is off. In atrace's \
                category `view` and in Android's frame timeline.",
    why: "A frame without a picture costs the wake-up of the main thread, its callbacks and often layout, and keeps the display's timing \
          signal running, 60 to 120 times each second.",
    remedy: "Post a frame callback only while something moves, and remove it (removeFrameCallback, Animator.cancel) in onStop and when the view \
             is not shown (onVisibilityAggregated, isShown). An animator of a view with visibility GONE or alpha 0 runs as well: stop it.",
    references: &[
        "https://developer.android.com/reference/android/view/Choreographer#postFrameCallback(android.view.Choreographer.FrameCallback)",
        "https://perfetto.dev/docs/data-sources/frametimeline",
        "https://developer.android.com/reference/android/view/View#onVisibilityAggregated(boolean)",
    ],
    thresholds: &[
        Threshold {
            name: "least-rate",
            value: 10.0,
            unit: "/s",
            meaning: "Fewer frames are a clock. Ours.",
        },
        Threshold {
            name: "least-time",
            value: 2.0,
            unit: "s",
            meaning: "How long they have to go on. Ours.",
        },
    ],
};

/// The kind of a slice, by its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The main thread's frame.
    Frame,
    /// A picture is drawn or handed on.
    Picture,
}

impl Kind {
    fn from_name(name: &str) -> Option<Self> {
        if name.starts_with("Choreographer#doFrame") {
            Some(Self::Frame)
        } else if pictures::is_picture(name) {
            Some(Self::Picture)
        } else {
            None
        }
    }
}

/// The frames of one process.
#[derive(Default)]
struct Frames {
    /// Beginnings of Choreographer's frames, with their thread.
    begun: Vec<(BootNanos, ThreadId)>,
    /// When something was drawn.
    pictures: Vec<BootNanos>,
    /// Frames that the system says were for a display that is off.
    dark: Vec<BootNanos>,
}

pub(super) fn find(look: &Look<'_>) -> Outcome {
    let processes = frames(look);
    if processes.is_empty() {
        return Outcome::without("frames of apps (the category `view` of atrace)");
    }
    let dark = dark(look);
    let of = processes.into_iter().filter(|(process, _)| look.is_looked_at(Some(*process)));
    Outcome::found(
        of.filter_map(|(process, frames)| of_process(look, process, frames, &dark)).collect(),
    )
}

/// When the frames of each process cannot be seen by this rule; never where nobody asks it.
pub(super) fn found(look: &Look<'_>) -> BTreeMap<ProcessId, Vec<Window>> {
    if !look.is_on(&RULE) {
        return BTreeMap::new();
    }
    let dark = dark(look);
    let of = frames(look).into_iter().map(|(process, mut frames)| {
        let found = unseen(look, &mut frames, &dark);
        (process, windows::union(found.into_iter().map(|(window, ..)| window).collect()))
    });
    of.filter(|(_, windows)| !windows.is_empty()).collect()
}

fn frames(look: &Look<'_>) -> BTreeMap<ProcessId, Frames> {
    let mut processes = slices(look);
    for frame in look.timeline.code.frames.iter().filter(|it| it.owner == FrameOwner::App) {
        let Some(process) = frame.process else { continue };
        let frames = processes.entry(process).or_default();
        if frame.jank.intersects(JankCauses::DISPLAY_NOT_ON) {
            frames.dark.push(frame.actual.start);
        } else {
            frames.pictures.push(frame.actual.start);
        }
    }
    processes
}

/// When the panel was switched off; never where that is not known.
fn dark(look: &Look<'_>) -> Vec<Window> {
    let has_screen = look.timeline.system.states.iter().any(|it| it.kind == StateKind::Screen);
    if has_screen { look.screen_off().unwrap_or_default() } else { Vec::new() }
}

fn slices(look: &Look<'_>) -> BTreeMap<ProcessId, Frames> {
    let timeline = look.timeline;
    let kinds: BTreeMap<NameId, Kind> = (0..)
        .zip(timeline.names.texts())
        .filter_map(|(index, name)| Some((NameId(index), Kind::from_name(name)?)))
        .collect();
    let mut processes: BTreeMap<ProcessId, Frames> = BTreeMap::new();
    for track in timeline.code.slices.tracks.iter().filter(|_| !kinds.is_empty()) {
        let SliceScope::Thread(thread) = track.scope else { continue };
        let Some(process) = people::process_of(timeline, thread) else { continue };
        for slice in timeline.code.slices.of(track) {
            match kinds.get(&slice.name) {
                Some(Kind::Frame) => {
                    processes.entry(process).or_default().begun.push((slice.start, thread));
                }
                Some(Kind::Picture) => {
                    processes.entry(process).or_default().pictures.push(slice.start);
                }
                None => {}
            }
        }
    }
    processes
}

/// Why nobody can see the frames of a stretch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unseen {
    NothingDrawn,
    DisplayOff,
}

/// Stretches of frames that nobody can see, the longest first, all for the reason of the longest.
fn unseen(look: &Look<'_>, frames: &mut Frames, dark: &[Window]) -> Vec<(Window, usize, Unseen)> {
    frames.pictures.sort_unstable();
    frames.begun.sort_unstable_by_key(|(time, _)| *time);
    let inside = |time: &BootNanos| look.window.contains(*time);
    let times: Vec<BootNanos> = frames.begun.iter().map(|(time, _)| *time).filter(inside).collect();
    let mut in_dark: Vec<BootNanos> =
        times.iter().filter(|it| windows::around(dark, **it).is_some()).copied().collect();
    in_dark.extend(frames.dark.iter().copied().filter(inside));
    in_dark.sort_unstable();
    in_dark.dedup();
    let mut found = chains(look, &in_dark, Unseen::DisplayOff);
    // A recording without any picture of the app does not record pictures.
    if !frames.pictures.is_empty() {
        let lit: Vec<BootNanos> =
            times.into_iter().filter(|it| windows::around(dark, *it).is_none()).collect();
        for stretch in without_pictures(&lit, &frames.pictures) {
            found.extend(chains(look, stretch, Unseen::NothingDrawn));
        }
    }
    found.sort_by_key(|(window, ..)| std::cmp::Reverse(window.duration()));
    if let Some((_, _, why)) = found.first().copied() {
        found.retain(|it| it.2 == why);
    }
    found
}

fn of_process(
    look: &Look<'_>,
    process: ProcessId,
    mut frames: Frames,
    dark: &[Window],
) -> Option<Finding> {
    let found = unseen(look, &mut frames, dark);
    let (_, _, why) = *found.first()?;
    let set = windows::union(found.iter().map(|(window, ..)| *window).collect());
    let count: usize = found.iter().map(|(_, count, _)| count).sum();
    let length = windows::total(&set).seconds();
    let who = people::process(look.timeline, process);
    let (what, confidence) = match why {
        Unseen::NothingDrawn => (
            "and drew nothing",
            Confidence::high("frames of the main thread, and none of the app's threads that draws"),
        ),
        Unseen::DisplayOff => {
            ("while the display was off", Confidence::high("frames while the display is off"))
        }
    };
    let title = format!(
        "{} worked for {} frames each second for {} {what}",
        who.as_deref().unwrap_or("an app"),
        figure(count as f64 / length),
        seconds(length)
    );
    let mut finding = look.finding(&RULE, FindingSeverity::Warning, title, confidence);
    for (window, count, _) in found.iter().take(3) {
        let text = format!("{count} frames in {}", time(window.duration()));
        finding.evidence.push(evidence(text, Some(*window)));
    }
    let first = found.first().map(|(window, ..)| window.start)?;
    let main = frames.begun.iter().find(|(time, _)| *time >= first).map(|(_, thread)| *thread);
    finding.thread = main.map(|thread| people::thread(look.timeline, thread));
    finding.place = main.and_then(|main| code_places::of_thread(look.timeline, main, &set, false));
    finding.who = who;
    finding.at_stake = main.and_then(|main| look.at_stake_within(main, &set));
    Some(finding)
}

/// Frames between two pictures; a frame belongs to a picture that comes within a tenth of a second.
fn without_pictures<'a>(frames: &'a [BootNanos], pictures: &[BootNanos]) -> Vec<&'a [BootNanos]> {
    let near = Nanos::from_seconds(0.1);
    let mut stretches = Vec::new();
    let mut first = 0;
    for picture in pictures {
        let end = frames.partition_point(|time| *time < *picture - near);
        if end > first {
            stretches.extend(frames.get(first..end));
        }
        first = first.max(frames.partition_point(|time| *time <= *picture + near));
    }
    stretches.extend(frames.get(first..).filter(|it| !it.is_empty()));
    stretches
}

/// Stretches of frames that follow each other, by the rule's thresholds.
fn chains(look: &Look<'_>, times: &[BootNanos], why: Unseen) -> Vec<(Window, usize, Unseen)> {
    let least_rate = look.threshold(&RULE, "least-rate");
    let least_time = look.threshold(&RULE, "least-time");
    let chains = times.chunk_by(|one, other| (*other - *one).seconds() <= 2.0 / least_rate);
    let chains = chains.filter_map(|chain| {
        let window = Window::new(*chain.first()?, *chain.last()?);
        let length = window.duration().seconds();
        let rate = (chain.len() - 1) as f64 / length;
        (length > 0.0 && length >= least_time && rate >= least_rate).then_some((
            window,
            chain.len(),
            why,
        ))
    });
    chains.collect()
}
