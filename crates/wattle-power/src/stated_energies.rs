//! Statements of energy from a recording: rails, the battery or a meter, and Android's statistics, each with the estimate of its
//! own time.

use wattle_timeline::{Quantity, Timeline, Usage, Window};
use wattle_units::{Coulombs, Estimate, Interval, Joules, Nanos, Provenance};

use crate::voltage::Voltage;
use crate::{BatterySummary, DrainedBy, ErrorModel, InputStatement, PowerTrack, StatementSource};

/// Microampere-hours of a milliampere-hour.
const MICRO_PER_MILLI: f64 = 1e3;

/// From this part of a stretch of time on, its estimate is compared with a statement about the part.
const SAME_TIME: f64 = 0.9;

/// Tracks and their errors: the estimate that statements are compared with.
#[derive(Clone, Copy)]
pub(crate) struct Estimated<'a> {
    pub(crate) tracks: &'a [PowerTrack],
    pub(crate) errors: &'a ErrorModel,
    /// The use that was made of Android's own estimate.
    pub(crate) android: AndroidEstimate,
}

/// The part of Android's own estimate in the tracks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AndroidEstimate {
    /// None: it can be compared with them.
    Unused,
    /// Some of them are made of it.
    Used,
    /// It rests on a profile of placeholders.
    Placeholder,
}

impl Estimated<'_> {
    /// The energy of all tracks in disjoint stretches of time.
    fn energy(&self, stretches: &[Window]) -> Option<Estimate> {
        let is_in = |track: &PowerTrack| {
            stretches.iter().any(|stretch| !track.window().intersect(*stretch).is_empty())
        };
        let is_estimated = self.tracks.iter().any(is_in);
        let energies = self.tracks.iter().flat_map(|track| track.energies_in(stretches));
        is_estimated.then(|| self.errors.whole(energies))
    }
}

/// Relative standard deviation of a rail of an on-device power monitor. No maker publishes one; converters of this kind
/// are specified to within 2 %.
pub(crate) const METER_ERROR: f64 = 0.02;

/// The part of its variance that all rails have in common, those of one chip having one reference voltage. An assumption: no maker
/// says what of the error is the reference's and what is that of each rail's resistor.
pub(crate) const COMMON_PART: f64 = 0.5;

/// Everything that the rails of a recording counted inside the window, those behind another metered one left out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RailsCounted {
    /// Their sum.
    pub(crate) joules: Joules,
    /// From the first to the last sample that counts.
    pub(crate) window: Window,
    /// Sum of the squares of their energies, in J².
    pub(crate) squares: f64,
}

/// The statement of the rails.
pub(crate) fn of_rails(counted: RailsCounted, estimated: Estimated<'_>) -> InputStatement {
    let joules = counted.joules;
    let alone = counted.squares / joules.value().powi(2).max(f64::MIN_POSITIVE);
    let error = METER_ERROR * (COMMON_PART + (1.0 - COMMON_PART) * alone.min(1.0)).sqrt();
    let factor = (crate::student::NORMAL * error).exp();
    InputStatement {
        source: StatementSource::Rails,
        joules,
        interval: Some(Interval { low: joules / factor, high: joules * factor }),
        provenance: Provenance::Measured,
        time: counted.window.duration(),
        estimate: estimated.energy(&[counted.window]),
    }
}

/// The statement of the battery's gauge or of a meter in its place; `None` where the battery did not discharge.
pub(crate) fn of_battery(battery: &BatterySummary, has_tracks: bool) -> Option<InputStatement> {
    let source = match battery.by {
        DrainedBy::Battery => StatementSource::Discharge,
        DrainedBy::Meter => StatementSource::PowerMeter,
    };
    (battery.discharging > Nanos::ZERO).then_some(InputStatement {
        source,
        joules: battery.drained.joules,
        interval: Some(battery.drained.interval),
        provenance: battery.drained.provenance,
        time: battery.discharging,
        estimate: has_tracks.then_some(battery.accounted),
    })
}

