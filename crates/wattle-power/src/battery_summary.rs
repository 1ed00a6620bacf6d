//! Energy by the battery's own readings: a cross-check, and the remainder once everything metered is taken off.
//!
//! # Quirks
//! - Android defines a positive current as flowing into the battery; many drivers turn the sign round. It is
//!   learnt from the charge counter or the percentage moving, never from the maker's name.
//! - Some drivers give milliamperes in the field for microamperes. It is learnt from how fast the charge
//!   counter moves, else from the size: no phone that records a trace draws less than 10 mA throughout.

use wattle_timeline::{BatterySample, BatteryTrack, Timeline, Window};
use wattle_units::{
    Amperes, CompensatedSum, Coulombs, Estimate, Interval, Joules, Nanos, Provenance, Volts, Watts,
};

use crate::stated_energies::Estimated;
use crate::voltage::Voltage;
use crate::{BatterySummary, DrainedBy, battery_gauge, student};

/// Relative standard deviation of energy from polled currents: the gauge's own few percent and what
/// happens between polls.
const ERROR: f64 = 0.05;

/// Below this throughout, in the field's unit, a current is in milliamperes.
const LEAST_MICROAMPERES: i64 = 10_000;

/// A charge that moved less than this is not told from the gauge's steps.
const LEAST_CHARGE: Coulombs = Coulombs::from_microampere_hours(500.0);

/// Known properties of a driver's currents.
struct Reading {
    /// Positive in the field means discharge (`Some(true)`), charge, or not known.
    positive_discharges: Option<bool>,
    milliamperes: bool,
    words: String,
}

/// The battery over the window: by its current, else by its charge counter, else by its percentage of the capacity. `None`
/// where it was not read.
pub(crate) fn summary(
    timeline: &Timeline,
    window: Window,
    voltage: &Voltage,
    capacity: Option<Coulombs>,
    estimated: Estimated<'_>,
) -> Option<BatterySummary> {
    by_current(timeline, window, voltage, estimated)
        .or_else(|| by_charge(timeline, window, voltage, capacity, estimated))
}

fn by_charge(
    timeline: &Timeline,
    window: Window,
    voltage: &Voltage,
    capacity: Option<Coulombs>,
    estimated: Estimated<'_>,
) -> Option<BatterySummary> {
    let found = battery_gauge::discharge(timeline, window, voltage, capacity)?;
    let Estimated { tracks, errors, .. } = estimated;
    let accounted = tracks.iter().flat_map(|track| track.energies_in(&found.stretches));
    Some(BatterySummary {
        by: DrainedBy::Battery,
        drained: Estimate {
            joules: found.joules,
            interval: found.interval,
            provenance: if voltage.assumed { Provenance::Assumed } else { Provenance::Measured },
        },
        accounted: errors.whole(accounted),
        discharging: found.stretches.iter().map(|stretch| stretch.duration()).sum(),
        covered: found.covered.duration(),
        reading: found.words,
    })
}

fn by_current(
    timeline: &Timeline,
    window: Window,
    voltage: &Voltage,
    estimated: Estimated<'_>,
) -> Option<BatterySummary> {
    let Estimated { tracks, errors, .. } = estimated;
    let has_current =
        |battery: &&BatteryTrack| battery.samples.iter().any(|s| current(s).is_some());
    let battery = timeline.energy.batteries.iter().find(has_current)?;
    let reading = Reading::from_battery(battery);
    let samples: Vec<&BatterySample> =
        battery.samples.iter().filter(|sample| current(sample).is_some()).collect();
    let mut drained = CompensatedSum::default();
    let mut stretches = Vec::new();
    let mut discharging = Nanos::ZERO;
    let mut covered = Nanos::ZERO;
    for pair in samples.windows(2) {
        let part = Window::new(pair[0].time, pair[1].time).intersect(window);
        if part.is_empty() {
            continue;
        }
        covered += part.duration();
        let [Some(from), Some(to)] = [pair[0], pair[1]].map(|s| reading.discharge(s)) else {
            continue;
        };
        if from <= Amperes::ZERO || to <= Amperes::ZERO {
            continue;
        }
        let at = |sample: &BatterySample| -> Volts { voltage.at(sample.time) };
        let mean = (from * at(pair[0]) + to * at(pair[1])) / 2.0;
        drained.add((mean * part.duration()).value());
        stretches.push(part);
        discharging += part.duration();
    }
    let accounted = tracks.iter().flat_map(|track| track.energies_in(&stretches));
    let drained = Joules::new(drained.value());
    let factor = (student::NORMAL * ERROR).exp();
    Some(BatterySummary {
        by: DrainedBy::Battery,
        drained: Estimate {
            joules: drained,
            interval: Interval { low: drained / factor, high: drained * factor },
            provenance: if voltage.assumed { Provenance::Assumed } else { Provenance::Measured },
        },
        accounted: errors.whole(accounted),
        discharging,
        covered,
        reading: reading.words,
    })
}

