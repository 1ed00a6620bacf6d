//! From the times of a log to boot time.

use std::collections::BTreeMap;

use wattle_timeline::{ClockAlignment, TimelineBuilder};
use wattle_units::BootNanos;

use crate::logcat::{LogClock, LogTime};
use wattle_import::{Clock, ClockFacts, Fit, alignment};

/// Zones are multiples of this.
const QUARTER_HOUR: i64 = 15 * 60 * 1_000_000_000;
/// Starts of processes that lie this close together tell the same distance.
const CLUSTER: i64 = 2_000_000_000;
/// A start is logged some time after the process was made.
const MAX_STARTS: usize = 4096;

/// Facts in a log that relate its clock to others.
#[derive(Clone, Debug, Default)]
pub(crate) struct LogClockFacts {
    /// The first time of each clock that the log has.
    pub first: BTreeMap<LogClock, i64>,
    /// Nanoseconds to add to local time to get Unix time, from lines that hold both.
    pub shift: Option<i64>,
    /// When processes began.
    starts: Vec<(LogTime, u32)>,
    /// Lines have no year, and nothing told it.
    pub year_is_unknown: bool,
}

impl LogClockFacts {
    pub fn time(&mut self, time: LogTime) {
        self.first.entry(time.clock).or_insert(time.nanos);
    }

    /// A line that was written at `time` says that it was `unix` then.
    pub fn says(&mut self, time: LogTime, unix: i64) {
        if time.clock == LogClock::Monotonic || self.shift.is_some() {
            return;
        }
        let apart = unix.saturating_sub(time.nanos);
        let rounded = apart.saturating_add(QUARTER_HOUR / 2).div_euclid(QUARTER_HOUR);
        self.shift = Some(rounded.saturating_mul(QUARTER_HOUR));
    }

    pub fn start(&mut self, time: LogTime, pid: u32) {
        if self.starts.len() < MAX_STARTS {
            self.starts.push((time, pid));
        }
    }
}

/// Conversion of one log's times to boot time.
#[derive(Clone, Debug)]
pub(crate) enum LogFit {
    /// Through a clock of the device; local time is shifted first.
    Clock { fit: Fit, shift: i64 },
    /// By events that both the log and a trace have.
    Events { offset: i64, residual: Option<i64>, count: u32 },
    /// By nothing: the log's own time.
    Own,
}

impl LogFit {
    pub fn new(
        clock: LogClock,
        facts: &LogClockFacts,
        known: &ClockFacts,
        builder: &TimelineBuilder,
    ) -> Self {
        let by_clock = match clock {
            LogClock::Monotonic => known.fit(Clock::Monotonic).map(|fit| (fit, 0)),
            LogClock::Real if !facts.year_is_unknown => known.fit(Clock::Real).map(|fit| (fit, 0)),
            LogClock::Real => known.fit(Clock::Real).zip(facts.shift),
            LogClock::Local => {
                let zone = known.zone_minutes.filter(|_| !facts.year_is_unknown);
                let zone = zone.map(|minutes| minutes.saturating_mul(-60_000_000_000));
                known.fit(Clock::Real).zip(facts.shift.or(zone))
            }
        };
        match by_clock {
            Some((fit, shift)) => Self::Clock { fit, shift },
            None => Self::by_events(clock, facts, builder).unwrap_or(Self::Own),
        }
    }

    /// The distance that most starts of processes agree on.
    ///
    /// A start is in the trace and in the log, with the same pid. Not all pairs belong together (pids are used again), and some
    /// starts are logged late, but the right distances lie close together and the wrong ones anywhere:
    ///
    /// ```text
    ///  boot − log   ──●────────────●●─●●●──────────●────►
    ///                              └──────┘                the window of this width with the most of them: its middle is
    ///                                                      the distance, half of what it spans the residual
    /// ```
    fn by_events(
        clock: LogClock,
        facts: &LogClockFacts,
        builder: &TimelineBuilder,
    ) -> Option<Self> {
        let mut known: BTreeMap<u32, i64> = BTreeMap::new();
        for (pid, time) in builder.process_starts() {
            let first = known.entry(pid).or_insert(time.value());
            *first = (*first).min(time.value());
        }
        let starts = facts.starts.iter().filter(|(time, _)| time.clock == clock);
        let mut offsets: Vec<i64> = starts
            .filter_map(|(time, pid)| Some(known.get(pid)?.saturating_sub(time.nanos)))
            .collect();
        offsets.sort_unstable();
        let mut best: Option<(usize, usize)> = None;
        let mut from = 0;
        for to in 0..offsets.len() {
            while offsets.get(to)?.saturating_sub(*offsets.get(from)?) > CLUSTER {
                from += 1;
            }
            if best.is_none_or(|(low, high)| high - low < to - from) {
                best = Some((from, to));
            }
        }
        let (from, to) = best?;
        let (low, high) = (*offsets.get(from)?, *offsets.get(to)?);
        let offset = i64::midpoint(low, high);
        let count = u32::try_from(to - from + 1).unwrap_or(u32::MAX);
        // One event alone agrees with itself.
        let residual = (count > 1).then(|| (high - low).div_euclid(2).saturating_add(1));
        Some(Self::Events { offset, residual, count })
    }

    pub fn is_aligned(&self) -> bool {
        !matches!(self, Self::Own)
    }

    pub fn to_boot(&self, time: LogTime) -> BootNanos {
        // The line was written within its step.
        let nanos = time.nanos.saturating_add(time.step / 2);
        BootNanos::new(match self {
            Self::Clock { fit, shift } => fit.to_boot(nanos.saturating_add(*shift)),
            Self::Events { offset, .. } => nanos.saturating_add(*offset),
            Self::Own => nanos,
        })
    }

    /// Returns the possible error of a time.
    pub fn residual(&self) -> Option<i64> {
        match self {
            Self::Clock { fit, .. } => Some(fit.residual()),
            Self::Events { residual, .. } => *residual,
            Self::Own => None,
        }
    }

    /// Returns the alignment as it is reported.
    pub fn told(&self, artifact: &str, clock: LogClock, from: i64) -> Option<ClockAlignment> {
        let clock = match clock {
            LogClock::Real => "realtime",
            LogClock::Local => "local time",
            LogClock::Monotonic => "monotonic",
        };
        match self {
            Self::Clock { fit, shift } => {
                let told = alignment(artifact, clock, fit, from.saturating_add(*shift));
                Some(ClockAlignment { offset_ns: told.offset_ns.saturating_add(*shift), ..told })
            }
            Self::Events { offset, residual, count } => Some(ClockAlignment {
                artifact: artifact.to_owned(),
                clock: clock.to_owned(),
                by: "starts of processes in both".to_owned(),
                offset_ns: *offset,
                drift_ppb: None,
                residual_ns: *residual,
                readings: *count,
            }),
            Self::Own => None,
        }
    }
}
