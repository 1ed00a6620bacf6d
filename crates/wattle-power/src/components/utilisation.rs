//! Utilisation of a GPU over time.

use std::collections::BTreeMap;

use wattle_timeline::{CounterScope, CounterTrack, GpuTimeline, Timeline, Window};
use wattle_units::BootNanos;

/// Samples further apart say nothing of the time between them.
const MOST_APART: f64 = 10.0;

/// A stretch over which utilisation changes evenly, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Piece {
    pub(super) window: Window,
    from: f64,
    until: f64,
}

impl Piece {
    pub(super) fn at(&self, time: BootNanos) -> f64 {
        let length = self.window.duration().seconds();
        let part = if length > 0.0 { (time - self.window.start).seconds() / length } else { 0.0 };
        self.from + (self.until - self.from) * part.clamp(0.0, 1.0)
    }
}

/// Known utilisation of a GPU.
#[derive(Debug, PartialEq)]
pub(super) enum Utilisation {
    /// Of a counter, with the value at full use and how many stretches between samples were too long.
    Counted { name: String, full: f64, pieces: Vec<Piece>, gaps: usize },
    /// A counter whose values fit no scale.
    NoScale { name: String, highest: f64 },
    /// By the apps' work.
    Worked(Vec<Piece>),
}

impl Utilisation {
    /// The device's counter, else what its driver says of work.
    pub(super) fn from_timeline(timeline: &Timeline) -> Option<Self> {
        let mut counters = timeline.system.counters.iter().filter(|track| {
            track.scope == CounterScope::Global && is_utilisation(timeline.names.get(track.name))
        });
        if let Some(track) = counters.find(|track| track.time.len() > 1) {
            return Some(Self::counted(timeline.names.get(track.name), track));
        }
        let gpu = timeline.hardware.gpus.iter().find(|gpu| !gpu.work.is_empty())?;
        Some(Self::Worked(worked(gpu)))
    }

    fn counted(name: &str, track: &CounterTrack) -> Self {
        let usable = |value: f64| value.is_finite() && value >= 0.0;
        let values = || track.value.iter().copied().filter(|value| usable(*value));
        let highest = values().fold(0.0, f64::max);
        let parts = values().any(|value| value.fract() != 0.0);
        let name = name.to_owned();
        let Some(full) = scale(&name, highest, parts) else {
            return Self::NoScale { name, highest };
        };
        let of_full = |value: f64| (value / full).min(1.0);
        let samples = || track.time.iter().zip(&track.value).filter(|(_, value)| usable(**value));
        let (mut pieces, mut gaps) = (Vec::new(), 0);
        for ((time, value), (next, after)) in samples().zip(samples().skip(1)) {
            let window = Window::new(*time, *next);
            if window.duration().seconds() > MOST_APART {
                gaps += 1;
            } else if !window.is_empty() {
                pieces.push(Piece { window, from: of_full(*value), until: of_full(*after) });
            }
        }
        Self::Counted { name, full, pieces, gaps }
    }
}

/// The letters of a name's last part.
fn letters(name: &str) -> String {
    let last = name.rsplit('/').next().unwrap_or(name);
    last.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).collect()
}

/// Names of drivers, profilers and Wattle; digits, case and signs between the letters do not matter.
const NAMES: [&str; 17] = [
    "gpuutil",
    "gpuutilization",
    "gpuutilisation",
    "gpubusy",
    "gpubusypercent",
    "gpubusypercentage",
    "gpuload",
    "gpuusage",
    "kgslgpubusy",
    "kgsldgpubusy",
    "maliutil",
    "maliutilization",
    "maliutilisation",
    "maliutilizationgppp",
    "utilizationgppp",
    "gpumaliutilization",
    WATTLES,
];

/// Navitas' sampling of `utilization_gp_pp`, as Wattle names it.
const WATTLES: &str = "gpumaliutilisation";

fn is_utilisation(name: &str) -> bool {
    NAMES.contains(&letters(name).as_str())
}

/// The value at full use: by the name where that says it, else by the highest value.
fn scale(name: &str, highest: f64, parts: bool) -> Option<f64> {
    let name = letters(name);
    let of_name = match name.as_str() {
        WATTLES => Some(255.0),
        name if name.ends_with("gppp") => Some(255.0),
        name if name.contains("percent") => Some(100.0),
        _ => None,
    };
    match (of_name, highest) {
        (Some(full), highest) => (highest <= full).then_some(full),
        (None, highest) if highest <= 1.0 && parts => Some(1.0),
        (None, highest) if highest <= 100.0 => Some(100.0),
        (None, highest) => (highest <= 255.0).then_some(255.0),
    }
}

/// Time busy over time, of all apps together; nothing before the first and after the last work.
fn worked(gpu: &GpuTimeline) -> Vec<Piece> {
    let mut edges: BTreeMap<BootNanos, f64> = BTreeMap::new();
    for period in &gpu.work {
        let length = period.window.duration().seconds();
        if length > 0.0 {
            let part = (period.active.seconds() / length).clamp(0.0, 1.0);
            *edges.entry(period.window.start).or_default() += part;
            *edges.entry(period.window.end).or_default() -= part;
        }
    }
    let mut sum = 0.0;
    let times = edges.keys().copied().skip(1);
    let piece = |((start, change), end): ((&BootNanos, &f64), BootNanos)| {
        sum += change;
        let part = f64::clamp(sum, 0.0, 1.0);
        Piece { window: Window::new(*start, end), from: part, until: part }
    };
    edges.iter().zip(times).map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wattle_timeline::{RawScope, TimelineBuilder};

    /// Value at full use; nothing where it is no counter of utilisation; -1 where it fits no scale.
    #[track_caller]
    fn check(name: &str, values: &[f64], expected: Option<f64>) {
        let mut builder = TimelineBuilder::default();
        let id = builder.names.intern(name);
        let key = builder.system().counter_track(RawScope::Global, id);
        for (second, value) in values.iter().enumerate() {
            builder.system().counter(key, BootNanos::new(second as i64 * 1_000_000_000), *value);
        }
        let found = Utilisation::from_timeline(&builder.finish()).map(|found| match found {
            Utilisation::Counted { full, .. } => full,
            Utilisation::NoScale { .. } => -1.0,
            Utilisation::Worked(_) => panic!("{name}: no work was recorded"),
        });
        assert_eq!(found, expected, "{name}");
    }

    #[test]
    fn counters_are_told_by_name_and_their_scale_by_name_and_range() {
        check("gpu_util", &[0.0, 99.0], Some(100.0));
        check("GPU Utilization", &[3.0, 180.0], Some(255.0));
        check("gpu_busy_percentage", &[3.0, 4.0], Some(100.0));
        check("gpu_busy_percentage", &[3.0, 180.0], Some(-1.0));
        check("mali utilization", &[3.0, 90.0], Some(100.0));
        check("/sys/kernel/debug/mali/utilization_gp_pp", &[3.0, 4.0], Some(255.0));
        check("gpu.mali.utilisation", &[3.0, 4.0], Some(255.0));
        check("GPU % Utilization", &[0.5, 1.0], Some(1.0));
        check("GPU % Utilization", &[0.0, 1.0], Some(100.0));
        check("/sys/class/kgsl/kgsl-3d0/gpubusy", &[812_345.0, 1_000_000.0], Some(-1.0));
        check("GPU Memory", &[0.0, 99.0], None);
        check("cpu_util", &[0.0, 99.0], None);
        check("gpu_util", &[50.0], None);
    }
}
