//! The least difference that matters.

use std::str::FromStr;

use wattle_table::{Column, describe};
use wattle_units::Joules;

/// Units of [`Threshold::from_str`]; longer names first.
const UNITS: [(&str, f64); 4] = [("mJ", 1e-3), ("uJ", 1e-6), ("µJ", 1e-6), ("J", 1.0)];

/// The least difference that matters: [`Self::share`] of the larger of both energies, and at least [`Self::joules`].
///
/// Smaller differences are of no practical importance, however surely they are known: two runs of one build never draw the
/// same energy to the last microjoule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold {
    /// Part of the larger energy. Default is 0.01.
    pub share: f64,
    /// Never less than this, of a whole run. Default is 1 mJ.
    pub joules: Joules,
}

impl Default for Threshold {
    fn default() -> Self {
        Self { share: 0.01, joules: Joules::new(1e-3) }
    }
}

impl Threshold {
    /// The least difference that matters between two energies.
    pub fn between(&self, before: Joules, after: Joules) -> Joules {
        (before.abs().max(after.abs()) * self.share).max(self.joules)
    }

    /// The same threshold for figures that are multiplied by these factors: energies by their mean.
    #[must_use]
    pub fn scaled(self, factors: [f64; 2]) -> Self {
        Self { joules: self.joules * (0.5 * (factors[0] + factors[1])), ..self }
    }
}

/// A text that is not a threshold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a threshold: expected a share, an energy, or both, as in 1%,1mJ")]
pub struct ThresholdError(String);

impl FromStr for Threshold {
    type Err = ThresholdError;

    /// A share (`2%`), an energy (`5mJ`; J, mJ, uJ, µJ), or both after a comma. If only one is given, the other is 0.
    fn from_str(text: &str) -> Result<Self, ThresholdError> {
        let refused = || ThresholdError(text.to_owned());
        let (mut share, mut joules) = (None, None);
        for part in text.split(',').map(str::trim) {
            let number = |unit: &str| {
                let number: f64 = part.strip_suffix(unit)?.trim().parse().ok()?;
                (number.is_finite() && number >= 0.0).then_some(number)
            };
            let of_unit = |(unit, factor): &(&str, f64)| Some(Joules::new(number(unit)? * factor));
            if let Some(percent) = number("%") {
                share.replace(percent / 100.0).map_or(Ok(()), |_| Err(refused()))?;
            } else {
                let energy = UNITS.iter().find_map(of_unit).ok_or_else(refused)?;
                joules.replace(energy).map_or(Ok(()), |_| Err(refused()))?;
            }
        }
        Ok(Self { share: share.unwrap_or(0.0), joules: joules.unwrap_or(Joules::ZERO) })
    }
}

describe!(
    Threshold,
    "threshold",
    "the least difference that matters: a share of the larger energy, and never less than an energy",
    [
        Column::share("share", "part of the larger energy", |row: &Threshold| Some(row.share))
            .not_null(),
        Column::joules(
            "joules",
            "never less than this, divided as the figures are",
            |row: &Threshold| row.joules.value()
        ),
    ]
);

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(f64, f64)>) {
        let found = text.parse::<Threshold>().ok();
        let found = found.map(|threshold| (threshold.share, threshold.joules.value()));
        let near = |(a, b): ((f64, f64), (f64, f64))| {
            (a.0 - b.0).abs() < 1e-12 && (a.1 - b.1).abs() < 1e-12
        };
        assert_eq!(found.is_some(), expected.is_some(), "{text}");
        assert!(found.zip(expected).is_none_or(near), "{text}: {found:?}");
    }

    #[test]
    fn thresholds_are_shares_and_energies() {
        check("1%,1mJ", Some((0.01, 1e-3)));
        check("5 mJ", Some((0.0, 5e-3)));
        check("2.5%", Some((0.025, 0.0)));
        check("0.5J, 3%", Some((0.03, 0.5)));
        check("20µJ", Some((0.0, 20e-6)));
        for wrong in ["", "1", "1%,2%", "-1%", "1mJ,1J", "nan%", "1 kWh", "1%,"] {
            check(wrong, None);
        }
    }
}
