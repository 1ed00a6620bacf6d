//! Values that hold until the next, and their means over steps of equal length.

/// A value over time that holds until the next; the last only ends the one before. Times ascend.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Pieces {
    pub time: Vec<i64>,
    pub value: Vec<f64>,
}

impl Pieces {
    /// From the first to the last.
    pub fn span(&self) -> Option<(i64, i64)> {
        let (first, last) = (*self.time.first()?, *self.time.last()?);
        (first < last).then_some((first, last))
    }

    /// The mean of each of so many steps; not a number where less than half of a step is known.
    pub fn means(&self, start: i64, step: i64, count: usize) -> Vec<f64> {
        let mut sums = vec![(0.0, 0.0); count];
        let end = start.saturating_add(step.saturating_mul(count as i64));
        let from = self.time.partition_point(|time| *time <= start).saturating_sub(1);
        let pairs = self.time.iter().zip(self.time.iter().skip(1)).zip(&self.value);
        for ((begins, ends), value) in pairs.skip(from) {
            if *begins >= end {
                break;
            }
            let (mut at, ends) = ((*begins).max(start), (*ends).min(end));
            if !value.is_finite() {
                continue;
            }
            while at < ends {
                let index = (at - start) / step;
                let until = ends.min(start + (index + 1) * step);
                let length = (until - at) as f64;
                if let Some((sum, known)) = sums.get_mut(index as usize) {
                    *sum += value * length;
                    *known += length;
                }
                at = until;
            }
        }
        let half = step as f64 / 2.0;
        sums.into_iter()
            .map(|(sum, known)| if known >= half { sum / known } else { f64::NAN })
            .collect()
    }
}

/// Takes off what changes slowly: the mean of so many values around each.
pub(crate) fn without_slow(values: &[f64], width: usize) -> Vec<f64> {
    let mut sums = Vec::with_capacity(values.len() + 1);
    let (mut sum, mut known) = (0.0, 0.0);
    sums.push((sum, known));
    for value in values {
        if value.is_finite() {
            sum += value;
            known += 1.0;
        }
        sums.push((sum, known));
    }
    let half = width / 2;
    let at = |index: usize| sums.get(index.min(values.len())).copied().unwrap_or_default();
    values
        .iter()
        .enumerate()
        .map(|(index, value)| {
            let (before, after) = (at(index.saturating_sub(half)), at(index + half + 1));
            value - (after.0 - before.0) / (after.1 - before.1)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pieces: &[(i64, f64)], start: i64, step: i64, expected: &[f64]) {
        let pieces = Pieces {
            time: pieces.iter().map(|(time, _)| *time).collect(),
            value: pieces.iter().map(|(_, value)| *value).collect(),
        };
        let found = pieces.means(start, step, expected.len());
        let same = |(a, b): (&f64, &f64)| a == b || a.is_nan() && b.is_nan();
        assert!(found.iter().zip(expected).all(same), "{found:?} {expected:?}");
    }

    #[test]
    fn means_are_weighted_by_time() {
        let nan = f64::NAN;
        check(&[(0, 1.0), (5, 3.0), (20, 9.0)], 0, 10, &[2.0, 3.0, nan]);
        check(&[(0, 1.0), (5, 3.0), (20, 9.0)], -10, 10, &[nan, 2.0, 3.0]);
        check(&[(0, 1.0), (4, nan), (8, 3.0), (10, 0.0)], 0, 10, &[1.666_666_666_666_666_7]);
        check(&[(0, 1.0), (4, nan), (10, 0.0)], 0, 10, &[nan]);
        check(&[], 0, 10, &[nan]);
    }

    #[test]
    fn slow_changes_go_and_quick_ones_stay() {
        let values: Vec<f64> = (0..100).map(|i| f64::from(i) + f64::from(i % 2)).collect();
        let found = without_slow(&values, 10);
        assert!(found[20..80].iter().all(|value| value.abs() < 1.0), "{found:?}");
        assert!(found[21] - found[20] > 0.5);
    }
}
