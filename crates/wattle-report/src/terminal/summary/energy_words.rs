//! Energies in the unit that was asked for.

use wattle_units::{Interval, Joules, Si};

use crate::EnergyUnit;

/// Joules of a milliwatt-hour.
const MILLIWATT_HOUR: f64 = 3.6;
/// Factors of joules and their names, largest first.
const PREFIXES: [(f64, &str); 6] =
    [(1e6, "MJ"), (1e3, "kJ"), (1.0, "J"), (1e-3, "mJ"), (1e-6, "µJ"), (1e-9, "nJ")];

/// Writes energies in one unit.
#[derive(Clone, Copy, Debug, Default)]
pub struct EnergyWords {
    pub unit: EnergyUnit,
}

/// A unit of which a column or a pair of numbers has one, with a fixed number of decimals.
#[derive(Clone, Copy, Debug)]
pub struct EnergyScale {
    /// Joules of one.
    factor: f64,
    /// Its name.
    pub name: &'static str,
    decimals: usize,
}

impl EnergyWords {
    /// One energy with three significant digits: `1.39 J`, `0.386 mWh`.
    pub fn text(self, joules: Joules) -> String {
        if self.unit == EnergyUnit::Joules {
            return Si { value: joules.value(), unit: "J" }.to_string();
        }
        let scale = self.scale(joules);
        format!("{} {}", scale.number(joules), scale.name)
    }

    /// An interval with its unit once: `1.33–1.45 J`; `None` where it has no width.
    pub fn interval(self, interval: Interval) -> Option<String> {
        if interval.low >= interval.high {
            return None;
        }
        let scale = self.scale(interval.high);
        let (low, high) = (scale.number(interval.low), scale.number(interval.high));
        Some(format!("{low}–{high} {}", scale.name))
    }

    /// The unit in which an energy has three significant digits.
    pub fn scale(self, joules: Joules) -> EnergyScale {
        let value = joules.value().abs();
        let (factor, name) = match self.unit {
            EnergyUnit::MilliwattHours => (MILLIWATT_HOUR, "mWh"),
            EnergyUnit::MilliampHours(volts) => (MILLIWATT_HOUR * volts, "mAh"),
            // Half a unit of the third digit is added first, so that 999.6 m becomes 1.00 and not 1000 m.
            EnergyUnit::Joules => PREFIXES
                .into_iter()
                .find(|(factor, _)| value * 1.0005 >= *factor)
                .unwrap_or(PREFIXES[PREFIXES.len() - 1]),
        };
        let scaled = value / factor;
        let digits = if scaled > 0.0 { scaled.log10().floor() } else { 0.0 };
        EnergyScale { factor, name, decimals: (2.0 - digits).clamp(0.0, 6.0) as usize }
    }

    /// The unit of a column whose largest energy this is: that has two to four digits before the point.
    pub fn column(self, largest: Joules) -> EnergyScale {
        let mut scale = self.scale(largest);
        if self.unit == EnergyUnit::Joules {
            let value = largest.value().abs();
            let fits = PREFIXES.into_iter().find(|(factor, _)| value >= 10.0 * factor);
            (scale.factor, scale.name) = fits.unwrap_or((scale.factor, scale.name));
            scale.decimals = 1;
        }
        scale
    }
}

impl EnergyScale {
    /// The number of an energy in this unit.
    pub fn number(self, joules: Joules) -> String {
        let Self { factor, decimals, .. } = self;
        format!("{:.decimals$}", joules.value() / factor)
    }

    /// The same, with `<0.1` for what rounds to nothing.
    pub fn number_or_less(self, joules: Joules) -> String {
        let least = 0.1_f64.powi(self.decimals as i32);
        let value = joules.value() / self.factor;
        if value > 0.0 && value < least / 2.0 {
            return format!("<{least:.*}", self.decimals);
        }
        self.number(joules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(unit: EnergyUnit, joules: f64, expected: [&str; 2]) {
        let words = EnergyWords { unit };
        let interval = Interval { low: Joules::new(joules * 0.9), high: Joules::new(joules * 1.1) };
        let found = [words.text(Joules::new(joules)), words.interval(interval).unwrap_or_default()];
        assert_eq!(found, expected);
    }

    #[test]
    fn an_energy_and_its_interval_have_one_unit() {
        check(EnergyUnit::Joules, 1.39, ["1.39 J", "1.25–1.53 J"]);
        check(EnergyUnit::Joules, 0.95, ["950 mJ", "0.85–1.04 J"]);
        check(EnergyUnit::Joules, 0.0199, ["19.9 mJ", "17.9–21.9 mJ"]);
        check(EnergyUnit::Joules, 0.0, ["0 J", ""]);
        check(EnergyUnit::MilliwattHours, 1.44, ["0.400 mWh", "0.360–0.440 mWh"]);
        check(EnergyUnit::MilliampHours(3.85), 1386.0, ["100 mAh", "90–110 mAh"]);
    }

    #[test]
    fn a_column_has_two_to_four_digits() {
        for (largest, small, expected) in [
            (0.0967, 0.0199, ["mJ", "96.7", "19.9"]),
            (2.3, 0.000_01, ["mJ", "2300.0", "<0.1"]),
            (52.0, 0.06, ["J", "52.0", "0.1"]),
        ] {
            let scale = EnergyWords::default().column(Joules::new(largest));
            let found = [
                scale.name.to_owned(),
                scale.number_or_less(Joules::new(largest)),
                scale.number_or_less(Joules::new(small)),
            ];
            assert_eq!(found, expected);
        }
    }
}
