//! Figures as text: always with their interval.

use wattle_units::{Estimate, Interval, Joules, Si};

use crate::digest::MethodChange;
use crate::energy::{GroupEnergies, MethodRow};

/// `12.3 mJ`.
pub(super) fn joules(value: Joules) -> String {
    Si { value: value.value(), unit: "J" }.to_string()
}

/// `12.3 mJ (10.1 mJ – 15.0 mJ)`: an energy with its 90 % interval.
pub(super) fn energy(estimate: &Estimate) -> String {
    estimate.to_string()
}

fn with_interval(value: Joules, Interval { low, high }: Interval) -> String {
    format!("{} ({} – {})", joules(value), joules(low), joules(high))
}

/// `12 calls`, `0.5 calls`; `None` where only samples know the method.
pub(super) fn calls(count: f64) -> Option<String> {
    let number = if count.fract() == 0.0 || count >= 100.0 {
        format!("{count:.0}")
    } else {
        format!("{count:.1}")
    };
    let word = if number == "1" { "call" } else { "calls" };
    (count > 0.0).then(|| format!("{number} {word}"))
}

/// Total by calls, `103 µJ (84 µJ – 125 µJ) a call`.
pub(super) fn per_call(row: &MethodRow) -> Option<String> {
    let (value, interval) =
        crate::energy::per_call(row.total.joules, row.total.interval, row.calls)?;
    Some(format!("{} a call", with_interval(value, interval)))
}

/// `3.2 %`; `None` where the whole is unknown.
pub(super) fn share(group: &GroupEnergies, value: Joules) -> Option<String> {
    Some(format!("{:.1} %", group.share(value)? * 100.0))
}

/// `▲ +1.2 mJ (0.8 mJ – 1.6 mJ)`, where the change is certain.
pub(super) fn certain_change(change: &MethodChange) -> Option<String> {
    let mark = match change.verdict? {
        0 => return None,
        verdict if verdict > 0 => '▲',
        _ => '▼',
    };
    Some(format!("{mark} {}", self::change(change)))
}

/// `+1.2 mJ (0.8 mJ – 1.6 mJ)`.
pub(super) fn change(change: &MethodChange) -> String {
    let signed = |value: f64| {
        let sign = if value < 0.0 { "−" } else { "+" };
        format!("{sign}{}", joules(Joules::new(value.abs())))
    };
    let [low, high] = change.interval;
    format!("{} ({} – {})", signed(change.joules), signed(low), signed(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_intervals() {
        let estimate = Estimate {
            joules: Joules::new(0.0123),
            interval: Interval { low: Joules::new(0.0101), high: Joules::new(0.015) },
            provenance: wattle_units::Provenance::Modelled,
        };
        assert_eq!(energy(&estimate), "12.3 mJ (10.1 mJ – 15.0 mJ)");
        assert_eq!(calls(1.0).as_deref(), Some("1 call"));
        assert_eq!(calls(2.5).as_deref(), Some("2.5 calls"));
        assert_eq!(calls(0.0), None);
        let change = MethodChange { joules: -0.001, interval: [-0.002, 0.0005], verdict: Some(-1) };
        assert_eq!(certain_change(&change).as_deref(), Some("▼ −1.00 mJ (−2.00 mJ – +500 µJ)"));
        assert_eq!(certain_change(&MethodChange { verdict: None, ..change }), None);
    }
}