/// Power out of the battery between polls at which it discharged.
pub(crate) fn discharge(timeline: &Timeline, voltage: &Voltage) -> Vec<(Window, Watts)> {
    let has_current =
        |battery: &&BatteryTrack| battery.samples.iter().any(|s| current(s).is_some());
    let Some(battery) = timeline.energy.batteries.iter().find(has_current) else {
        return Vec::new();
    };
    let reading = Reading::from_battery(battery);
    let samples: Vec<(&BatterySample, Amperes)> =
        battery.samples.iter().filter_map(|s| Some((s, reading.discharge(s)?))).collect();
    let mut power = Vec::new();
    for pair in samples.windows(2) {
        let [(from, before), (to, after)] = pair else { continue };
        let window = Window::new(from.time, to.time);
        if !window.is_empty() && *before > Amperes::ZERO && *after > Amperes::ZERO {
            let mean = *before * voltage.at(from.time) + *after * voltage.at(to.time);
            power.push((window, mean / 2.0));
        }
    }
    power
}

fn current(sample: &BatterySample) -> Option<i64> {
    sample.current.or(sample.current_average)
}

impl Reading {
    fn from_battery(battery: &BatteryTrack) -> Self {
        let currents: Vec<(f64, i64)> = battery
            .samples
            .iter()
            .filter_map(|s| Some((Nanos::new(s.time.value()).seconds(), current(s)?)))
            .collect();
        // ∫ current dt, in the field's unit times seconds.
        let integral: f64 = currents
            .windows(2)
            .map(|p| f64::midpoint(p[0].1 as f64, p[1].1 as f64) * (p[1].0 - p[0].0))
            .sum();
        let largest = currents.iter().map(|(_, c)| c.saturating_abs()).max().unwrap_or(0);
        let charge = charge_moved(battery);
        let mut words = Vec::new();
        let moved = charge.map_or(Coulombs::ZERO, Coulombs::abs);
        let by_charge = (moved > LEAST_CHARGE && integral != 0.0)
            .then(|| (integral.abs() * 1e-6 / moved.value()).ln());
        let milliamperes = match by_charge {
            // Off by a thousand is nearer than off by one.
            Some(ratio) => ratio < 0.001_f64.sqrt().ln(),
            None => largest > 0 && largest < LEAST_MICROAMPERES,
        };
        words.push(match (milliamperes, by_charge.is_some()) {
            (false, true) => "current in µA, as the charge counter moves".to_owned(),
            (true, true) => "current in mA, as the charge counter moves".to_owned(),
            (false, false) => format!("current in µA, up to {largest}"),
            (true, false) => format!("current in mA: {largest} µA at most would be too little"),
        });
        let direction = match charge.filter(|_| moved > LEAST_CHARGE) {
            Some(charge) => Some((charge < Coulombs::ZERO, "charge counter")),
            None => percent_falls(battery).map(|falls| (falls, "percentage")),
        };
        let positive_discharges = direction.and_then(|(falls, _)| {
            // Between equal signs the direction of the field is that of the battery.
            (integral != 0.0).then_some(falls == (integral > 0.0))
        });
        words.push(match (direction, positive_discharges) {
            (Some((falls, what)), Some(positive)) => format!(
                "{} current discharges, as the {what} {} while it is mostly {}",
                if positive { "positive" } else { "negative" },
                if falls { "falls" } else { "rises" },
                if integral > 0.0 { "positive" } else { "negative" },
            ),
            _ => "sign not known: neither charge counter nor percentage moved, so it is not known \
                  whether the battery discharges"
                .to_owned(),
        });
        Self { positive_discharges, milliamperes, words: words.join("; ") }
    }

    /// Current out of the battery.
    fn discharge(&self, sample: &BatterySample) -> Option<Amperes> {
        let raw = current(sample)? as f64;
        let amperes = Amperes::from_microamperes(if self.milliamperes { raw * 1e3 } else { raw });
        Some(if self.positive_discharges? { amperes } else { -amperes })
    }
}

