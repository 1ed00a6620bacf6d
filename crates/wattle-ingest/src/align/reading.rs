//! What is known of a clock at one moment.

use std::collections::BTreeSet;

use wattle_recording::ClockPair;

/// A clock that is brought to boot time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Clock {
    /// `CLOCK_REALTIME` of the device. Goes as boot time does, but can be set.
    Real,
    /// `CLOCK_MONOTONIC` of the device. Stands still in suspend.
    Monotonic,
    /// The wall clock of the host. Has a speed of its own.
    Host,
}

/// Where a reading comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Source {
    /// `ClockSnapshot` of a trace.
    Trace,
    /// `recording.json`.
    Recording,
    /// Clocks in records of probes.
    Probes,
    /// Both ends of a sample of polled counters.
    Counters,
}

impl Source {
    fn text(self) -> &'static str {
        match self {
            Self::Trace => "clock snapshots of the trace",
            Self::Recording => "/proc/uptime and the device's date",
            Self::Probes => "clocks of the probes",
            Self::Counters => "/proc/uptime and date of the counters",
        }
    }

    /// Several as a person would say them.
    pub fn texts(sources: &BTreeSet<Self>) -> String {
        sources.iter().map(|source| source.text()).collect::<Vec<_>>().join(", ")
    }
}

/// When the clock showed `at`, boot time was `at + low` at least and `at + high` at most; nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    pub at: i64,
    pub low: i64,
    pub high: i64,
    pub source: Source,
}

impl Reading {
    /// The clock showed something in `clock`, while boot time was something in `boot` (both from, to).
    pub fn new(clock: (i64, i64), boot: (i64, i64), source: Source) -> Self {
        let low = boot.0.saturating_sub(clock.1);
        let high = boot.1.saturating_sub(clock.0);
        Self { at: clock.0, low, high: high.max(low), source }
    }
}

/// What the clocks of host and device said together.
pub(crate) fn of_pair(pair: &ClockPair) -> [(Clock, Reading); 2] {
    let step = pair.boot_step_ns.max(0);
    let boot = (pair.device_boot_ns, pair.device_boot_ns.saturating_add(step));
    let host = (pair.host_before_ns, pair.host_after_ns.max(pair.host_before_ns));
    let real = (pair.device_real_ns, pair.device_real_ns);
    [
        (Clock::Host, Reading::new(host, boot, Source::Recording)),
        (Clock::Real, Reading::new(real, boot, Source::Recording)),
    ]
}

/// The clocks of probes: monotonic time, wall time in milliseconds, boot time (-1 where it is not known), monotonic time, read one
/// after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProbeClocks {
    pub before: i64,
    pub wall_ms: i64,
    pub boot: i64,
    pub after: i64,
}

const MILLISECOND: i64 = 1_000_000;
/// Readings that took longer say nothing: something else ran in between.
const LONGEST: i64 = 60_000_000_000;

impl ProbeClocks {
    /// What they say together.
    pub fn readings(self) -> Vec<(Clock, Reading)> {
        let took = self.after.saturating_sub(self.before);
        if self.boot < 0 || !(0..=LONGEST).contains(&took) {
            return Vec::new();
        }
        let monotonic = (self.before, self.after);
        let at_wall = (self.boot.saturating_sub(took), self.boot);
        let wall = self.wall_ms.saturating_mul(MILLISECOND);
        let wall = (wall, wall.saturating_add(MILLISECOND));
        let boot = (self.boot, self.boot);
        vec![
            (Clock::Monotonic, Reading::new(monotonic, boot, Source::Probes)),
            (Clock::Real, Reading::new(wall, at_wall, Source::Probes)),
        ]
    }
}