/// The statements of Android's battery statistics: its own estimate, and the charge that the battery lost. A file with several
/// periods states each of them; they are added up where they do not overlap.
pub(crate) fn of_statistics(
    timeline: &Timeline,
    window: Window,
    voltage: &Voltage,
    estimated: Estimated<'_>,
) -> Vec<InputStatement> {
    let android = estimated.android;
    let tagged = |usage: &Usage, tag: Option<&str>| {
        usage.uid.is_none() && usage.tag.map(|name| timeline.names.get(name)) == tag
    };
    let charges = |quantity: Quantity, tag: Option<&str>| -> Vec<(Window, f64)> {
        let all = timeline.system.usage.iter();
        let of_it = all.filter(|usage| usage.quantity == quantity && tagged(usage, tag));
        // A total cannot be cut: it counts where all of its time is looked at.
        let whole = of_it.filter(|usage| usage.window.intersect(window) == usage.window);
        disjoint(whole.map(|usage| (usage.window, usage.value)))
    };
    let energy = |charges: &[(Window, f64)]| -> Joules {
        let all = charges.iter().map(|(window, milliampere_hours)| {
            // When inside the window it was drawn is not said: at the mean voltage.
            let mut next = voltage.next_step(window.start);
            let volt_seconds = voltage.volt_seconds(&mut next, window.start, window.end);
            let charge = Coulombs::from_microampere_hours(milliampere_hours * MICRO_PER_MILLI);
            Joules::new(charge.value() * volt_seconds / window.duration().seconds())
        });
        all.sum()
    };
    let provenance = if voltage.assumed { Provenance::Assumed } else { Provenance::Modelled };
    let on_battery = charges(Quantity::OnBattery, None);
    let statement = |source, charges: &[(Window, f64)], interval| {
        let stretches: Vec<Window> = charges.iter().map(|(window, _)| *window).collect();
        let whole: Nanos = stretches.iter().map(|stretch| stretch.duration()).sum();
        // Android counts charges only while the device is on battery.
        let lengths = stretches.iter().map(|stretch| {
            let counted = on_battery.iter().find(|(window, _)| window == stretch);
            let length = counted.map(|(_, seconds)| Nanos::from_seconds(*seconds));
            length.map_or(stretch.duration(), |length| length.min(stretch.duration()))
        });
        let time: Nanos = lengths.sum();
        // Which part of a longer time it was is not known, so that an estimate of all of it is of another time.
        let is_same_time = time.seconds() >= SAME_TIME * whole.seconds();
        InputStatement {
            source,
            joules: energy(charges),
            interval,
            provenance,
            time,
            estimate: estimated.energy(&stretches).filter(|_| is_same_time),
        }
    };
    let mut found = Vec::new();
    let computed = charges(Quantity::EstimatedCharge, Some("total"));
    if !computed.is_empty() {
        let mut computed = statement(StatementSource::AndroidEstimate, &computed, None);
        // What is made of it, or what it made of placeholders, is no second opinion.
        computed.estimate = computed.estimate.filter(|_| android == AndroidEstimate::Unused);
        found.push(computed);
    }
    let counted = charges(Quantity::BatteryCharge, None);
    let (least, most) = (
        charges(Quantity::BatteryCharge, Some("drain-min")),
        charges(Quantity::BatteryCharge, Some("drain-max")),
    );
    if !counted.is_empty() {
        found.push(statement(StatementSource::Discharge, &counted, None));
    } else if !most.is_empty() && least.len() == most.len() {
        let middle =
            |(low, high): (&(Window, f64), &(Window, f64))| (low.0, f64::midpoint(low.1, high.1));
        let between: Vec<_> = least.iter().zip(&most).map(middle).collect();
        let interval = Interval { low: energy(&least), high: energy(&most) };
        found.push(statement(StatementSource::Discharge, &between, Some(interval)));
    }
    found.retain(|statement| statement.joules > Joules::ZERO && statement.time > Nanos::ZERO);
    found
}

