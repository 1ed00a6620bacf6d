//! Whole numbers that sum to what they should: the method of the largest remainder.
//!
//! Each value is rounded down, and what is missing to the sum goes, one each, to those that lost most. No number is off by 1 or
//! more, and the sum is exact, where rounding each on its own would let a million small paths vanish or double.

/// Values as whole numbers whose sum is `target`. Where the target is not within the number of values of their own sum (it is of
/// something else), the largest value takes the rest. What is not a number counts 0. Linear.
pub fn apportion(values: &[f64], target: i64) -> Vec<i64> {
    let finite = |value: f64| if value.is_finite() { value } else { 0.0 };
    let mut whole: Vec<i64> = values.iter().map(|value| finite(*value).floor() as i64).collect();
    let sum: i128 = whole.iter().map(|value| i128::from(*value)).sum();
    let missing = i128::from(target) - sum;
    let lost = |index: usize| finite(values[index]) - finite(values[index]).floor();
    match usize::try_from(missing) {
        Ok(0) => {}
        Ok(missing) if missing <= values.len() => {
            let mut order: Vec<usize> = (0..values.len()).collect();
            let by_loss = |a: &usize, b: &usize| lost(*b).total_cmp(&lost(*a)).then(a.cmp(b));
            if missing < order.len() {
                order.select_nth_unstable_by(missing, by_loss);
            }
            for index in order.into_iter().take(missing) {
                whole[index] += 1;
            }
        }
        _ => {
            if let Some(largest) = (0..whole.len()).max_by_key(|index| (whole[*index], *index)) {
                let mended = i128::from(whole[largest]) + missing;
                whole[largest] = mended.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
            }
        }
    }
    whole
}

/// The nearest whole number.
pub fn nearest(value: f64) -> i64 {
    value.round() as i64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn who_lost_most_gets_one_back() {
        for (values, target, expected) in [
            (vec![], 0, vec![]),
            (vec![1.5, 1.5], 3, vec![2, 1]),
            (vec![0.2, 0.7, 0.1], 1, vec![0, 1, 0]),
            (vec![2.9, 0.05, 0.05], 3, vec![3, 0, 0]),
            (vec![-0.5, 1.5], 1, vec![0, 1]),
            (vec![f64::NAN, 2.0], 2, vec![0, 2]),
            (vec![1.0, 5.0], 10, vec![1, 9]),
            (vec![1.0, 5.0], 2, vec![1, 1]),
        ] {
            assert_eq!(apportion(&values, target), expected, "{values:?} to {target}");
        }
    }

    proptest! {
        #[test]
        fn sums_are_exact_and_no_number_is_off_by_one(
            values in prop::collection::vec(0.0..1e6_f64, 1..200),
        ) {
            let target = nearest(values.iter().sum());
            let whole = apportion(&values, target);
            prop_assert_eq!(whole.iter().sum::<i64>(), target);
            for (value, whole) in values.iter().zip(&whole) {
                prop_assert!((*whole as f64 - value).abs() <= 1.0, "{} for {}", whole, value);
            }
        }
    }
}
