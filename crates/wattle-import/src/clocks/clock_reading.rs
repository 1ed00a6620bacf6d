//! Readings of a clock at one moment.

use std::collections::BTreeSet;

use wattle_recording::ClockPair;

/// A clock that is brought to boot time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Clock {
    /// `CLOCK_REALTIME` of the device. Goes as boot time does, but can be set.
    Real,
    /// `CLOCK_MONOTONIC` of the device. Stands still in suspend.
    Monotonic,
    /// The wall clock of the host. Has a speed of its own.
    Host,
}

/// The origin of a reading, as reports name it. Importers define their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReadingSource {
    /// Its place among several that are named together.
    pub rank: u8,
    /// Its name.
    pub text: &'static str,
}

impl ReadingSource {
    /// `ClockSnapshot` of a trace, and what is like it.
    pub const TRACE: Self = Self { rank: 0, text: "clock snapshots of the trace" };
    /// `recording.json`.
    pub const RECORDING: Self = Self { rank: 1, text: "/proc/uptime and the device's date" };

    /// Several, as a sentence lists them.
    pub fn texts(sources: &BTreeSet<Self>) -> String {
        sources.iter().map(|source| source.text).collect::<Vec<_>>().join(", ")
    }
}

/// When the clock showed `at`, boot time was `at + low` at least and `at + high` at most; nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The time that the clock showed.
    pub at: i64,
    /// The least that boot time is ahead of it.
    pub low: i64,
    /// The most that boot time is ahead of it.
    pub high: i64,
    /// The origin.
    pub source: ReadingSource,
}

impl Reading {
    /// The clock showed something in `clock`, while boot time was something in `boot` (both from, to).
    pub fn new(clock: (i64, i64), boot: (i64, i64), source: ReadingSource) -> Self {
        let low = boot.0.saturating_sub(clock.1);
        let high = boot.1.saturating_sub(clock.0);
        Self { at: clock.0, low, high: high.max(low), source }
    }
}

/// The readings of one pair of host and device clocks.
pub fn of_pair(pair: &ClockPair) -> [(Clock, Reading); 2] {
    let step = pair.boot_step_ns.max(0);
    let boot = (pair.device_boot_ns, pair.device_boot_ns.saturating_add(step));
    let host = (pair.host_before_ns, pair.host_after_ns.max(pair.host_before_ns));
    let real = (pair.device_real_ns, pair.device_real_ns);
    [
        (Clock::Host, Reading::new(host, boot, ReadingSource::RECORDING)),
        (Clock::Real, Reading::new(real, boot, ReadingSource::RECORDING)),
    ]
}
