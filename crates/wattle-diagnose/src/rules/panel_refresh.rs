//! The rate at which the panel refreshes, and the pictures that it showed.

use std::collections::BTreeSet;

use wattle_timeline::{
    CounterScope, CounterTrack, FrameOwner, JankCauses, SliceScope, StateKind, Steps, Timeline,
    Window,
};
use wattle_units::BootNanos;

use super::people;

/// The source from which the rate of a panel is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RefreshSource {
    /// A counter of the system, in hertz or as the time of one refresh.
    Counter,
    /// The times for which frames were expected: they lie on refreshes of the panel.
    ExpectedFrames,
}

/// The unit of a counter.
#[derive(Clone, Copy, Debug)]
enum RateUnit {
    Hertz,
    /// Nanoseconds of one refresh; 0 where it is not known.
    Period,
}

/// Counters of the panel's rate, the best first, by the beginnings of their names: `SurfaceFlinger`'s mode of the display (since
/// Android 15, since 13, of 12; AOSP `DisplayModeController`, `DisplayDevice`), the composer's time of one refresh (Qualcomm, Pixel),
/// the panel driver of Pixels.
const COUNTERS: [(&str, RateUnit); 5] = [
    ("ActiveModeFps", RateUnit::Hertz),
    ("ActiveModeFPS", RateUnit::Hertz),
    ("ActiveConfigFPS", RateUnit::Hertz),
    ("VsyncPeriod", RateUnit::Period),
    ("panel_fps", RateUnit::Hertz),
];

/// The mode that was asked for and need not have come about.
const REQUESTED: &str = "_HWC";

/// Sections of `SurfaceFlinger` in which it makes a picture: since Android 13, before, long before.
const COMPOSITIONS: [&str; 3] = ["composite", "onMessageRefresh", "handleMessageRefresh"];

/// Times between refreshes that there can be, in seconds: 1 to 480 Hz.
const PERIODS: std::ops::RangeInclusive<f64> = 0.002..=1.0;

/// Expected times that are so many seconds apart or less are of one refresh.
const ONE_REFRESH: f64 = 0.001;
/// So many expected frames in a row say how far apart refreshes are.
const EXPECTED: usize = 32;
/// The place of the time from one frame to the next that is one refresh, among [`EXPECTED`] by length: fewer than these are errors of the
/// prediction.
const SHORTEST: usize = 3;

/// The panel's rate over time.
#[derive(Clone, Debug)]
pub(super) struct PanelRefresh {
    /// In hertz; 0 where it is not known. Of several displays the highest.
    pub rate: Steps<f64>,
    pub source: RefreshSource,
}

impl PanelRefresh {
    /// By counters, else by the frame timeline; `None` where neither is recorded.
    pub fn new(timeline: &Timeline) -> Option<Self> {
        let counted = COUNTERS.into_iter().find_map(|(name, unit)| counted(timeline, name, unit));
        if let Some(rate) = counted {
            return Some(Self { rate, source: RefreshSource::Counter });
        }
        let rate = expected(timeline);
        (!rate.is_empty()).then_some(Self { rate, source: RefreshSource::ExpectedFrames })
    }

    /// When it was as high or higher within a window, by rate.
    pub fn at_least(&self, least: f64, window: Window) -> Vec<Window> {
        let known = self.rate.segments(window).filter(|it| it.value >= least);
        known.map(|it| it.window).collect()
    }
}

/// The rate by counters of this name.
fn counted(timeline: &Timeline, name: &str, unit: RateUnit) -> Option<Steps<f64>> {
    let is_named = |track: &&CounterTrack| {
        let text = timeline.names.get(track.name);
        text.strip_prefix(name).is_some_and(|rest| !rest.starts_with(REQUESTED))
    };
    let tracks = timeline.system.counters.iter().filter(is_named);
    let mut displays: Vec<Steps<f64>> = Vec::new();
    for track in tracks.filter(|it| !matches!(it.scope, CounterScope::Cpu(_))) {
        let samples = track.time.iter().copied().zip(track.value.iter().copied());
        let rates = samples.filter_map(|(time, value)| Some((time, hertz(value, unit)?)));
        let rates: Steps<f64> = rates.collect();
        if !rates.is_empty() {
            displays.push(rates);
        }
    }
    let times: BTreeSet<BootNanos> =
        displays.iter().flat_map(|rates| rates.times().iter().copied()).collect();
    let highest =
        |time: &BootNanos| displays.iter().filter_map(|rates| rates.at(*time)).fold(0.0, f64::max);
    (!times.is_empty()).then(|| times.iter().map(|time| (*time, highest(time))).collect())
}

