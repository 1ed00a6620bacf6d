//! The charge that a battery lost by its gauge's counter, or by its percentage, where nobody read its current.
//!
//! ```text
//!  mAh  ╲_╱╲         a gauge corrects itself: a small rise is no charging
//!           ╲   ╱╲   a rise beyond that is: what was lost before it and after it are two stretches
//!            ╲_╱  ╲
//! ```
//!
//! A counter moves in steps and a percentage in hundredths of the capacity: a fall of few steps says little, and less than
//! [`LEAST_STEPS`] nothing.

use wattle_timeline::{BatterySample, BatteryTrack, Timeline, Window};
use wattle_units::{BootNanos, Coulombs, Interval, Joules};

use crate::voltage::Voltage;
use crate::{student, work};

/// A fall of fewer steps is not told from noise.
const LEAST_STEPS: f64 = 3.0;
/// A rise of more than this part of the highest reading is charging, a smaller one the gauge's correction of itself.
const CORRECTION: f64 = 0.01;
/// Relative standard deviation of a charge counter.
const ERROR_OF_COUNTER: f64 = 0.05;
/// Relative standard deviation of a percentage times the capacity by design: batteries age.
const ERROR_OF_PERCENT: f64 = 0.1;

/// The gauge's account of a window.
pub(crate) struct GaugedDischarge {
    /// The stretches in which the battery lost charge, in order of time.
    pub(crate) stretches: Vec<Window>,
    /// The energy that it lost in them, at its voltage.
    pub(crate) joules: Joules,
    /// The 90 % interval of it.
    pub(crate) interval: Interval,
    /// From the first to the last reading.
    pub(crate) covered: Window,
    /// Which figure of the gauge it was and how far it moved, in words.
    pub(crate) words: String,
}

/// A figure of the gauge over time.
struct Gauge {
    name: &'static str,
    readings: Vec<(BootNanos, Coulombs)>,
    /// The least that it moves by.
    step: Coulombs,
    error: f64,
}

/// The discharge of the first battery that has a counter, else of the first that has a percentage, if the capacity is known.
/// `None` where there are no two readings.
pub(crate) fn discharge(
    timeline: &Timeline,
    window: Window,
    voltage: &Voltage,
    capacity: Option<Coulombs>,
) -> Option<GaugedDischarge> {
    let batteries = &timeline.energy.batteries;
    let by_counter = || batteries.iter().find_map(|battery| Gauge::counter(battery, window));
    let by_percent =
        || batteries.iter().find_map(|battery| Gauge::percent(battery, window, capacity?));
    Some(by_counter().or_else(by_percent)?.discharge(voltage))
}

impl Gauge {
    fn counter(battery: &BatteryTrack, window: Window) -> Option<Self> {
        let charge = |sample: &BatterySample| {
            sample.charge.map(|charge| Coulombs::from_microampere_hours(charge as f64))
        };
        let readings = readings(battery, window, charge)?;
        let charges = battery.samples.iter().filter_map(|sample| sample.charge);
        let step = Coulombs::from_microampere_hours(greatest_step(charges) as f64);
        Some(Self { name: "charge counter", readings, step, error: ERROR_OF_COUNTER })
    }

    fn percent(battery: &BatteryTrack, window: Window, capacity: Coulombs) -> Option<Self> {
        let charge = |sample: &BatterySample| Some(capacity * (sample.capacity_percent? / 100.0));
        let readings = readings(battery, window, charge)?;
        let step = capacity * 0.01;
        Some(Self { name: "percentage", readings, step, error: ERROR_OF_PERCENT })
    }

