//! Tracks over time: clocks, running threads, slices, power, rails, frames, battery and wakelocks as stretches of time with a value.
//!
//! A view beside the entries: no joule of the ledger comes from it.

use serde::{Deserialize, Serialize};
use wattle_power::Component;
use wattle_units::Nanos;

use crate::CpuTimeBins;

/// The quantity that a track shows, and so the unit of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TrackKind {
    /// The clock of a CPU, in kilohertz; `owner` is the CPU's number.
    CpuClock,
    /// The thread that ran on a CPU: one more than its index into [`crate::LedgerRows::threads`], 0 for an interrupt handler or a thread
    /// without a row, −1 for time that was not recorded. `owner` is the CPU's number. Idle time is no stretch.
    CpuRuns,
    /// The slices of a thread: an index into [`TimeTracks::names`]. `owner` is an index into [`crate::LedgerRows::threads`].
    Slices,
    /// The power of a component, in microwatts, from one change to the next.
    Power,
    /// The mean power between two samples of a rail, in microwatts.
    Rail,
    /// Frames of an app or of the display: 0 on time, 1 late by the app, 2 late by the system, 3 late for another reason, 4 dropped,
    /// 5 not stated. `owner` is an index into [`crate::LedgerRows::processes`].
    Frames,
    /// The level of the battery, in thousandths of a percent.
    BatteryLevel,
    /// The charge of the battery, in microampere-hours.
    BatteryCharge,
    /// The current of the battery, in microamperes, with the sign that the device gives it.
    BatteryCurrent,
    /// A wakelock that is held; the value is 1. `owner` is the uid of its holder.
    Wakelock,
}

/// Stretches of time with a value each, as columns. Time that no stretch covers has no data, or nothing happened in it, by the kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimeTrack {
    /// The quantity and the unit.
    pub kind: TrackKind,
    /// The name of a rail, a layer's app, a battery or a wakelock; empty where `owner` says everything.
    pub name: String,
    /// The CPU, thread, process or uid that it is of, by the kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<u32>,
    /// The component that power is of, or that a rail supplies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<Component>,
    /// Stretches shorter than this are merged or left out; 0 where every stretch is as recorded.
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 0)))]
    pub detail: Nanos,
    /// Number of stretches that are merged into others or left out.
    pub left_out: u64,
    /// By stretch: nanoseconds from the start of the one before; of the first, from the start of the window.
    pub steps: Vec<i64>,
    /// By stretch: its length in nanoseconds. Of running threads that are merged the length is the time that they ran.
    pub lengths: Vec<i64>,
    /// By stretch: the value, in the unit of the kind.
    pub values: Vec<i64>,
    /// By stretch: the number of stretches around it; empty where stretches do not overlap.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depths: Vec<u16>,
}

/// All tracks of a recording.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimeTracks {
    /// Names of slices.
    pub names: Vec<String>,
    /// The tracks, by kind.
    pub tracks: Vec<TimeTrack>,
    /// Time on CPUs of call paths over time.
    pub cpu_time: CpuTimeBins,
}

/// One stretch of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackStretch {
    /// Nanoseconds from the start of the window.
    pub start: i64,
    /// Nanoseconds.
    pub length: i64,
    /// In the unit of the track's kind.
    pub value: i64,
    /// Number of stretches around it.
    pub depth: u16,
}

impl TrackStretch {
    /// Its end, in nanoseconds from the start of the window.
    pub const fn end(self) -> i64 {
        self.start.saturating_add(self.length)
    }
}

impl TimeTrack {
    /// A track without stretches.
    pub const fn new(kind: TrackKind, name: String) -> Self {
        Self {
            kind,
            name,
            owner: None,
            component: None,
            detail: Nanos::ZERO,
            left_out: 0,
            steps: Vec::new(),
            lengths: Vec::new(),
            values: Vec::new(),
            depths: Vec::new(),
        }
    }

    /// The same with these stretches, which are in order of start.
    #[must_use]
    pub fn with(mut self, stretches: &[TrackStretch]) -> Self {
        let before = std::iter::once(0).chain(stretches.iter().map(|stretch| stretch.start));
        self.steps = stretches.iter().zip(before).map(|(it, last)| it.start - last).collect();
        self.lengths = stretches.iter().map(|stretch| stretch.length).collect();
        self.values = stretches.iter().map(|stretch| stretch.value).collect();
        let is_flat = stretches.iter().all(|stretch| stretch.depth == 0);
        let depths = stretches.iter().map(|stretch| stretch.depth);
        self.depths = if is_flat { Vec::new() } else { depths.collect() };
        self
    }

    /// Number of stretches.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is no stretch.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The stretches, in order of start.
    pub fn stretches(&self) -> impl ExactSizeIterator<Item = TrackStretch> + '_ {
        let mut start = 0_i64;
        let columns = self.steps.iter().zip(&self.lengths).zip(&self.values).enumerate();
        columns.map(move |(at, ((step, length), value))| {
            start = start.saturating_add(*step);
            let depth = self.depths.get(at).copied().unwrap_or_default();
            TrackStretch { start, length: *length, value: *value, depth }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_give_the_stretches_back() {
        let stretch = |start, length, value, depth| TrackStretch { start, length, value, depth };
        let given = [stretch(5, 90, 1, 0), stretch(5, 40, 2, 1), stretch(50, 0, 3, 1)];
        let track = TimeTrack::new(TrackKind::Slices, String::new()).with(&given);
        assert_eq!(track.steps, [5, 0, 45]);
        assert_eq!(track.stretches().collect::<Vec<_>>(), given);
        let flat = TimeTrack::new(TrackKind::Rail, String::new()).with(&given[..1]);
        assert!(flat.depths.is_empty());
    }
}