/// A value of a counter in hertz; 0 says that the rate is not known from there on.
fn hertz(value: f64, unit: RateUnit) -> Option<f64> {
    if value == 0.0 {
        return Some(0.0);
    }
    let hertz = match unit {
        RateUnit::Hertz => value,
        RateUnit::Period => 1e9 / value,
    };
    let is_one = hertz.is_finite() && hertz > 0.0 && PERIODS.contains(&hertz.recip());
    // Panels are called by whole numbers, though one of 60 Hz may be one of 59.94.
    is_one.then_some(hertz.round())
}

/// The rate by the times at which frames of the display were expected to be shown. Where each came two refreshes after the one before, that
/// is taken for one: the rate is never too high.
fn expected(timeline: &Timeline) -> Steps<f64> {
    let frames = timeline.code.frames.iter().filter(|it| it.owner == FrameOwner::Display);
    let mut times: Vec<BootNanos> = frames.filter_map(|it| it.expected).map(|it| it.end).collect();
    times.sort_unstable();
    let mut steps: Vec<(BootNanos, f64)> = Vec::new();
    for pair in times.windows(2) {
        if let [one, other] = pair {
            let step = (*other - *one).seconds();
            if step > ONE_REFRESH {
                steps.push((*one, step));
            }
        }
    }
    let chunks = steps.chunks(EXPECTED).filter(|chunk| chunk.len() == EXPECTED);
    let rates = chunks.filter_map(|chunk| {
        let mut lengths: Vec<f64> = chunk.iter().map(|(_, step)| *step).collect();
        lengths.sort_by(f64::total_cmp);
        let period = lengths.get(SHORTEST).copied().filter(|it| PERIODS.contains(it))?;
        Some((chunk.first()?.0, period.recip().round()))
    });
    rates.collect()
}

/// When pictures with new content were shown, in order: by the frame timeline, else `SurfaceFlinger`'s compositions, which are as many or
/// more. `None` where neither is recorded.
pub(super) fn pictures(timeline: &Timeline) -> Option<Vec<BootNanos>> {
    let shown = |owner: FrameOwner| {
        let frames = timeline.code.frames.iter().filter(move |it| {
            it.owner == owner && !it.is_dropped && !it.jank.intersects(JankCauses::DISPLAY_NOT_ON)
        });
        // Frames of several layers are one picture.
        let all: BTreeSet<(i64, BootNanos)> =
            frames.map(|it| (it.display_token, it.actual.end)).collect();
        let mut last = None;
        let mut times: Vec<BootNanos> = all
            .into_iter()
            .filter(|(token, _)| last.replace(*token) != Some(*token))
            .map(|(_, time)| time)
            .collect();
        times.sort_unstable();
        times
    };
    let mut found = shown(FrameOwner::Display);
    if found.is_empty() {
        found = shown(FrameOwner::App);
    }
    if found.is_empty() {
        found = compositions(timeline);
    }
    (!found.is_empty()).then_some(found)
}

fn compositions(timeline: &Timeline) -> Vec<BootNanos> {
    // Since Android 14 with the number of the refresh behind.
    let is_one = |text: &str| {
        let mut known = COMPOSITIONS.iter().filter_map(|it| text.strip_prefix(it));
        known.any(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let is_one: Vec<bool> = timeline.names.texts().map(is_one).collect();
    let mut times = Vec::new();
    for track in &timeline.code.slices.tracks {
        let SliceScope::Thread(thread) = track.scope else { continue };
        let process = people::process_of(timeline, thread);
        let name = process.and_then(|it| people::process(timeline, it));
        if !name.is_some_and(|name| name.contains("surfaceflinger")) {
            continue;
        }
        let slices = timeline.code.slices.of(track);
        let found = slices.filter(|it| is_one.get(it.name.index()) == Some(&true));
        times.extend(found.map(|it| it.start));
    }
    times.sort_unstable();
    times
}

/// When the panel was dark, as far as that is known.
pub(super) fn is_screen_known(timeline: &Timeline) -> bool {
    timeline.system.states.iter().any(|it| it.kind == StateKind::Screen)
}
