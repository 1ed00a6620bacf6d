//! `binder-chatter`.

use std::collections::BTreeMap;

use wattle_timeline::{ProcessId, ThreadId, Timeline, Window};
use wattle_units::BootNanos;

use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::wakers::{Waker, waker};
use super::{code_places, people};
use crate::windows;
use crate::words::{figure, seconds, time};
use crate::{Confidence, Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "binder-chatter",
    title: "A thread of an app calls another process again and again",
    severity: FindingSeverity::Warning,
    keeps_severity: true,
    example: "`connectivityManager.getActiveNetwork()` in `onDraw`: a call into system_server for each frame, whose answer changes \
              once an hour.",
    counter_example: "The burst of calls while an app starts; the buffers that an animation sends to SurfaceFlinger, and an audio \
                      stream's to the audio server.",
    looks_for: "Wake-ups of binder threads of another process by one thread of an app, many each second and for seconds on end. \
                Streams of pictures, sound, positions of sensors and media are left aside: they are made of calls. In sched_waking.",
    why: "A call wakes a thread of another process, often on another core, and waits for its answer: two wake-ups, two switches \
          and cold caches for what a field could have held.",
    remedy: "Ask once and keep the answer; register a callback for changes instead of asking (NetworkCallback, ContentObserver, \
             listeners); join several questions into one call; ask outside of onDraw, of layout and of loops.",
    references: &[
        "https://developer.android.com/topic/performance/vitals/render#binder",
        "https://source.android.com/docs/core/architecture/ipc/binder-overview",
        "https://developer.android.com/reference/android/net/ConnectivityManager.NetworkCallback",
    ],
    thresholds: &[
        Threshold {
            name: "least-rate",
            value: 20.0,
            unit: "/s",
            meaning: "Fewer calls each second of one thread to one process are no chatter. Ours.",
        },
        Threshold {
            name: "least-time",
            value: 3.0,
            unit: "s",
            meaning: "How long it has to go on: starts of apps are shorter. Ours.",
        },
        Threshold {
            name: "longest-pause",
            value: 0.25,
            unit: "s",
            meaning: "A longer pause ends a stretch of calls. Ours.",
        },
    ],
};

/// Parts of names of processes that are sent streams: pictures, sound, media, sensors, input.
const STREAMS: [&str; 14] = [
    "surfaceflinger",
    "composer",
    "audioserver",
    "audio.service",
    "mediaserver",
    "media.",
    "cameraserver",
    "camera.provider",
    "sensors",
    "gpuservice",
    "allocator",
    "inputflinger",
    "graphics",
    "bufferhub",
];

pub(super) fn find(look: &Look<'_>) -> Outcome {
    let timeline = look.timeline;
    if timeline.wakeups.is_empty() {
        return Outcome::without("wake-ups of threads (sched_waking)");
    }
    let serves: Vec<Option<ProcessId>> = (0..)
        .map(ThreadId)
        .take(timeline.tasks.threads.len())
        .map(|it| server(timeline, it))
        .collect();
    let mut calls: BTreeMap<(ThreadId, ProcessId), Vec<BootNanos>> = BTreeMap::new();
    let wakeups = &timeline.wakeups;
    for ((at, cpu), thread) in wakeups.time.iter().zip(&wakeups.cpu).zip(&wakeups.thread) {
        let Some(Some(process)) = serves.get(thread.index()) else { continue };
        if !look.window.contains(*at) {
            continue;
        }
        let Waker::Thread(by) = waker(timeline, *cpu, *at) else { continue };
        if is_caller(look, by, *process) {
            calls.entry((by, *process)).or_default().push(*at);
        }
    }
    let found = calls.into_iter();
    Outcome::found(
        found
            .filter_map(|((by, to), mut times)| {
                times.sort_unstable();
                of_pair(look, by, to, &times)
            })
            .collect(),
    )
}

