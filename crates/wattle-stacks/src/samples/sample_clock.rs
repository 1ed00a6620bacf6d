//! From the clock of samples to boot time.
//!
//! The kernel times samples by its scheduler's clock, unless it is told another one (`perf record -k`, simpleperf's `--clockid`).
//! That clock stands still while the system sleeps, as the monotonic one does, but it begins elsewhere and nothing corrects its
//! speed: after a day both are seconds apart, so one cannot be taken for the other.

use wattle_timeline::{ArtifactQuality, Note, Severity};

use wattle_import::Session;
use wattle_import::{Clock, Fit, alignment};

/// Clock that an artifact states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ToldClock {
    /// Nothing: the scheduler's.
    #[default]
    Unsaid,
    /// Nothing, by a recorder that asks for `CLOCK_MONOTONIC` where the kernel has it (simpleperf).
    UnsaidMonotonic,
    /// `CLOCK_BOOTTIME`.
    Boot,
    /// `CLOCK_MONOTONIC`.
    Monotonic,
    /// `CLOCK_REALTIME`.
    Real,
    /// `CLOCK_MONOTONIC_RAW`, or one that nobody knows.
    Other,
}

impl ToldClock {
    /// By the number that `clock_gettime` takes (`include/uapi/linux/time.h`).
    pub fn of_number(number: u64) -> Self {
        match number {
            0 => Self::Real,
            1 => Self::Monotonic,
            7 => Self::Boot,
            _ => Self::Other,
        }
    }
}

/// Conversion of an artifact's times to boot time.
#[derive(Clone, Debug)]
pub(crate) enum SampleClock {
    /// They are.
    Boot,
    /// Through a clock of the device.
    Fit(Fit),
    /// Nothing leads there, and there is nothing else in the recording.
    Own,
    /// Nothing leads there, and other artifacts have their own time: the times say nothing.
    Nowhere,
}

impl SampleClock {
    /// Finds the way from the clock to boot time, and says in the quality which one it is.
    pub fn new(told: ToldClock, session: &mut Session, quality: &mut ArtifactQuality) -> Self {
        let (clock, name) = match told {
            ToldClock::Boot => return Self::Boot,
            ToldClock::Real => (Some(Clock::Real), "realtime"),
            ToldClock::Monotonic => (Some(Clock::Monotonic), "monotonic"),
            ToldClock::UnsaidMonotonic => {
                (Some(Clock::Monotonic), "monotonic (simpleperf's default)")
            }
            ToldClock::Unsaid | ToldClock::Other => (None, "unknown"),
        };
        if let Some(fit) = clock.and_then(|clock| session.clocks.fit(clock)) {
            session.builder.alignment(alignment(&quality.name, name, &fit, 0));
            if told == ToldClock::UnsaidMonotonic {
                let text = "the report does not say which clock its times are of: they are taken to be of the monotonic clock, which simpleperf uses since Android 8";
                quality.notes.push(Note::new(Severity::Info, "sample-clock-assumed", text));
            }
            return Self::Fit(fit);
        }
        if session.builder.span().is_none() {
            let text = "nothing leads from the clock of the samples to the device's boot time: they keep their own time";
            quality.notes.push(Note::new(Severity::Info, "sample-clock-own", text));
            return Self::Own;
        }
        let text = "nothing leads from the clock of the samples to that of the other artifacts: they are counted without times";
        quality.notes.push(Note::new(Severity::Error, "sample-clock-unknown", text));
        Self::Nowhere
    }

    /// Boot time of a time in the clock, nanoseconds.
    pub fn to_boot(&self, time: i64) -> Option<i64> {
        match self {
            Self::Boot | Self::Own => Some(time),
            Self::Fit(fit) => Some(fit.to_boot(time)),
            Self::Nowhere => None,
        }
    }
}
