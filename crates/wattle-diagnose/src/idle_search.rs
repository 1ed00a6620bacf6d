//! Finding out when nothing should have happened.

use wattle_timeline::{
    CounterScope, CpuTimeline, ProcessId, SliceScope, StateKind, StateTrack, Timeline, Window,
};
use wattle_units::{BootNanos, Nanos};

use crate::restless_time::restless;
use crate::windows::{difference, total, union};
use crate::words::time;
use crate::{IdleChoice, IdleIntervals, IdleSource};

/// Work that an input asks for may go on for so long.
const AFTER_INPUT: Nanos = Nanos::new(1_000_000_000);
/// An app that has come to the front settles for so long.
const AFTER_LAUNCH: Nanos = Nanos::new(2_000_000_000);
/// Shorter stretches between others are no idle time.
const SHORTEST: Nanos = Nanos::new(500_000_000);
/// In less time without a load or a motion rules about idle time do not look: the end of a load would be taken for idleness.
const LEAST_STILL: Nanos = Nanos::new(3_000_000_000);

/// Names of sections and of counters that Android writes while input is dispatched (AOSP `ViewRootImpl`, `InputDispatcher`; `AndroidOwner` is
/// Compose's view).
const INPUT: [&str; 7] = [
    "deliverInputEvent",
    "dispatchInputEvent",
    "notifyMotion",
    "notifyKey",
    "aq:pending:",
    "InputConsumer ",
    "AndroidOwner:onTouch",
];
/// Sections, counters and methods that come from where input comes from.
const VIEWS: [&str; 3] = ["Choreographer#doFrame", "Choreographer.doFrame", "performTraversals"];
/// Methods that dispatch input, as method traces name them.
const INPUT_METHODS: [&str; 2] =
    ["ViewRootImpl.deliverInputEvent", "InputEventReceiver.dispatchInputEvent"];
/// Methods of `ActivityThread` that bring an app to the front, as method traces name them.
const LAUNCH_METHODS: [&str; 3] = [
    "ActivityThread.handleBindApplication",
    "ActivityThread.handleLaunchActivity",
    "ActivityThread.handleResumeActivity",
];
/// Beginnings of sections that it writes while an app comes to the front (`ActivityMetricsLogger`, `ActivityThread`).
const LAUNCH: [&str; 5] =
    ["launching: ", "activityStart", "activityResume", "bindApplication", "startActivityInner"];

/// The stretches to look at within the window. `subjects` are the processes that were asked for; empty where all are looked at.
pub(crate) fn idle(
    timeline: &Timeline,
    window: Window,
    choice: &IdleChoice,
    subjects: &[ProcessId],
) -> IdleIntervals {
    match choice {
        IdleChoice::Whole => IdleIntervals {
            source: IdleSource::Whole,
            windows: non_empty(vec![window]),
            still: non_empty(vec![window]),
            why: "all of the recording, as asked for".to_owned(),
        },
        IdleChoice::Given(given) => {
            let clipped = given.iter().map(|it| it.intersect(window)).collect();
            let windows = union(clipped);
            let why = if windows.is_empty() {
                "none of the intervals that were given lies in the recording"
            } else {
                "as given"
            };
            let (still, why) = (windows.clone(), why.to_owned());
            IdleIntervals { source: IdleSource::Given, windows, still, why }
        }
        IdleChoice::Find => found(timeline, window, subjects),
    }
}

fn non_empty(mut windows: Vec<Window>) -> Vec<Window> {
    windows.retain(|window| !window.is_empty());
    windows
}