    fn discharge(&self, voltage: &Voltage) -> GaugedDischarge {
        let falls = self.falls();
        let lost: Coulombs = falls.iter().map(|fall| fall.charge).sum();
        let is_enough = lost >= self.step * LEAST_STEPS && lost > Coulombs::ZERO;
        let mut joules = Joules::ZERO;
        let mut variance = 0.0;
        for fall in &falls {
            let mut next = voltage.next_step(fall.window.start);
            let volt_seconds = voltage.volt_seconds(&mut next, fall.window.start, fall.window.end);
            let volts = volt_seconds / fall.window.duration().seconds();
            joules += Joules::new(fall.charge.value() * volts);
            // Either end lies anywhere within a step.
            variance += (self.step.value() * volts).powi(2) / 6.0;
        }
        let of_steps = if is_enough { variance / joules.value().powi(2) } else { 0.0 };
        let factor = (student::NORMAL * (self.error.powi(2) + of_steps).sqrt()).exp();
        let first = self.readings.first().copied().unwrap_or_default();
        let last = self.readings.last().copied().unwrap_or_default();
        let [from, to] = [first.1, last.1].map(Coulombs::milliampere_hours);
        let detail = if !is_enough {
            let step = self.step.milliampere_hours();
            format!(
                ": it moves by {step:.3} mAh at least and did not fall by {LEAST_STEPS:.0} times that"
            )
        } else if falls.len() > 1 {
            let lost = lost.milliampere_hours();
            format!(": lost {lost:.1} mAh in {} stretches, charged between them", falls.len())
        } else {
            String::new()
        };
        let words = format!("by the {}, from {from:.1} to {to:.1} mAh{detail}", self.name);
        GaugedDischarge {
            stretches: if is_enough {
                falls.iter().map(|fall| fall.window).collect()
            } else {
                Vec::new()
            },
            joules,
            interval: Interval { low: joules / factor, high: joules * factor },
            covered: Window::new(first.0, last.0),
            words,
        }
    }

    /// The stretches between charging in which it fell.
    fn falls(&self) -> Vec<Fall> {
        let highest = self.readings.iter().map(|(_, charge)| *charge).reduce(Coulombs::max);
        let correction = highest.unwrap_or(Coulombs::ZERO) * CORRECTION;
        let least = correction.max(self.step * LEAST_STEPS);
        let mut falls = Vec::new();
        let mut turns = Turns::default();
        for (time, charge) in &self.readings {
            work::count();
            let reading = (*time, *charge);
            match turns.state {
                Turn::Start => turns.fall_from(reading),
                Turn::Falling if *charge > turns.low.1 + least => {
                    falls.extend(turns.fall());
                    turns.state = Turn::Rising;
                    turns.high = reading;
                }
                Turn::Falling if *charge <= turns.low.1 => turns.low = reading,
                Turn::Rising if *charge + least < turns.high.1 => {
                    let high = turns.high;
                    turns.fall_from(high);
                    turns.low = reading;
                }
                Turn::Rising if *charge >= turns.high.1 => turns.high = reading,
                Turn::Falling | Turn::Rising => {}
            }
            turns.last = reading;
        }
        if turns.state == Turn::Falling {
            // Up to the end: what the gauge took back at last is no charging.
            turns.low = turns.last;
            falls.extend(turns.fall());
        }
        falls
    }
}

/// A stretch in which charge was lost.
struct Fall {
    window: Window,
    charge: Coulombs,
}

/// Whether the charge falls or rises.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Turn {
    #[default]
    Start,
    Falling,
    Rising,
}

/// The turning points of a figure.
#[derive(Default)]
struct Turns {
    state: Turn,
    from: (BootNanos, Coulombs),
    low: (BootNanos, Coulombs),
    high: (BootNanos, Coulombs),
    last: (BootNanos, Coulombs),
}

impl Turns {
    fn fall_from(&mut self, reading: (BootNanos, Coulombs)) {
        self.state = Turn::Falling;
        self.from = reading;
        self.low = reading;
    }

    /// From the last high to the lowest reading after it, if any charge was lost.
    fn fall(&self) -> Option<Fall> {
        let charge = self.from.1 - self.low.1;
        let window = Window::new(self.from.0, self.low.0);
        (charge > Coulombs::ZERO && !window.is_empty()).then_some(Fall { window, charge })
    }
}

/// The greatest number of which every move is a multiple, in the unit of the numbers; 0 where nothing moves.
fn greatest_step(charges: impl Iterator<Item = i64>) -> u64 {
    let mut step = 0_u64;
    let mut before = None;
    for charge in charges {
        let moved = before.map_or(0, |before: i64| charge.abs_diff(before));
        before = Some(charge);
        let mut rest = moved;
        while rest > 0 {
            (step, rest) = (rest, step % rest);
        }
    }
    step
}

