//! Numbers as people read them.

use std::fmt;

/// A number with an SI prefix and three significant digits: `1.23 mJ`, `770 mW`, `0 J`.
#[derive(Clone, Copy, Debug)]
pub struct Si {
    /// The number in the unit.
    pub value: f64,
    /// The unit's symbol.
    pub unit: &'static str,
}

const PREFIXES: [(f64, &str); 7] =
    [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n")];

impl fmt::Display for Si {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { value, unit } = *self;
        if value == 0.0 {
            return f.pad(&format!("0 {unit}"));
        }
        if !value.is_finite() {
            return f.pad(&format!("{value} {unit}"));
        }
        // Half a unit of the third digit is added before the prefix is chosen, so that 999.6 m
        // becomes 1.00 and not 1000 m.
        let rounded = value.abs() * 1.0005;
        let (scale, prefix) = PREFIXES
            .into_iter()
            .find(|(scale, _)| rounded >= *scale)
            .unwrap_or(PREFIXES[PREFIXES.len() - 1]);
        let scaled = value / scale;
        let decimals = match scaled.abs() {
            s if s >= 99.95 => 0,
            s if s >= 9.995 => 1,
            _ => 2,
        };
        f.pad(&format!("{scaled:.decimals$} {prefix}{unit}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: f64, expected: &str) {
        assert_eq!(Si { value, unit: "J" }.to_string(), expected);
    }

    #[test]
    fn three_significant_digits() {
        check(0.0, "0 J");
        check(1.0, "1.00 J");
        check(12.34, "12.3 J");
        check(-0.5, "-500 mJ");
        check(0.770, "770 mJ");
        check(0.9996, "1.00 J");
        check(1234.0, "1.23 kJ");
        check(1.5e-9, "1.50 nJ");
        check(1e-12, "0.00 nJ");
        check(f64::NAN, "NaN J");
    }
}
