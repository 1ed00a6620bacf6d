//! Bringing clocks to boot time: an explicit step with a residual that every report shows.

mod fit;
mod reading;

use std::collections::BTreeMap;

use wattle_recording::Recording;
use wattle_timeline::{ClockAlignment, Clocks, DomainId};

pub(crate) use fit::Fit;
pub(crate) use reading::{Clock, ProbeClocks, Reading, Source};

/// A snapshot reads its clocks one after the other, which takes a few microseconds.
const SNAPSHOT_WIDTH: i64 = 5_000;

/// Readings that are kept of one clock: a day of the probes' one a second.
const MAX_READINGS: usize = 1 << 17;

/// What the artifacts and the recording know of clocks.
#[derive(Debug, Default)]
pub(crate) struct ClockFacts {
    readings: BTreeMap<Clock, Vec<Reading>>,
    /// The device's time zone, minutes east of Greenwich.
    pub zone_minutes: Option<i64>,
}

impl ClockFacts {
    pub fn add(&mut self, clock: Clock, reading: Reading) {
        let readings = self.readings.entry(clock).or_default();
        if readings.len() < MAX_READINGS {
            readings.push(reading);
        }
    }

    /// What a recording says.
    pub fn recording(&mut self, recording: &Recording) {
        for pair in recording.clocks_start.iter().chain(&recording.clocks_end) {
            for (clock, reading) in reading::of_pair(pair) {
                self.add(clock, reading);
            }
            self.zone_minutes = Some(i64::from(pair.zone_minutes));
        }
    }

    /// What the snapshots of a trace say.
    pub fn trace(&mut self, clocks: &Clocks) {
        let domains = [(Clock::Real, DomainId::REALTIME), (Clock::Monotonic, DomainId::MONOTONIC)];
        for (clock, domain) in domains {
            for (at, boot) in clocks.pairs(domain) {
                let boot =
                    (boot.saturating_sub(SNAPSHOT_WIDTH), boot.saturating_add(SNAPSHOT_WIDTH));
                self.add(clock, Reading::new((*at, *at), boot, Source::Trace));
            }
        }
    }

    /// What probes say.
    pub fn probes(&mut self, clocks: ProbeClocks) {
        for (clock, reading) in clocks.readings() {
            self.add(clock, reading);
        }
    }

    /// A time that the clock showed.
    pub fn some_time(&self, clock: Clock) -> Option<i64> {
        self.readings.get(&clock)?.first().map(|reading| reading.at)
    }

    /// How the clock goes, if anything is known of it.
    pub fn fit(&self, clock: Clock) -> Option<Fit> {
        Fit::new(clock, self.readings.get(&clock)?.clone())
    }
}

/// How it is told of an artifact.
pub(crate) fn alignment(artifact: &str, clock: &str, fit: &Fit, from: i64) -> ClockAlignment {
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