/// The process whose calls a thread answers, if it is a binder thread of one that is sent no streams.
fn server(timeline: &Timeline, thread: ThreadId) -> Option<ProcessId> {
    let facts = timeline.tasks.threads.get(thread.index())?;
    let process = facts.process?;
    let name = timeline.tasks.processes.get(process.index())?.name;
    let name = name.map_or("", |name| timeline.names.get(name));
    let is_stream = STREAMS.iter().any(|part| name.contains(part));
    (is_binder(timeline, thread) && !is_stream).then_some(process)
}

/// Names that libbinder, libhwbinder and the binder NDK give to threads of their pools.
fn is_binder(timeline: &Timeline, thread: ThreadId) -> bool {
    let name = timeline.tasks.threads.get(thread.index()).and_then(|facts| facts.name);
    let name = name.map_or("", |name| timeline.names.get(name));
    ["binder:", "Binder:", "Binder_", "HwBinder:"].iter().any(|it| name.starts_with(it))
}

/// Whether a thread calls for its own app: of an app, and not while it answers others.
fn is_caller(look: &Look<'_>, thread: ThreadId, to: ProcessId) -> bool {
    people::process_of(look.timeline, thread).is_some_and(|process| {
        process != to
            && look.is_looked_at(Some(process))
            && people::is_app(look.timeline, process)
            && !is_binder(look.timeline, thread)
    })
}

fn of_pair(look: &Look<'_>, by: ThreadId, to: ProcessId, times: &[BootNanos]) -> Option<Finding> {
    let pause = look.threshold(&RULE, "longest-pause");
    let chains = times.chunk_by(|one, other| (*other - *one).seconds() <= pause);
    let mut chains: Vec<(Window, &[BootNanos])> = chains
        .filter_map(|chain| Some((Window::new(*chain.first()?, *chain.last()?), chain)))
        .filter(|(window, chain)| {
            let length = window.duration().seconds();
            length > 0.0
                && length >= look.threshold(&RULE, "least-time")
                && chain.len() as f64 / length >= look.threshold(&RULE, "least-rate")
        })
        .collect();
    chains.sort_by_key(|(_, chain)| std::cmp::Reverse(chain.len()));
    chains.first()?;
    let count: usize = chains.iter().map(|(_, chain)| chain.len()).sum();
    let set = windows::union(chains.iter().map(|(window, _)| *window).collect());
    let length = windows::total(&set).seconds();
    let process = people::process_of(look.timeline, by)?;
    let who = people::process(look.timeline, process);
    let server = people::process(look.timeline, to);
    let title = format!(
        "{} calls {} {} times each second for {}",
        people::thread(look.timeline, by),
        server.as_deref().unwrap_or("another process"),
        figure(count as f64 / length),
        seconds(length)
    );
    let calls: Vec<BootNanos> =
        chains.iter().flat_map(|(_, chain)| chain.iter().copied()).collect();
    let place = code_places::of_instants(look.timeline, by, &calls);
    let confidence = if let Some((place, share)) = place.as_ref().filter(|(_, share)| *share >= 0.5)
    {
        Confidence::high(&format!(
            "wake-ups of the other process by this thread, {:.0} % of them in {}",
            share * 100.0,
            place.function
        ))
    } else {
        Confidence::medium(
            "wake-ups of the other process by this thread; which code calls is not recorded",
        )
    };
    let mut finding = look.finding(&RULE, FindingSeverity::Warning, title, confidence);
    for (window, chain) in chains.iter().take(3) {
        let text = format!(
            "{} calls in {}: one every {}",
            chain.len(),
            time(window.duration()),
            seconds(window.duration().seconds() / chain.len() as f64)
        );
        finding.evidence.push(evidence(text, Some(*window)));
    }
    finding.who = who;
    finding.thread = Some(people::thread(look.timeline, by));
    finding.place = place.map(|(place, _)| place);
    finding.at_stake = look.at_stake_within(by, &set);
    Some(finding)
}
