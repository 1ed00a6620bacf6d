//! Bringing clocks to boot time: an explicit step with a residual that every report shows.

mod clock_reading;
mod fit;

use std::collections::BTreeMap;

use wattle_recording::Recording;
use wattle_timeline::{ClockAlignment, Clocks, DomainId};

pub use clock_reading::{Clock, Reading, ReadingSource};
pub use fit::Fit;

/// A snapshot reads its clocks one after the other, which takes a few microseconds.
const SNAPSHOT_WIDTH: i64 = 5_000;

/// Readings that are kept of one clock: a day of the probes' one a second.
const MAX_READINGS: usize = 1 << 17;

/// All readings of clocks against boot time, of artifacts and of the recording.
#[derive(Debug, Default)]
pub struct ClockFacts {
    readings: BTreeMap<Clock, Vec<Reading>>,
    /// The device's time zone, minutes east of Greenwich.
    pub zone_minutes: Option<i64>,
}

impl ClockFacts {
    /// Adds a reading.
    pub fn add(&mut self, clock: Clock, reading: Reading) {
        let readings = self.readings.entry(clock).or_default();
        if readings.len() < MAX_READINGS {
            readings.push(reading);
        }
    }

    /// Adds the readings of `recording.json`.
    pub fn recording(&mut self, recording: &Recording) {
        for pair in recording.clocks_start.iter().chain(&recording.clocks_end) {
            for (clock, reading) in clock_reading::of_pair(pair) {
                self.add(clock, reading);
            }
            self.zone_minutes = Some(i64::from(pair.zone_minutes));
        }
    }

    /// Adds the clock snapshots of a trace.
    pub fn trace(&mut self, clocks: &Clocks) {
        let domains = [(Clock::Real, DomainId::REALTIME), (Clock::Monotonic, DomainId::MONOTONIC)];
        for (clock, domain) in domains {
            for (at, boot) in clocks.pairs(domain) {
                let boot =
                    (boot.saturating_sub(SNAPSHOT_WIDTH), boot.saturating_add(SNAPSHOT_WIDTH));
                self.add(clock, Reading::new((*at, *at), boot, ReadingSource::TRACE));
            }
        }
    }

    /// Adds several readings.
    pub fn extend(&mut self, readings: impl IntoIterator<Item = (Clock, Reading)>) {
        for (clock, reading) in readings {
            self.add(clock, reading);
        }
    }

    /// The readings of a clock so far, in the order in which they were added.
    pub fn readings(&self, clock: Clock) -> &[Reading] {
        self.readings.get(&clock).map_or(&[], Vec::as_slice)
    }

    /// A time that the clock showed.
    pub fn some_time(&self, clock: Clock) -> Option<i64> {
        self.readings.get(&clock)?.first().map(|reading| reading.at)
    }

    /// The relation of the clock to boot time, if there are readings of it.
    pub fn fit(&self, clock: Clock) -> Option<Fit> {
        Fit::new(clock, self.readings.get(&clock)?.clone())
    }
}

/// The report line of an alignment: `from` is the artifact's first time in its clock.
pub fn alignment(artifact: &str, clock: &str, fit: &Fit, from: i64) -> ClockAlignment {
    ClockAlignment {
        artifact: artifact.to_owned(),
        clock: clock.to_owned(),
        by: fit.by(),
        offset_ns: fit.offset(from),
        drift_ppb: fit.drift_ppb(),
        residual_ns: Some(fit.residual()),
        readings: fit.readings,
    }
}
