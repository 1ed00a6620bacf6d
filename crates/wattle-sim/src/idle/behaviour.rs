//! Behaviour of threads at idle.

use wattle_units::Nanos;

use super::burst::{Asked, Burst, Wake};
use super::{PlantedKind, RequestKind};
use crate::SplitMix64;

/// Instant that a timer counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerBeat {
    /// A timer of the kernel: the next one is a period after the last was due.
    Absolute,
    /// A loop with a sleep: the next one is so long after the work was done.
    Sleep,
}

/// Random wake-ups that nobody should complain about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Background {
    /// Mean number per second (Poisson).
    pub rate: f64,
    /// The median time on a core.
    pub median: Nanos,
    /// The standard deviation of that time's logarithm (log-normal).
    pub deviation: f64,
}

/// A stretch of something worse. Times count from the start of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Behaviour {
    /// Spins. With `nap` it sleeps for about so long after each `spin`; without it never does.
    BusyWait {
        /// When it begins.
        start: Nanos,
        /// For how long.
        length: Nanos,
        /// Length of one spin.
        spin: Nanos,
        /// Length of the sleep after it.
        nap: Option<Nanos>,
    },
    /// Wakes again and again.
    Timer {
        /// When it begins.
        start: Nanos,
        /// For how long; the whole run if there is none.
        length: Option<Nanos>,
        /// Period of the timer.
        period: Nanos,
        /// Instant that it counts from.
        beat: TimerBeat,
        /// Standard deviation of the time it fires at, as a part of the period.
        jitter: f64,
        /// Median time on a core each time.
        run: Nanos,
    },
    /// Reads or writes a file in pieces.
    DiskBurst {
        /// When it begins.
        start: Nanos,
        /// For how long.
        length: Nanos,
        /// Median time on a core for each piece.
        run: Nanos,
        /// Median time that the disk takes for it.
        service: Nanos,
        /// Whether it writes.
        is_write: bool,
        /// Which file.
        file: u16,
    },
    /// Flushes the disk again and again, from a time to the end of the run.
    Flush {
        /// When it begins.
        start: Nanos,
        /// Mean time between two.
        period: Nanos,
        /// Standard deviation of that time, as a part of the period.
        jitter: f64,
    },
    /// Works once, for long.
    SingleEvent {
        /// When.
        start: Nanos,
        /// For how long.
        run: Nanos,
    },
}

impl Behaviour {
    /// Returns its kind in the ground truth.
    pub const fn kind(&self) -> PlantedKind {
        match self {
            Self::BusyWait { .. } => PlantedKind::BusyWait,
            Self::Timer { length: Some(_), .. } => PlantedKind::Timer,
            Self::Timer { length: None, .. } => PlantedKind::WholeRunTimer,
            Self::DiskBurst { .. } => PlantedKind::DiskBurst,
            Self::Flush { .. } => PlantedKind::Flush,
            Self::SingleEvent { .. } => PlantedKind::SingleEvent,
        }
    }

    /// When it begins and about when it ends, in nanoseconds of a run of this length.
    pub(super) fn span(&self, duration: i64) -> (i64, i64) {
        let (start, length) = match self {
            Self::BusyWait { start, length, .. } | Self::DiskBurst { start, length, .. } => {
                (start.value(), length.value())
            }
            Self::Timer { start, length, .. } => {
                (start.value(), length.map_or(duration - start.value(), Nanos::value))
            }
            Self::Flush { start, .. } => (start.value(), duration - start.value()),
            Self::SingleEvent { start, run } => (start.value(), run.value()),
        };
        (start, (start + length).min(duration))
    }

    /// Returns the bursts of the thread for it.
    pub(super) fn bursts(
        &self,
        place: Place,
        duration: i64,
        random: &mut SplitMix64,
    ) -> Vec<Burst> {
        let (start, end) = self.span(duration);
        let mut bursts = Vec::new();
        let mut time = start;
        let mut wake = Wake::At(start);
        while time < end {
            let (run, disk, next) = match *self {
                Self::BusyWait { spin, nap, .. } => {
                    let spin = nap.map_or(end - start, |_| about(spin, 0.3, random));
                    let nap = nap.map_or(0, |nap| about(nap, 0.3, random));
                    (spin.min(end - time), None, Wake::After(nap))
                }
                Self::Timer { period, beat, jitter, run, .. } => {
                    let off = (jitter * period.value() as f64 * random.normal()) as i64;
                    let next = match beat {
                        // Each is due a whole number of periods after the first: lateness does not add up.
                        TimerBeat::Absolute => {
                            Wake::At(start + (bursts.len() as i64 + 1) * period.value() + off)
                        }
                        TimerBeat::Sleep => Wake::After((period.value() + off).max(1000)),
                    };
                    (about(run, 0.25, random), None, next)
                }
                Self::DiskBurst { run, service, is_write, file, .. } => {
                    let service = about(service, 0.6, random);
                    let asked = Asked {
                        kind: if is_write { RequestKind::Write } else { RequestKind::Read },
                        bytes: 4096 << random.below(5),
                        offset: (random.below(1 << 20) * 4096) as i64,
                        file,
                        service,
                    };
                    (about(run, 0.4, random), Some(asked), Wake::After(service))
                }
                Self::Flush { period, jitter, .. } => {
                    let service = about(FLUSH, 0.4, random);
                    let asked =
                        Asked { kind: RequestKind::Flush, bytes: 0, offset: 0, file: 0, service };
                    let off = 1.0 + jitter * random.normal();
                    let next = (period.value() as f64 * off.max(0.01)) as i64;
                    (about(FLUSH_RUN, 0.3, random), Some(asked), Wake::At(time + next))
                }
                Self::SingleEvent { run, .. } => (run.value(), None, Wake::After(0)),
            };
            bursts.push(Burst { wake, run, path: place.path, stretch: Some(place.stretch), disk });
            time = match next {
                Wake::At(at) => at,
                Wake::After(sleep) => time + run + sleep,
            };
            wake = next;
        }
        bursts
    }
}

/// Median time that a disk takes for a flush, and a thread to ask for it.
const FLUSH: Nanos = Nanos::new(3_000_000);
const FLUSH_RUN: Nanos = Nanos::new(200_000);

/// Which path of code and which stretch of the thread a behaviour is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub path: u16,
    pub stretch: u16,
}

impl Background {
    /// Its wake-ups from one time to another.
    pub(super) fn bursts(
        &self,
        (from, to): (i64, i64),
        path: u16,
        random: &mut SplitMix64,
    ) -> Vec<Burst> {
        let mut bursts = Vec::new();
        if self.rate <= 0.0 {
            return bursts;
        }
        let next = |random: &mut SplitMix64| (random.exponential(1.0 / self.rate) * 1e9) as i64;
        let mut time = from + next(random);
        while time < to {
            let run = about(self.median, self.deviation, random);
            bursts.push(Burst { wake: Wake::At(time), run, path, stretch: None, disk: None });
            time += next(random);
        }
        bursts
    }
}

/// A log-normal time around a median; no less than a microsecond.
fn about(median: Nanos, deviation: f64, random: &mut SplitMix64) -> i64 {
    ((median.value() as f64 * (deviation * random.normal()).exp()) as i64).max(1000)
}