fn found(timeline: &Timeline, window: Window, subjects: &[ProcessId]) -> IdleIntervals {
    let mut told = Vec::new();
    let mut active = inputs(timeline, window, &mut told);
    let is_input_known = !told.is_empty() || has_views(timeline);
    active.extend(launches(timeline, window, &mut told));
    let tests = timeline.code.tests.iter().map(|test| test.window.intersect(window));
    let tests = non_empty(tests.collect());
    if !tests.is_empty() {
        told.push(format!("{} tests", tests.len()));
        active.extend(tests);
    }
    let active = union(active);
    // With the screen off, or while another app is in front, nothing that happens is asked for by a user of these.
    let mut calm = Vec::new();
    if let Some(off) = screen_off(timeline, window) {
        told.push("the screen".to_owned());
        calm.extend(off);
    }
    if let Some(behind) = behind(timeline, window, subjects) {
        told.push("which app is in front".to_owned());
        calm.extend(behind);
    }
    let calm = union(calm);
    let mut busy = Vec::new();
    for stretch in active {
        let inside: Vec<Window> = calm.iter().map(|it| it.intersect(stretch)).collect();
        busy.extend(difference(&[stretch], &union(inside)));
    }
    if told.is_empty() {
        return IdleIntervals {
            source: IdleSource::Unknown,
            windows: non_empty(vec![window]),
            still: Vec::new(),
            why: "neither input nor the screen was recorded".to_owned(),
        };
    }
    let told = told.join(", ");
    if !is_input_known {
        // Whoever looks at the screen may touch it: without word of that only the rest is known to be calm.
        return by_calm_alone(window, &calm, &told);
    }
    let mut windows = difference(&[watched(timeline, window)], &union(busy));
    windows.retain(|it| it.duration() >= SHORTEST || *it == window);
    if windows.is_empty() && !window.is_empty() {
        return IdleIntervals {
            source: IdleSource::Unknown,
            windows: vec![window],
            still: Vec::new(),
            why: format!("it was never idle, judged by {told}"),
        };
    }
    // What nobody sees is no motion, and what begins behind the app in front was not asked for.
    let restless = difference(&restless(timeline, window), &calm);
    let mut still = difference(&windows, &restless);
    still.retain(|it| it.duration() >= SHORTEST || *it == window);
    let (length, all) = (total(&still), total(&windows));
    let looked = if length < LEAST_STILL {
        still.clear();
        format!(
            "; less than {LEAST_STILL} of it are without anything that was loading or moved on the screen, which is too little for rules about idle time"
        )
    } else if length < all {
        format!(
            "; for {} of it nothing was loading or moved on the screen, which is what rules about idle time look at",
            time(length)
        )
    } else {
        String::new()
    };
    let why =
        format!("judged by {told}: the rest is idle, in intervals of {SHORTEST} or more{looked}");
    IdleIntervals { source: IdleSource::Found, windows, still, why }
}

/// The part of the window in which events of all CPUs are there: where events were lost, those of a CPU may begin later than those of another, and
/// an input that it handled is not known.
fn watched(timeline: &Timeline, window: Window) -> Window {
    let first = |cpu: &CpuTimeline| Some(cpu.sched.iter().next()?.window.start);
    match timeline.cpus.iter().filter_map(first).max() {
        Some(all) if timeline.quality.lost_events() > 0 && all > window.start => {
            Window::new(all.min(window.end), window.end)
        }
        _ => window,
    }
}

/// The idle time where nothing tells of input.
fn by_calm_alone(window: Window, calm: &[Window], told: &str) -> IdleIntervals {
    let mut windows = non_empty(calm.iter().map(|it| it.intersect(window)).collect());
    windows.retain(|it| it.duration() >= SHORTEST || *it == window);
    if windows.is_empty() {
        return IdleIntervals {
            source: IdleSource::Unknown,
            windows: non_empty(vec![window]),
            still: Vec::new(),
            why: format!("input was not recorded, and {told} says that it was in use all the time"),
        };
    }
    let is_enough = total(&windows) >= LEAST_STILL;
    let still = if is_enough { windows.clone() } else { Vec::new() };
    let looked = if is_enough {
        String::new()
    } else {
        format!("; less than {LEAST_STILL} are too little for rules about idle time")
    };
    let why = format!(
        "by {told} alone: when it was in use is not idle time, because input was not recorded{looked}"
    );
    IdleIntervals { source: IdleSource::Found, windows, still, why }
}

/// From each input until the work that it asks for is done. Inputs outside of the window tell, too, that input was recorded.
fn inputs(timeline: &Timeline, window: Window, told: &mut Vec<String>) -> Vec<Window> {
    let times = input_times(timeline).into_iter();
    let busy = union(times.map(|time| Window::new(time, time + AFTER_INPUT)).collect());
    if !busy.is_empty() {
        told.push(format!("input ({AFTER_INPUT} after each)"));
    }
    non_empty(busy.into_iter().map(|it| it.intersect(window)).collect())
}

