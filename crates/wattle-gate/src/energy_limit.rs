//! An energy that is not to be passed.

use std::str::FromStr;

use serde::Deserialize;
use wattle_units::Joules;

use crate::GateError;

/// Units and what they are in joules; longer names first.
const UNITS: [(&str, f64); 7] = [
    ("mWh", 3.6),
    ("Wh", 3600.0),
    ("kJ", 1e3),
    ("mJ", 1e-3),
    ("uJ", 1e-6),
    ("µJ", 1e-6),
    ("J", 1.0),
];

/// An energy that is not to be passed, written as `300 mJ`.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct EnergyLimit(pub Joules);

impl FromStr for EnergyLimit {
    type Err = GateError;

    fn from_str(text: &str) -> Result<Self, GateError> {
        let number = |(unit, factor): &(&str, f64)| {
            let number: f64 = text.trim().strip_suffix(unit)?.trim().parse().ok()?;
            (number.is_finite() && number >= 0.0).then_some(number * factor)
        };
        let joules = UNITS.iter().find_map(number);
        joules
            .map(|joules| Self(Joules::new(joules)))
            .ok_or_else(|| GateError::Limit(text.to_owned()))
    }
}

impl TryFrom<String> for EnergyLimit {
    type Error = GateError;

    fn try_from(text: String) -> Result<Self, GateError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<f64>) {
        let found = text.parse::<EnergyLimit>().ok().map(|limit| limit.0.value());
        assert_eq!(found.is_some(), expected.is_some(), "{text}");
        let near = |(found, expected): (f64, f64)| (found - expected).abs() < 1e-12;
        assert!(found.zip(expected).is_none_or(near), "{text}: {found:?}");
    }

    #[test]
    fn limits_have_units() {
        check("300 mJ", Some(0.3));
        check("2J", Some(2.0));
        check("1 mWh", Some(3.6));
        check("0 J", Some(0.0));
        for wrong in ["300", "-1 J", "many J", "nan J", "J", ""] {
            check(wrong, None);
        }
    }
}
