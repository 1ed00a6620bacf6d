//! Quality of an allocation, where the truth is known: the two indices of Hitani et al., section 5.1.

use wattle_units::CompensatedSum;

/// Their error index 1, *total error*: how much of what was counted over the whole run is missing from (or too much in)
/// the sum of what calls were given, relative to what was counted. `None` where nothing was counted.
pub fn total_error(counted: f64, allocated: f64) -> Option<f64> {
    (counted != 0.0).then(|| ((counted - allocated) / counted).abs())
}

/// Their error index 2, *allocation error*: the variance over calls of the difference between what a call truly moved
/// and what it was given, in squared units of the counter. `None` without calls.
pub fn allocation_error(calls: impl IntoIterator<Item = (f64, f64)>) -> Option<f64> {
    let differences: Vec<f64> =
        calls.into_iter().map(|(truth, allocated)| truth - allocated).collect();
    let count = differences.len() as f64;
    if differences.is_empty() {
        return None;
    }
    let mean = differences.iter().copied().collect::<CompensatedSum>().value() / count;
    let squares = differences.iter().map(|difference| (difference - mean).powi(2));
    Some(squares.collect::<CompensatedSum>().value() / count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn total_error_is_relative_and_without_sign() {
        assert_eq!(total_error(200.0, 190.0), Some(0.05));
        assert_eq!(total_error(200.0, 210.0), Some(0.05));
        assert_eq!(total_error(0.0, 0.0), None);
    }

    #[test]
    fn allocation_error_is_a_variance() {
        assert_eq!(allocation_error([]), None);
        // The same for all is a bias, which total error shows; the spread is 0.
        assert_eq!(allocation_error([(10.0, 7.0), (5.0, 2.0)]), Some(0.0));
        // Differences 2, 4, 4, 4, 5, 5, 7, 9: mean 5, variance 4.
        let calls = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0].map(|d| (d, 0.0));
        assert_eq!(allocation_error(calls), Some(4.0));
    }
}