/// Whether the recording has what apps say when they draw: Android writes input where it writes that (atrace's category `view`), and
/// method traces have the methods of both.
fn has_views(timeline: &Timeline) -> bool {
    timeline.names.texts().any(|text| VIEWS.iter().any(|it| text.contains(it)))
}

/// The instants at which Android dispatched input, in any order.
pub(crate) fn input_times(timeline: &Timeline) -> Vec<BootNanos> {
    let is_input = |text: &str| {
        INPUT.iter().any(|it| text.starts_with(it))
            || INPUT_METHODS.iter().any(|it| text.contains(it))
    };
    let is_input: Vec<bool> = timeline.names.texts().map(is_input).collect();
    let is_input = |name: wattle_timeline::NameId| is_input.get(name.index()) == Some(&true);
    let slices = &timeline.code.slices;
    let starts = slices.start.iter().zip(&slices.name);
    let of_slices = starts.filter(|(_, name)| is_input(**name)).map(|(start, _)| *start);
    let counters = timeline.system.counters.iter().filter(|counter| is_input(counter.name));
    let pending = |(time, value): (&_, &f64)| (*value > 0.0).then_some(*time);
    let of_counters = counters.flat_map(|it| it.time.iter().zip(&it.value).filter_map(pending));
    of_slices.chain(of_counters).collect()
}

/// From the beginning of an app's coming to the front until it has settled.
fn launches(timeline: &Timeline, window: Window, told: &mut Vec<String>) -> Vec<Window> {
    let is_launch = |text: &str| {
        LAUNCH.iter().any(|it| text.starts_with(it))
            || LAUNCH_METHODS.iter().any(|it| text.contains(it))
    };
    let is_launch: Vec<bool> = timeline.names.texts().map(is_launch).collect();
    let slices = &timeline.code.slices;
    let of_tracks = slices.tracks.iter().filter(|track| !matches!(track.scope, SliceScope::Cpu(_)));
    let all = of_tracks.flat_map(|track| slices.of(track));
    let launches = all.filter(|slice| is_launch.get(slice.name.index()) == Some(&true));
    let settled = |slice: wattle_timeline::CallSlice| {
        // One whose end was not seen is taken for its beginning.
        let end = if slice.is_unfinished() { slice.start } else { slice.end };
        Window::new(slice.start, end + AFTER_LAUNCH).intersect(window)
    };
    let found = non_empty(launches.map(settled).collect());
    if !found.is_empty() {
        told.push(format!("apps that start ({AFTER_LAUNCH} after each)"));
    }
    found
}

/// When the panel is not on; `None` where nothing tells.
fn screen_off(timeline: &Timeline, window: Window) -> Option<Vec<Window>> {
    let is_screen =
        |it: &&StateTrack| it.kind == StateKind::Screen && it.scope == CounterScope::Global;
    let track = timeline.system.states.iter().find(is_screen).filter(|it| !it.level.is_empty())?;
    let off = track.level.segments(window).filter(|it| it.value != 1);
    Some(off.map(|it| it.window).collect())
}

/// When none of the subjects is in front; `None` where nothing tells, or all processes are looked at.
fn behind(timeline: &Timeline, window: Window, subjects: &[ProcessId]) -> Option<Vec<Window>> {
    if subjects.is_empty() {
        return None;
    }
    let names: Vec<&str> = subjects
        .iter()
        .filter_map(|id| timeline.tasks.processes.get(id.index()))
        .flat_map(|process| [process.package, process.name])
        .flatten()
        .map(|name| timeline.names.get(name))
        .collect();
    let tops: Vec<&StateTrack> = timeline
        .system
        .states
        .iter()
        .filter(|track| track.kind == StateKind::TopApp && track.tag.is_some())
        .collect();
    let first = tops.iter().filter_map(|track| track.level.first()).map(|it| it.0).min()?;
    let own = tops
        .iter()
        .filter(|track| track.tag.is_some_and(|tag| names.contains(&timeline.names.get(tag))));
    let in_front = own.flat_map(|it| it.level.segments(window)).filter(|it| it.value != 0);
    let in_front = union(in_front.map(|it| it.window).collect());
    // Before the first word nobody knows who was in front.
    Some(difference(&[Window::new(first.max(window.start), window.end)], &in_front))
}
