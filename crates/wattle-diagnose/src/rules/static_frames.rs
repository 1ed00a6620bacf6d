//! `static-frames`.

use std::collections::BTreeMap;

use wattle_timeline::{NameId, ProcessId, SliceScope, ThreadId, Window};
use wattle_units::{BootNanos, Nanos};

use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::{people, stakes, unseen_frames};
use crate::windows;
use crate::words::{figure, seconds, time};
use crate::{Confidence, Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "static-frames",
    title: "Frames are produced though nobody touches the device",
    severity: FindingSeverity::Warning,
    keeps_severity: true,
    example: "A spinner behind an opaque view: 60 frames each second for as long as the screen is on.",
    counter_example: "A film or a game. A trace does not say what the picture shows, so without any input recorded this is a note of low confidence.",
    looks_for: "Frames of an app (Choreographer#doFrame, else DrawFrame) that follow each other for seconds after the last input, \
                inside of what should be idle. Whether anything on the screen changed is not in a trace: a film or an animation \
                that the user watches looks the same.",
    why: "Each frame wakes the main thread, the render thread, SurfaceFlinger and the GPU, and keeps the panel at its high refresh \
          rate; a still screen costs none of that.",
    remedy: "Stop animations that are not seen or have no end (progress bars behind other views, infinite transitions, Lottie in a \
             loop), do not call invalidate() or postFrameCallback() from themselves, and recompose only what changed.",
    references: &[
        "https://developer.android.com/topic/performance/vitals/render",
        "https://developer.android.com/media/optimize/performance/frame-rate",
        "creedengo Android: Idleness: Keep Screen On, Continuous Rendering",
    ],
    thresholds: &[
        Threshold {
            name: "settle",
            value: 3.0,
            unit: "s",
            meaning: "For so long after an input frames are its answer: flings and transitions end within that. Ours.",
        },
        Threshold {
            name: "least-rate",
            value: 10.0,
            unit: "/s",
            meaning: "Fewer frames are a clock or a cursor. Ours.",
        },
        Threshold {
            name: "least-time",
            value: 2.0,
            unit: "s",
            meaning: "How long they have to go on. Ours.",
        },
        Threshold {
            name: "high-rate",
            value: 70.0,
            unit: "/s",
            meaning: "More frames than this need the panel's high refresh rate (90 or 120 Hz), which the evidence says.",
        },
    ],
};

/// The kind of a slice, by its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Frame,
    Drawing,
    Input,
}

impl Kind {
    /// Sections of AOSP's `Choreographer`, `RenderThread` and `ViewRootImpl`; since Android 12 with the frame's number behind.
    fn from_name(name: &str) -> Option<Self> {
        match name {
            _ if name.starts_with("Choreographer#doFrame") => Some(Self::Frame),
            _ if name.starts_with("DrawFrame") => Some(Self::Drawing),
            _ if name.starts_with("deliverInputEvent")
                || name.starts_with("dispatchInputEvent")
                || name.starts_with("ViewPostImeInputStage") =>
            {
                Some(Self::Input)
            }
            _ => None,
        }
    }
}

pub(super) fn find(look: &Look<'_>) -> Outcome {
    let timeline = look.timeline;
    let kinds: BTreeMap<NameId, Kind> = (0..)
        .zip(timeline.names.texts())
        .filter_map(|(index, name)| Some((NameId(index), Kind::from_name(name)?)))
        .collect();
    let mut inputs: Vec<BootNanos> = Vec::new();
    let mut frames: BTreeMap<ProcessId, Vec<(BootNanos, ThreadId, bool)>> = BTreeMap::new();
    for track in timeline.code.slices.tracks.iter().filter(|_| !kinds.is_empty()) {
        let SliceScope::Thread(thread) = track.scope else { continue };
        let process = people::process_of(timeline, thread);
        for slice in timeline.code.slices.of(track) {
            match (kinds.get(&slice.name), process) {
                (Some(Kind::Input), _) => inputs.push(slice.start),
                (Some(kind), Some(process)) => {
                    let frame = (slice.start, thread, *kind == Kind::Frame);
                    frames.entry(process).or_default().push(frame);
                }
                _ => {}
            }
        }
    }
    if frames.is_empty() {
        return Outcome::without("frames of apps (the category `view` of atrace)");
    }
    let settle = Nanos::from_seconds(look.threshold(&RULE, "settle"));
    let answered = inputs.iter().map(|time| Window::new(*time, *time + settle)).collect();
    let quiet = windows::difference(&look.untouched, &windows::union(answered));
    let is_told = look.idle_is_told || !inputs.is_empty();
    // One cause is one finding.
    let unseen = unseen_frames::found(look);
    let of = frames.into_iter().filter(|(process, _)| look.is_looked_at(Some(*process)));
    let found = of.filter_map(|(process, frames)| {
        let told = unseen.get(&process).map_or(&[][..], Vec::as_slice);
        of_process(look, process, frames, &windows::difference(&quiet, told), is_told)
    });
    Outcome::found(found.collect())
}

