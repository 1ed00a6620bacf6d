//! A sum that keeps what rounding throws away.

use std::ops::AddAssign;

/// Neumaier's compensated sum (A. Neumaier, *Rundungsfehleranalyse einiger Verfahren zur Summation
/// endlicher Summen*, ZAMM 54, 1974). Its error does not grow with the number of terms, which is
/// what lets a ledger close to 1e-9 over a hundred million slices.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompensatedSum {
    sum: f64,
    lost: f64,
}

impl CompensatedSum {
    /// Adds one term.
    #[inline]
    pub fn add(&mut self, term: f64) {
        let sum = self.sum + term;
        self.lost += if self.sum.abs() >= term.abs() {
            (self.sum - sum) + term
        } else {
            (term - sum) + self.sum
        };
        self.sum = sum;
    }

    /// Adds another sum with what it has kept.
    pub fn merge(&mut self, other: Self) {
        self.add(other.sum);
        self.lost += other.lost;
    }

    /// The sum so far.
    #[inline]
    pub fn value(self) -> f64 {
        self.sum + self.lost
    }
}

impl AddAssign for CompensatedSum {
    fn add_assign(&mut self, other: Self) {
        self.merge(other);
    }
}

impl Extend<f64> for CompensatedSum {
    fn extend<I: IntoIterator<Item = f64>>(&mut self, terms: I) {
        for term in terms {
            self.add(term);
        }
    }
}

impl FromIterator<f64> for CompensatedSum {
    fn from_iter<I: IntoIterator<Item = f64>>(terms: I) -> Self {
        let mut sum = Self::default();
        sum.extend(terms);
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_small_terms_beside_large_ones() {
        let sum: CompensatedSum = [1.0, 1e100, 1.0, -1e100].into_iter().collect();
        assert_eq!(sum.value(), 2.0);
    }

    #[test]
    fn merging_equals_adding() {
        let terms: Vec<f64> = (0..1000).map(|i| f64::from(i) * 0.1).collect();
        let whole: CompensatedSum = terms.iter().copied().collect();
        let mut merged: CompensatedSum = terms[..300].iter().copied().collect();
        merged.merge(terms[300..].iter().copied().collect());
        assert!((whole.value() - merged.value()).abs() < 1e-10);
    }
}
