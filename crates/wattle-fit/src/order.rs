//! Order statistics.

/// The values in rising order, without `NaN`.
pub fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The quantile of values in rising order, linear between neighbours; `None` of nothing.
pub fn quantile(sorted: &[f64], p: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = p.clamp(0.0, 1.0) * last as f64;
    let below = sorted.get(place as usize)?;
    let above = sorted.get((place as usize + 1).min(last))?;
    Some(below + (above - below) * place.fract())
}

/// The middle of values in any order; `None` of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(&sorted(values), 0.5)
}

/// The median distance from the median, times 1.4826: the standard deviation of normal values, whatever a minority of wild
/// ones does.
pub fn robust_deviation(values: &[f64]) -> Option<f64> {
    let middle = median(values)?;
    let distances: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    median(&distances).map(|distance| distance * 1.482_602_218_505_602)
}
