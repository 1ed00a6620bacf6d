//! The battery's voltage: what turns a profile's currents into power.

use wattle_timeline::{Steps, Timeline};
use wattle_units::{BootNanos, Volts};

use crate::PowerTrack;
use crate::note::PowerNote;

/// The nominal voltage of a lithium-ion phone battery.
pub(crate) const NOMINAL: Volts = Volts::new(3.85);

/// Above this a reading is not in volts of a phone's battery: two cells in series have 8.9 V.
const HIGHEST: f64 = 20.0;
/// Below this no phone runs.
const LOWEST: f64 = 2.0;

/// Voltage over time.
#[derive(Clone, Debug)]
pub(crate) struct Voltage {
    steps: Steps<Volts>,
    /// Before the first step, and where there is none.
    otherwise: Volts,
    /// Whether it is a guess.
    pub(crate) assumed: bool,
}

/// A raw reading in volts. The field is in microvolts; some drivers write millivolts.
pub(crate) fn volts(raw: i64) -> Option<Volts> {
    let sane = |volts: f64| (LOWEST..HIGHEST).contains(&volts).then_some(Volts::new(volts));
    sane(raw as f64 * 1e-6).or_else(|| sane(raw as f64 * 1e-3))
}

impl Voltage {
    /// Measured by the battery, else the option, else 3.85 V.
    pub(crate) fn new(timeline: &Timeline, option: Option<Volts>) -> Self {
        let samples = timeline.energy.batteries.iter().map(|battery| {
            let reading = |s: &wattle_timeline::BatterySample| Some((s.time, volts(s.voltage?)?));
            battery.samples.iter().filter_map(reading).collect::<Steps<Volts>>()
        });
        let steps = samples.into_iter().find(|steps| !steps.is_empty()).unwrap_or_default();
        let otherwise = steps.first().map(|(_, volts)| volts).or(option);
        let assumed = otherwise.is_none();
        Self { steps, otherwise: otherwise.unwrap_or(NOMINAL), assumed }
    }

    /// The voltage at the instant.
    pub(crate) fn at(&self, time: BootNanos) -> Volts {
        self.steps.at(time).unwrap_or(self.otherwise)
    }

    /// Whether the battery itself said it.
    pub(crate) fn is_measured(&self) -> bool {
        !self.steps.is_empty()
    }

    /// The first change after the instant; the end of time, if there is none.
    pub(crate) fn next_change(&self, time: BootNanos) -> BootNanos {
        self.steps.times().get(self.next_step(time)).copied().unwrap_or(BootNanos::MAX)
    }

    /// Index of the first step after the instant.
    pub(crate) fn next_step(&self, time: BootNanos) -> usize {
        self.steps.times().partition_point(|step| *step <= time)
    }

    /// `∫ voltage dt`. `next` is the first step after `from`, and after `to` when it is done.
    #[inline]
    pub(crate) fn volt_seconds(&self, next: &mut usize, from: BootNanos, to: BootNanos) -> f64 {
        let (mut now, mut sum) = (from, 0.0);
        while now < to {
            let holds = next.checked_sub(1).and_then(|i| self.steps.values().get(i));
            let cut = self.steps.times().get(*next).copied().unwrap_or(BootNanos::MAX);
            let until = cut.min(to);
            sum += holds.unwrap_or(&self.otherwise).value() * (until - now).seconds();
            *next += usize::from(cut == until);
            now = until;
        }
        sum
    }

    /// A note, if it is a guess.
    pub(crate) fn note(&self) -> Option<PowerNote> {
        self.assumed.then_some(PowerNote::VoltageAssumed)
    }

    /// A track at one volt, at this voltage.
    pub(crate) fn apply(&self, track: &PowerTrack) -> PowerTrack {
        let start = track.window().start;
        let mut scaled = PowerTrack::new(track.component.clone(), track.scope.clone(), start);
        scaled.reserve(track.len());
        let times = self.steps.times();
        let mut next = self.next_step(start);
        let mut now = start;
        for segment in track.segments() {
            while now < segment.window.end {
                let cut = times.get(next).copied().unwrap_or(BootNanos::MAX);
                let until = cut.min(segment.window.end);
                scaled.push_until(until, segment.power * self.at(now).value(), segment.source);
                now = until;
                next += usize::from(cut == until);
            }
        }
        scaled
    }
}

#[cfg(test)]
mod tests {
    use wattle_units::Watts;

    use super::*;
    use crate::{Component, Scope, SourceId};

    /// Energy by the integral of the voltage, and by the track with the voltage applied.
    #[test]
    fn the_integral_is_that_of_the_steps() {
        let nanos = |seconds: i64| BootNanos::new(seconds * 1_000_000_000);
        let steps = [(10, 4.0), (20, 3.0), (30, 5.0)];
        let steps = steps.map(|(at, volts)| (nanos(at), Volts::new(volts))).into_iter().collect();
        let voltage = Voltage { steps, otherwise: Volts::new(4.0), assumed: false };
        let check = |from: i64, cuts: &[i64], expected: f64| {
            let mut next = voltage.next_step(nanos(from));
            let mut track = PowerTrack::new(Component::Cpu, Scope::Device, nanos(from));
            let (mut now, mut sum) = (nanos(from), 0.0);
            for (i, cut) in cuts.iter().enumerate() {
                sum += voltage.volt_seconds(&mut next, now, nanos(*cut));
                now = nanos(*cut);
                track.push_until(now, Watts::new(1.0), SourceId(i as u16));
            }
            assert!((sum - expected).abs() < 1e-12, "{sum}");
            let applied = voltage.apply(&track);
            let energy = applied.energy(applied.window()).value();
            assert!((energy - expected).abs() < 1e-12, "{energy}");
        };
        check(0, &[5], 20.0);
        check(0, &[10, 20, 30, 40], 40.0 + 40.0 + 30.0 + 50.0);
        check(5, &[15, 35], 40.0 + 20.0 + 30.0 + 25.0);
        check(20, &[20, 25, 31], 15.0 + 15.0 + 5.0);
        check(50, &[60], 50.0);
    }
}
