//! Quartiles of a few values.

/// The first and the third quartile: medians of the lower and of the upper half, the middle value of an odd number belonging to
/// both (Tukey's hinges). `None` for fewer than two values, or one that is no number.
pub fn quartiles(values: &[f64]) -> Option<(f64, f64)> {
    if values.len() < 2 || !values.iter().all(|value| value.is_finite()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len().div_ceil(2);
    Some((median(sorted.get(..half)?)?, median(sorted.get(sorted.len() - half..)?)?))
}

fn median(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    let lower = *sorted.get(middle.checked_sub(1)?)?;
    // Halves first: the sum of two numbers may be none.
    Some(lower / 2.0 + upper / 2.0)
}
