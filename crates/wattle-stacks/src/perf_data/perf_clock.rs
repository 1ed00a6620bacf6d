//! From the times of a file to boot time.

use wattle_timeline::ClockAlignment;
use wattle_units::BootNanos;

use crate::perf_file::Metadata;
use wattle_import::{Clock, ClockFacts, Fit, Reading, ReadingSource, alignment};

/// Uncertainty of a reading of two clocks one after the other, nanoseconds.
const SLACK: i64 = 10_000;

/// The clock of a recording (`clockid_t` of Linux; `perf` stands for the scheduler's own, which no program can read).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileClock {
    Boot,
    Monotonic,
    Real,
    MonotonicRaw,
    Scheduler,
    Other(i32),
}

impl FileClock {
    /// The clock that a file says it has.
    pub fn new(metadata: &Metadata) -> Self {
        let chosen = metadata.events.list.iter().find_map(|event| event.attr.clockid());
        let by_id = chosen.or_else(|| metadata.clock_reading.map(|data| data.clockid));
        if let Some(id) = by_id {
            return match id {
                0 => Self::Real,
                1 => Self::Monotonic,
                4 => Self::MonotonicRaw,
                7 => Self::Boot,
                other => Self::Other(other),
            };
        }
        match metadata.meta.get("clockid") {
            Some("monotonic") => Self::Monotonic,
            Some("monotonic_raw") => Self::MonotonicRaw,
            Some("boottime") => Self::Boot,
            Some("realtime") => Self::Real,
            _ => Self::Scheduler,
        }
    }

    /// Its name.
    pub fn name(self) -> String {
        match self {
            Self::Boot => "boottime".to_owned(),
            Self::Monotonic => "monotonic".to_owned(),
            Self::Real => "realtime".to_owned(),
            Self::MonotonicRaw => "monotonic raw".to_owned(),
            Self::Scheduler => "perf (the scheduler's own)".to_owned(),
            Self::Other(id) => format!("number {id}"),
        }
    }
}

/// The way from the times of a file to boot time.
#[derive(Clone, Debug)]
pub(super) enum ToBoot {
    /// They are, or nothing is known that they could be brought to.
    Same,
    /// Through a clock of the device.
    Fit(Fit),
    /// By one reading of it and of the wall clock: nanoseconds to add, and how far that may be off.
    Offset(i64, i64),
}

impl ToBoot {
    /// `None` if nothing leads to boot time.
    pub fn new(metadata: &Metadata, clock: FileClock, known: &ClockFacts) -> Option<Self> {
        let direct = match clock {
            FileClock::Boot => return Some(Self::Same),
            FileClock::Monotonic => known.fit(Clock::Monotonic),
            FileClock::Real => known.fit(Clock::Real),
            FileClock::MonotonicRaw | FileClock::Scheduler | FileClock::Other(_) => None,
        };
        if let Some(fit) = direct {
            return Some(Self::Fit(fit));
        }
        let data = metadata.clock_reading?;
        let real = known.fit(Clock::Real)?;
        let boot = real.to_boot(data.wall.cast_signed());
        let offset = boot.wrapping_sub(data.clock.cast_signed());
        Some(Self::Offset(offset, real.residual().saturating_add(SLACK)))
    }

    #[inline]
    pub fn time(&self, time: u64) -> BootNanos {
        let time = i64::try_from(time).unwrap_or(i64::MAX);
        BootNanos::new(match self {
            Self::Same => time,
            Self::Fit(fit) => fit.to_boot(time),
            Self::Offset(offset, _) => time.saturating_add(*offset),
        })
    }

    /// The alignment of both clocks, for the report.
    pub fn alignment(&self, artifact: &str, clock: FileClock, from: u64) -> Option<ClockAlignment> {
        match self {
            Self::Same => None,
            Self::Fit(fit) => Some(alignment(artifact, &clock.name(), fit, from.cast_signed())),
            Self::Offset(offset, residual) => Some(ClockAlignment {
                artifact: artifact.to_owned(),
                clock: clock.name(),
                by: "the recording's own reading of it and of the wall clock".to_owned(),
                offset_ns: *offset,
                drift_ppb: None,
                residual_ns: Some(*residual),
                readings: 1,
            }),
        }
    }
}

/// The file's reading of the device's wall clock: only where its own clock is boot time.
pub(super) fn wall_reading(metadata: &Metadata, clock: FileClock) -> Option<(Clock, Reading)> {
    let data = metadata.clock_reading.filter(|_| clock == FileClock::Boot)?;
    let (wall, boot) = (data.wall.cast_signed(), data.clock.cast_signed());
    let boot = (boot.saturating_sub(SLACK), boot.saturating_add(SLACK));
    Some((Clock::Real, Reading::new((wall, wall), boot, ReadingSource::TRACE)))
}