/// The readings inside the window; `None` unless there are two at different times.
fn readings(
    battery: &BatteryTrack,
    window: Window,
    charge: impl Fn(&BatterySample) -> Option<Coulombs>,
) -> Option<Vec<(BootNanos, Coulombs)>> {
    let inside = |sample: &&BatterySample| window.start <= sample.time && sample.time <= window.end;
    let of_sample = |sample: &BatterySample| Some((sample.time, charge(sample)?));
    let readings: Vec<_> = battery.samples.iter().filter(inside).filter_map(of_sample).collect();
    let first = readings.first()?.0;
    (readings.last()?.0 > first).then_some(readings)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Readings in mAh a minute apart, at 4 V; stretches in minutes with the joules that were lost in all.
    #[track_caller]
    fn check(readings: &[f64], stretches: &[[i64; 2]], joules: f64) {
        let minute = |index: i64| BootNanos::new(index * 60_000_000_000);
        let samples = (0_i64..).zip(readings).map(|(index, milliampere_hours)| BatterySample {
            time: minute(index),
            charge: Some((milliampere_hours * 1e3) as i64),
            voltage: Some(4_000_000),
            ..BatterySample::default()
        });
        let window = Window::new(minute(0), minute(readings.len() as i64));
        let mut timeline = Timeline { window, ..Timeline::default() };
        timeline.energy.batteries.push(BatteryTrack { name: None, samples: samples.collect() });
        let voltage = Voltage::new(&timeline, None);
        let found = discharge(&timeline, timeline.window, &voltage, None).expect("readings");
        let expected: Vec<Window> =
            stretches.iter().map(|[from, to]| Window::new(minute(*from), minute(*to))).collect();
        assert_eq!(found.stretches, expected, "{}", found.words);
        assert!((found.joules.value() - joules).abs() < 1e-6, "{} {}", found.joules, found.words);
        let Interval { low, high } = found.interval;
        assert!(low <= found.joules && found.joules <= high);
    }

    /// Joules of a milliampere-hour at 4 V.
    const EACH: f64 = 14.4;

    #[test]
    fn a_gauge_falls_between_charging_and_corrects_itself() {
        check(&[3000.0, 2991.0, 2980.0], &[[0, 2]], 20.0 * EACH);
        // A correction of 5 mAh is no charging, one at the end neither.
        check(&[3000.0, 2950.0, 2955.0, 2940.0], &[[0, 3]], 60.0 * EACH);
        check(&[3000.0, 2950.0, 2940.0, 2945.0], &[[0, 3]], 55.0 * EACH);
        // Charged in between, from 2900 to 3000; the plateau belongs to the charger.
        check(
            &[3000.0, 2951.0, 2900.0, 2950.0, 3000.0, 3000.0, 2940.0],
            &[[0, 2], [5, 6]],
            160.0 * EACH,
        );
        // Charged all along, or at rest.
        check(&[2000.0, 2100.0, 2200.0], &[], 0.0);
        check(&[2000.0, 2000.0], &[], 0.0);
    }

    #[test]
    fn few_steps_say_nothing() {
        let steps =
            |count: usize| -> Vec<f64> { (0..=count).map(|index| 3000.0 - index as f64).collect() };
        let timeline = Timeline::default();
        check(&steps(3), &[[0, 3]], 3.0 * EACH);
        let is_silent = |readings: &[f64]| {
            let minute = |index: i64| BootNanos::new(index * 60_000_000_000);
            let samples = (0_i64..).zip(readings).map(|(index, charge)| BatterySample {
                time: minute(index),
                charge: Some((charge * 1e3) as i64),
                ..BatterySample::default()
            });
            let battery = BatteryTrack { name: None, samples: samples.collect() };
            let window = Window::new(minute(0), minute(10));
            let gauge = Gauge::counter(&battery, window).expect("readings");
            let voltage = Voltage::new(&timeline, None);
            gauge.discharge(&voltage).stretches.is_empty()
        };
        assert!(is_silent(&steps(2)) && !is_silent(&steps(3)));
    }

    #[test]
    fn without_a_counter_the_percentage_of_the_capacity_counts() {
        let at = |index: i64| BootNanos::new(index * 3_600_000_000_000);
        let sample = |hour: i64, percent: f64| BatterySample {
            time: at(hour),
            capacity_percent: Some(percent),
            voltage: Some(4_000_000),
            ..BatterySample::default()
        };
        let window = Window::new(at(0), at(2));
        let mut timeline = Timeline { window, ..Timeline::default() };
        let samples = vec![sample(0, 90.0), sample(1, 85.0), sample(2, 80.0)];
        timeline.energy.batteries.push(BatteryTrack { name: None, samples });
        let voltage = Voltage::new(&timeline, None);
        let of = |capacity| discharge(&timeline, timeline.window, &voltage, capacity);
        assert!(of(None).is_none());
        let found = of(Some(Coulombs::from_microampere_hours(4e6))).expect("a percentage");
        assert!((found.joules.value() - 400.0 * EACH).abs() < 1e-6, "{}", found.joules);
        // A tenth of the capacity, known to a tenth, and to a step of either end.
        let factor = found.interval.high / found.joules;
        assert!(factor > 1.17 && factor < 1.22, "{factor}");
    }
}
