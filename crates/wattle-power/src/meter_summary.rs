//! Power of the whole device by a meter outside of it, measured. It takes the place of the battery's own readings.
//!
//! The meter supplies the device, in the battery's place or at its terminals; so it does not matter what the battery
//! or a charger does meanwhile.

use wattle_timeline::{MeterTrack, Timeline, Window};
use wattle_units::{CompensatedSum, Estimate, Interval, Joules, Nanos};

use crate::{BatterySummary, DrainedBy, ErrorModel, PowerTrack};

/// Accuracies that makers state for their meters: relative error of a mean of currents that a phone draws, taken as a
/// 90 % bound.
const ACCURACIES: &[(&str, f64)] = &[
    // «Current measurement accuracy ±1 %» of the data sheets of the Monsoon Power Monitor (FTA22D) and the HVPM.
    ("monsoon", 0.01),
    // «±(0.1 % + 50 nA)» of the data sheet of the Otii Arc, for its main current; the voltage's is like it.
    ("otii", 0.002),
    // Typical 0.3 % for the current range of phones of the JS110's data sheet; the JS220 is better.
    ("joulescope", 0.003),
];

/// Of any other meter.
const ASSUMED_ACCURACY: f64 = 0.02;

/// A meter's word over the window. `None` where none measured in it.
pub(crate) fn summary(
    timeline: &Timeline,
    window: Window,
    tracks: &[PowerTrack],
    errors: &ErrorModel,
) -> Option<BatterySummary> {
    let measured = timeline.energy.meters.iter().find_map(|meter| {
        let (drained, stretches) = integral(meter, window);
        (!stretches.is_empty()).then_some((meter, drained, stretches))
    });
    let (meter, drained, stretches) = measured?;
    let covered: Nanos = stretches.iter().map(|stretch| stretch.duration()).sum();
    let accounted = tracks.iter().flat_map(|track| track.energies_in(&stretches));
    let instrument = timeline.names.get(meter.instrument);
    let known = ACCURACIES.iter().find(|(name, _)| *name == instrument);
    let accuracy = known.map_or(ASSUMED_ACCURACY, |(_, accuracy)| *accuracy);
    let words = format!(
        "power meter ({instrument}, {}), {} samples, {:.1} % {}",
        timeline.names.get(meter.name),
        meter.time.len(),
        accuracy * 100.0,
        if known.is_some() { "by its data sheet" } else { "assumed" },
    );
    Some(BatterySummary {
        by: DrainedBy::Meter,
        drained: Estimate {
            joules: drained,
            interval: Interval {
                low: drained * (1.0 - accuracy),
                high: drained * (1.0 + accuracy),
            },
            provenance: meter.provenance,
        },
        accounted: errors.whole(accounted),
        discharging: covered,
        covered,
        reading: words,
    })
}

/// Energy inside the window, and the stretches in which the meter measured. Each sample holds until the next.
fn integral(meter: &MeterTrack, window: Window) -> (Joules, Vec<Window>) {
    let mut sum = CompensatedSum::default();
    let mut stretches: Vec<Window> = Vec::new();
    let first = meter.time.partition_point(|time| *time <= window.start).saturating_sub(1);
    let ends = meter.time.iter().skip(first + 1);
    let samples = meter.time.iter().zip(&meter.power).skip(first);
    for ((start, power), end) in samples.zip(ends) {
        if *start >= window.end {
            break;
        }
        let part = Window::new(*start, *end).intersect(window);
        if part.is_empty() || !power.is_finite() {
            continue;
        }
        sum.add((*power * part.duration()).value());
        match stretches.last_mut() {
            Some(last) if last.end == part.start => last.end = part.end,
            _ => stretches.push(part),
        }
    }
    (Joules::new(sum.value()), stretches)
}

#[cfg(test)]
mod tests {
    use wattle_timeline::Names;
    use wattle_units::{BootNanos, Provenance, Watts};

    use super::*;

    const SECOND: i64 = 1_000_000_000;

    /// Samples (seconds, watts) of an instrument over a window in seconds; joules, seconds and relative bound.
    #[track_caller]
    fn check(
        instrument: &str,
        samples: &[(i64, f64)],
        window: (i64, i64),
        expected: Option<(f64, f64, f64)>,
    ) {
        let at = |seconds: i64| BootNanos::new(seconds * SECOND);
        let mut names = Names::default();
        let meter = MeterTrack {
            name: names.intern("main"),
            instrument: names.intern(instrument),
            provenance: Provenance::Measured,
            time: samples.iter().map(|(time, _)| at(*time)).collect(),
            power: samples.iter().map(|(_, power)| Watts::new(*power)).collect(),
        };
        let mut timeline = Timeline { names, ..Timeline::default() };
        timeline.energy.meters.push(meter);
        let window = Window::new(at(window.0), at(window.1));
        let found = summary(&timeline, window, &[], &ErrorModel::default());
        let found = found.map(|found| {
            assert_eq!(found.by, DrainedBy::Meter);
            let drained = found.drained;
            let bound = drained.interval.half_width() / drained.joules;
            (drained.joules.value(), found.covered.seconds(), bound)
        });
        match (found, expected) {
            (Some(found), Some(expected)) => {
                let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
                let is_near = near(found.0, expected.0) && near(found.1, expected.1);
                assert!(is_near && near(found.2, expected.2), "{found:?} {expected:?}");
            }
            (found, expected) => assert_eq!(found, expected),
        }
    }

    #[test]
    fn samples_hold_until_the_next() {
        let samples = [(0, 2.0), (2, 1.0), (4, 5.0)];
        check("monsoon", &samples, (0, 4), Some((6.0, 4.0, 0.01)));
        check("battor", &samples, (1, 3), Some((3.0, 2.0, 0.02)));
        check("otii", &samples, (-5, 50), Some((6.0, 4.0, 0.002)));
        check("monsoon", &samples, (10, 20), None);
        check("monsoon", &samples, (-9, -5), None);
        check("monsoon", &[], (0, 4), None);
    }

    #[test]
    fn lost_samples_are_no_energy_and_no_time() {
        let samples = [(0, 2.0), (2, f64::NAN), (4, 1.0), (5, 0.0)];
        check("monsoon", &samples, (0, 5), Some((5.0, 3.0, 0.01)));
        check("monsoon", &[(0, f64::NAN), (5, 1.0)], (0, 5), None);
    }
}