/// Last minus first of the charge counter.
fn charge_moved(battery: &BatteryTrack) -> Option<Coulombs> {
    let mut charges = battery.samples.iter().filter_map(|sample| sample.charge);
    let first = charges.next()?;
    let last = charges.next_back()?;
    Some(Coulombs::from_microampere_hours(last.saturating_sub(first) as f64))
}

/// Whether the percentage fell; `None` where it did not move.
fn percent_falls(battery: &BatteryTrack) -> Option<bool> {
    let mut percents = battery.samples.iter().filter_map(|sample| sample.capacity_percent);
    let first = percents.next()?;
    let last = percents.next_back()?;
    (first != last).then_some(last < first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorModel;
    use crate::stated_energies::AndroidEstimate;
    use wattle_units::BootNanos;

    /// Polls a second apart of (charge in µAh, current); the drained energy in joules and words.
    #[track_caller]
    fn check(polls: &[(Option<i64>, i64)], drained: f64, seconds: f64, words: &[&str]) {
        let samples = polls.iter().enumerate().map(|(i, (charge, current))| BatterySample {
            time: BootNanos::new(i as i64 * 1_000_000_000),
            charge: *charge,
            current: Some(*current),
            voltage: Some(4_000_000),
            ..BatterySample::default()
        });
        let end = BootNanos::new(polls.len() as i64 * 1_000_000_000);
        let window = Window::new(BootNanos::new(0), end);
        let mut timeline = Timeline { window, ..Timeline::default() };
        timeline.energy.batteries.push(BatteryTrack { name: None, samples: samples.collect() });
        let voltage = Voltage::new(&timeline, None);
        let errors = ErrorModel::default();
        let estimated =
            Estimated { tracks: &[], errors: &errors, android: AndroidEstimate::Unused };
        let found = summary(&timeline, timeline.window, &voltage, None, estimated).unwrap();
        assert!((found.drained.joules.value() - drained).abs() < 1e-9, "{found:?}");
        assert_eq!(found.discharging.seconds(), seconds, "{found:?}");
        for word in words {
            assert!(found.reading.contains(word), "{:?} lacks {word:?}", found.reading);
        }
    }

    /// Two amperes for three seconds are 1667 µAh, and 24 J at 4 V.
    #[test]
    fn sign_and_unit_are_learnt_from_the_charge_counter() {
        let falling = [10_000, 9_444, 8_889, 8_333];
        let rising = [8_333, 8_889, 9_444, 10_000];
        let polls = |charges: [i64; 4], current: i64| charges.map(|charge| (Some(charge), current));
        check(&polls(falling, 2_000_000), 24.0, 3.0, &["µA", "positive current discharges"]);
        check(&polls(falling, -2_000_000), 24.0, 3.0, &["µA", "negative current discharges"]);
        check(&polls(falling, -2000), 24.0, 3.0, &["in mA", "negative current discharges"]);
        check(&polls(rising, 2_000_000), 0.0, 0.0, &["negative current discharges"]);
    }

    #[test]
    fn without_a_moving_charge_nothing_is_claimed() {
        let polls = [(Some(4_968_000), 421_250), (Some(4_968_000), 448_750)];
        check(&polls, 0.0, 0.0, &["µA", "sign not known"]);
        check(&[(None, 300), (None, 420)], 0.0, 0.0, &["in mA", "sign not known"]);
    }

    #[test]
    fn readings_that_no_gauge_has_do_no_harm() {
        let sample = |seconds: i64, current| BatterySample {
            time: BootNanos::new(seconds * 1_000_000_000),
            current: Some(current),
            ..BatterySample::default()
        };
        let window = Window::new(BootNanos::new(0), BootNanos::new(9_000_000_000));
        let mut timeline = Timeline { window, ..Timeline::default() };
        let samples = vec![sample(1, i64::MAX), sample(2, i64::MAX), sample(3, i64::MIN)];
        timeline.energy.batteries.push(BatteryTrack { name: None, samples });
        let errors = ErrorModel::default();
        let estimated =
            Estimated { tracks: &[], errors: &errors, android: AndroidEstimate::Unused };
        let voltage = Voltage::new(&timeline, None);
        let found = summary(&timeline, window, &voltage, None, estimated).expect("readings");
        assert!(found.drained.joules.is_finite(), "{found:?}");
    }
}
