//! Clocks whose unit drivers do not agree on.

use wattle_units::Hertz;

/// The factor by which recorded clocks are multiplied to be in the unit of a table: drivers log hertz where
/// the event's field says kilohertz, and the other way round. Of the powers of a thousand, the one that
/// brings the highest clock seen nearest to the highest of the table; 1 where either is not known.
pub(crate) fn factor(seen: impl Iterator<Item = Hertz>, table: impl Iterator<Item = Hertz>) -> f64 {
    let highest = |clocks: &mut dyn Iterator<Item = Hertz>| {
        clocks.map(Hertz::value).max().filter(|clock| *clock > 0).map(|clock| clock as f64)
    };
    let (mut seen, mut table) = (seen, table);
    let (Some(seen), Some(table)) = (highest(&mut seen), highest(&mut table)) else { return 1.0 };
    let far = |factor: &f64| (seen * factor / table).ln().abs();
    let factors = [1.0, 1e3, 1e-3, 1e6, 1e-6];
    factors.into_iter().min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(1.0)
}

/// A clock in the unit of the table.
pub(crate) fn scaled(clock: Hertz, factor: f64) -> Hertz {
    if factor == 1.0 { clock } else { Hertz::new((clock.value() as f64 * factor).round() as u64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(seen: &[u64], table: &[u64], expected: f64) {
        let hertz =
            |values: &[u64]| -> Vec<Hertz> { values.iter().copied().map(Hertz::new).collect() };
        assert_eq!(factor(hertz(seen).into_iter(), hertz(table).into_iter()), expected);
    }

    #[test]
    fn the_nearest_power_of_a_thousand_is_taken() {
        check(&[610_000_000, 1_800_000_000], &[2_000_000_000], 1.0);
        check(&[610_000], &[610_000_000, 2_000_000_000], 1e3);
        check(&[1_000_000_000_000], &[1_516_000_000], 1e-3);
        check(&[1036], &[1_036_000_000], 1e6);
        check(&[], &[1], 1.0);
        check(&[0], &[1], 1.0);
    }
}
