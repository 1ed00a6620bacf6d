//! Order statistics.

/// A normal distribution's standard deviation in units of its median absolute deviation.
const DEVIATION_PER_MAD: f64 = 1.4826;

/// The middle value; the mean of the two middle ones of an even number; 0 of none. Reorders the values.
pub fn median(values: &mut [f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        f64::midpoint(values[middle - 1], values[middle])
    }
}

/// Median, and standard deviation by the median absolute deviation from it.
pub fn median_and_deviation(values: &[f64]) -> (f64, f64) {
    let mut copy = values.to_vec();
    let center = median(&mut copy);
    for value in &mut copy {
        *value = (*value - center).abs();
    }
    (center, DEVIATION_PER_MAD * median(&mut copy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outliers_move_neither_median_nor_deviation() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0]), 2.5);
        assert_eq!(median(&mut []), 0.0);
        let (center, deviation) = median_and_deviation(&[1.0, 2.0, 3.0, 4.0, 1e9]);
        assert_eq!((center, deviation), (3.0, DEVIATION_PER_MAD));
    }
}