fn of_process(
    look: &Look<'_>,
    process: ProcessId,
    mut frames: Vec<(BootNanos, ThreadId, bool)>,
    quiet: &[Window],
    is_told: bool,
) -> Option<Finding> {
    // The main thread's frames, else those of the render thread: not both, which would count each twice.
    if frames.iter().any(|(.., is_main)| *is_main) {
        frames.retain(|(.., is_main)| *is_main);
    }
    frames.sort_unstable_by_key(|(time, ..)| *time);
    let least_rate = look.threshold(&RULE, "least-rate");
    let times: Vec<BootNanos> = frames.iter().map(|(time, ..)| *time).collect();
    let mut chains: Vec<(Window, usize)> = Vec::new();
    for window in quiet {
        let first = times.partition_point(|time| *time < window.start);
        let end = times.partition_point(|time| *time < window.end);
        let inside = times.get(first..end).unwrap_or_default();
        for chain in inside.chunk_by(|one, other| (*other - *one).seconds() <= 2.0 / least_rate) {
            let (Some(first), Some(last)) = (chain.first(), chain.last()) else { continue };
            let window = Window::new(*first, *last);
            let length = window.duration().seconds();
            if length >= look.threshold(&RULE, "least-time")
                && (chain.len() - 1) as f64 / length >= least_rate
            {
                chains.push((window, chain.len()));
            }
        }
    }
    chains.sort_by_key(|(window, _)| std::cmp::Reverse(window.duration()));
    chains.first()?;
    let set = windows::union(chains.iter().map(|(window, _)| *window).collect());
    // From frame to frame.
    let count: usize = chains.iter().map(|(_, count)| count - 1).sum();
    let length = windows::total(&set).seconds();
    let who = people::process(look.timeline, process);
    let title = format!(
        "{} drew {} frames each second for {} without any input",
        who.as_deref().unwrap_or("an app"),
        figure(count as f64 / length),
        seconds(length)
    );
    let severity = if is_told { FindingSeverity::Warning } else { FindingSeverity::Note };
    let confidence = if is_told {
        Confidence::medium(
            "frames without input, but whether the picture changed is not in the recording",
        )
    } else {
        Confidence::low("no input was recorded at all: the user may have watched an animation")
    };
    let mut finding = look.finding(&RULE, severity, title, confidence);
    for (window, count) in chains.iter().take(3) {
        let rate = (*count - 1) as f64 / window.duration().seconds();
        let text =
            format!("{count} frames in {}: {} each second", time(window.duration()), figure(rate));
        finding.evidence.push(evidence(text, Some(*window)));
    }
    let rate = count as f64 / length;
    if rate > look.threshold(&RULE, "high-rate") {
        let text = format!(
            "{} frames each second keep the panel at its high refresh rate: where half of them do, ask for it (View.setRequestedFrameRate, Surface.setFrameRate)",
            figure(rate)
        );
        finding.evidence.push(evidence(text, None));
    }
    let text = if is_told {
        "whether the picture changed is not recorded: a film or an animation that is watched looks the same"
    } else {
        "no input was recorded at all, and nothing tells when the app should have been idle"
    };
    finding.evidence.push(evidence(text, None));
    let threads: Vec<ThreadId> = (0..)
        .zip(&look.timeline.tasks.threads)
        .filter(|(_, facts)| facts.process == Some(process))
        .map(|(index, _)| ThreadId(index))
        .collect();
    let main = frames.first().map(|(_, thread, _)| *thread);
    finding.thread = main.map(|thread| people::thread(look.timeline, thread));
    finding.who = who;
    finding.at_stake = if look.activity().is_some() {
        look.at_stake_of_each(&threads.into_iter().map(|thread| (thread, set.clone())).collect())
    } else {
        let share = length / look.window.duration().seconds();
        look.stakes.whole(&threads).map(|energy| stakes::part(energy, share))
    };
    Some(finding)
}