/// Charges of stretches of time, the longest first where they overlap, in order of time.
fn disjoint(charges: impl Iterator<Item = (Window, f64)>) -> Vec<(Window, f64)> {
    let mut all: Vec<(Window, f64)> =
        charges.filter(|(window, value)| !window.is_empty() && value.is_finite()).collect();
    all.sort_by_key(|(window, _)| (window.start, std::cmp::Reverse(window.end)));
    let mut kept: Vec<(Window, f64)> = Vec::new();
    for (window, value) in all {
        match kept.last_mut() {
            Some(last) if last.0.end > window.start => {
                if window.duration() > last.0.duration() {
                    *last = (window, value);
                }
            }
            _ => kept.push((window, value)),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use wattle_units::{BootNanos, Volts};

    use super::*;

    /// Charges in mAh by quantity, tag and seconds; the statements found in 100 s at 4 V: source, joules, seconds.
    #[track_caller]
    fn check(
        charges: &[(Quantity, Option<&str>, [i64; 2], f64)],
        expected: &[(StatementSource, f64, f64)],
    ) {
        let window = |start: i64, end: i64| {
            let at = |seconds: i64| BootNanos::new(seconds * 1_000_000_000);
            Window::new(at(start), at(end))
        };
        let mut timeline = Timeline { window: window(0, 100), ..Timeline::default() };
        for (quantity, tag, [start, end], value) in charges {
            let tag = tag.map(|tag| timeline.names.intern(tag));
            let (quantity, value, window) = (*quantity, *value, window(*start, *end));
            timeline.system.usage.push(Usage { quantity, uid: None, tag, window, value });
        }
        let voltage = Voltage::new(&timeline, Some(Volts::new(4.0)));
        let errors = ErrorModel::default();
        let estimated =
            Estimated { tracks: &[], errors: &errors, android: AndroidEstimate::Unused };
        let found = of_statistics(&timeline, timeline.window, &voltage, estimated);
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, (source, joules, seconds)) in found.iter().zip(expected) {
            assert_eq!(found.source, *source);
            assert!((found.joules.value() - joules).abs() < 1e-9 * joules, "{found:?}");
            assert_eq!(found.time, Nanos::from_seconds(*seconds));
            assert_eq!((found.estimate, found.ratio()), (None, None));
        }
    }

    #[test]
    fn charges_of_statistics_are_energies_of_their_own_time() {
        use StatementSource::{AndroidEstimate, Discharge};
        let total = (Quantity::EstimatedCharge, Some("total"));
        let (least, most) = ("drain-min", "drain-max");
        let battery = Quantity::BatteryCharge;
        check(&[], &[]);
        check(&[(total.0, total.1, [0, 50], 10.0)], &[(AndroidEstimate, 144.0, 50.0)]);
        // The part of a component, and a total that reaches beyond what is looked at.
        check(&[(total.0, Some("cpu"), [0, 50], 10.0), (total.0, total.1, [0, 101], 9.0)], &[]);
        // The same time again, and another one.
        check(
            &[(total.0, total.1, [0, 50], 10.0), (total.0, total.1, [0, 40], 8.0)],
            &[(AndroidEstimate, 144.0, 50.0)],
        );
        check(
            &[(total.0, total.1, [0, 50], 10.0), (total.0, total.1, [50, 60], 1.0)],
            &[(AndroidEstimate, 158.4, 60.0)],
        );
        check(
            &[(battery, Some(least), [0, 50], 10.0), (battery, Some(most), [0, 50], 20.0)],
            &[(Discharge, 216.0, 50.0)],
        );
        check(
            &[(battery, None, [0, 50], 5.0), (battery, Some(most), [0, 50], 20.0)],
            &[(Discharge, 72.0, 50.0)],
        );
        check(&[(battery, None, [0, 50], 0.0)], &[]);
        // Charge is counted on battery.
        let on_battery = (Quantity::OnBattery, None, [0, 50], 20.0);
        check(&[(battery, None, [0, 50], 5.0), on_battery], &[(Discharge, 72.0, 20.0)]);
    }
}
