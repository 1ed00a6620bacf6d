//! The parts of a difference that explain it.

use wattle_units::{CompensatedSum, Joules};

/// A part of a difference: a method, a thread, a component.
#[derive(Clone, Debug, PartialEq)]
pub struct BlamedPart<K> {
    /// The part.
    pub key: K,
    /// Its own difference.
    pub joules: Joules,
}

/// A difference taken apart.
///
/// The parts in [`Self::largest`], [`Self::others`] and [`Self::remainder`] sum to [`Self::total`]: a difference that no part explains is
/// shown as the remainder, and never spread over the parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Blame<K> {
    /// The difference.
    pub total: Joules,
    /// The parts that changed by most, in order of size; those without a change are left out.
    pub largest: Vec<BlamedPart<K>>,
    /// Number of the other parts that changed.
    pub other_parts: usize,
    /// Their sum.
    pub others: Joules,
    /// The difference less all parts.
    pub remainder: Joules,
}

impl<K> Blame<K> {
    /// Takes a difference apart, with at most that many parts by themselves. Among parts of equal size the order is kept.
    pub fn new(total: Joules, parts: impl IntoIterator<Item = (K, Joules)>, most: usize) -> Self {
        let parts = parts.into_iter().map(|(key, joules)| BlamedPart { key, joules });
        let mut largest: Vec<_> = parts.filter(|part| part.joules != Joules::ZERO).collect();
        largest.sort_by(|a, b| b.joules.abs().value().total_cmp(&a.joules.abs().value()));
        let rest = largest.split_off(largest.len().min(most));
        let others: Joules = rest.iter().map(|part| part.joules).sum();
        let explained = largest.iter().map(|part| part.joules).chain([others]);
        let mut remainder = CompensatedSum::default();
        remainder.add(total.value());
        remainder.extend(explained.map(|joules| -joules.value()));
        Self {
            total,
            largest,
            other_parts: rest.len(),
            others,
            remainder: Joules::new(remainder.value()),
        }
    }

    /// The part of the difference that an energy explains: beyond 1, or negative, where parts cancel. `None` where nothing changed.
    pub fn share(&self, joules: Joules) -> Option<f64> {
        (self.total != Joules::ZERO).then(|| joules / self.total)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn parts_and_remainder_sum_to_the_difference(
            total in -1e3..1e3_f64,
            parts in prop::collection::vec(prop_oneof![-1e3..1e3_f64, -1e-9..1e-9_f64, Just(0.0)], 0..80),
            most in 0..20_usize,
        ) {
            let named = parts.iter().enumerate().map(|(at, joules)| (at, Joules::new(*joules)));
            let blame = Blame::new(Joules::new(total), named, most);
            let shown = blame.largest.iter().map(|part| part.joules);
            let sum: Joules = shown.chain([blame.others, blame.remainder]).sum();
            let size: f64 = parts.iter().map(|joules| joules.abs()).sum::<f64>() + total.abs();
            prop_assert!((sum.value() - total).abs() <= 4.0 * f64::EPSILON * size, "{sum:?} {total}");
            let explained: f64 = parts.iter().copied().collect::<CompensatedSum>().value();
            prop_assert!((blame.remainder.value() - (total - explained)).abs() <= 4.0 * f64::EPSILON * size);
            prop_assert!(blame.largest.len() <= most);
            prop_assert!(blame.largest.is_sorted_by(|a, b| a.joules.abs() >= b.joules.abs()));
            let changed = parts.iter().filter(|joules| **joules != 0.0).count();
            prop_assert_eq!(blame.largest.len() + blame.other_parts, changed);
        }
    }
}
