/// The number of independent rows that say as much of a mean as these neighbouring rows do: `n / (1 + 2 Σ ρ_k)` over the
/// autocorrelations `ρ_k` from lag 1 on, as long as pairs of them are positive together (Geyer's initial positive sequence,
/// *Practical Markov chain Monte Carlo*, Statistical Science 7, 1992). At least 1, at most the rows there are.
pub fn effective_rows(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count.max(1.0);
    let covariance = |lag: usize| -> f64 {
        let later = values.iter().skip(lag);
        values.iter().zip(later).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>() / count
    };
    let variance = covariance(0);
    if !(variance > 0.0 && variance.is_finite()) {
        return count;
    }
    let mut sum = 0.0;
    for pair in 0..values.len() / 4 {
        let (first, second) = (covariance(2 * pair + 1), covariance(2 * pair + 2));
        if first + second <= 0.0 {
            break;
        }
        sum += (first + second) / variance;
    }
    (count / (1.0 + 2.0 * sum).max(1.0)).max(1.0)
}
