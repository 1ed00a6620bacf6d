//! The error that all runs share.

use wattle_units::Joules;

/// Parts of a difference that move against it count as none up to this share: they are scatter.
const ONE_WAY: f64 = 0.05;

/// The error of the device model that both builds share, as one standard deviation of the difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CommonError {
    /// A part of the difference, whatever its size: one curve reads both runs wrong by the same factor. It makes a difference larger or
    /// smaller and never turns its sign.
    Proportional(f64),
    /// An energy: components with errors of their own moved in opposite directions, or were divided differently.
    Fixed(Joules),
}

impl CommonError {
    /// No error: an instrument that reads the same in both runs.
    pub const NONE: Self = Self::Proportional(0.0);

    /// The error of a difference that is the sum of parts, each with its difference and its own common error as a part of it (one standard
    /// deviation), such as components of a device. Errors of parts that moved in the same direction cannot turn the sign of the sum; those of parts
    /// that moved in opposite directions can, and are independent.
    pub fn from_parts(parts: impl IntoIterator<Item = (Joules, f64)>) -> Self {
        let (mut sum, mut errors, mut squares) = (0.0, 0.0, 0.0_f64);
        let mut sizes = [0.0; 2];
        for (joules, share) in parts {
            let (joules, share) = (joules.value(), positive(share));
            if !joules.is_finite() {
                continue;
            }
            sum += joules;
            sizes[usize::from(joules < 0.0)] += joules.abs();
            errors += joules.abs() * share;
            squares += (joules * share).powi(2);
        }
        let is_one_way = sizes[0].min(sizes[1]) <= ONE_WAY * sizes[0].max(sizes[1]);
        match f64::abs(sum) {
            size if is_one_way && size > 0.0 => Self::Proportional(errors / size),
            _ => Self::Fixed(Joules::new(squares.sqrt())),
        }
    }

    /// The deviation that could turn the sign of a difference.
    pub(crate) fn turning(self) -> f64 {
        match self {
            Self::Proportional(_) => 0.0,
            Self::Fixed(joules) => positive(joules.value()),
        }
    }

    /// The deviation of a difference of this size.
    pub(crate) fn deviation(self, difference: f64) -> f64 {
        match self {
            Self::Proportional(share) => positive(share) * difference.abs(),
            Self::Fixed(joules) => positive(joules.value()),
        }
    }
}

/// The number if it is finite and positive, else 0.
fn positive(value: f64) -> f64 {
    if value.is_finite() { value.max(0.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(parts: &[(f64, f64)], expected: CommonError) {
        let named = parts.iter().map(|(joules, share)| (Joules::new(*joules), *share));
        let found = CommonError::from_parts(named);
        let number = |error| match error {
            CommonError::Proportional(share) => (0, share),
            CommonError::Fixed(joules) => (1, joules.value()),
        };
        let (found, expected) = (number(found), number(expected));
        assert!(found.0 == expected.0 && (found.1 - expected.1).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn opposite_parts_can_turn_a_sum() {
        check(&[(1.0, 0.1), (3.0, 0.2)], CommonError::Proportional(0.7 / 4.0));
        check(&[(3.0, 0.1), (-2.0, 0.2)], CommonError::Fixed(Joules::new(0.5)));
        check(&[(3.0, 0.1), (-0.1, 0.2)], CommonError::Proportional(0.32 / 2.9));
        check(&[(0.0, 0.1)], CommonError::Fixed(Joules::ZERO));
        check(&[], CommonError::Fixed(Joules::ZERO));
    }
}
