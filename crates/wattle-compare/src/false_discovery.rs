//! Many comparisons at once.

/// Dependence among the compared figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependence {
    /// Independent, or positively dependent (Benjamini and Hochberg 1995; Benjamini and Yekutieli 2001, theorem 1.2).
    Positive,
    /// Any (Benjamini and Yekutieli 2001, theorem 1.3): larger by the harmonic sum of their number.
    Any,
}

/// P-values adjusted for the number of comparisons: of those up to a level, at most that part is expected to be false.
///
/// `NaN` counts as 1.
pub fn adjusted(p_values: &[f64], dependence: Dependence) -> Vec<f64> {
    let count = p_values.len();
    let harmonic = match dependence {
        Dependence::Positive => 1.0,
        Dependence::Any => (1..=count).map(|rank| 1.0 / rank as f64).sum(),
    };
    let p_value =
        |at: usize| if p_values[at].is_nan() { 1.0 } else { p_values[at].clamp(0.0, 1.0) };
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| p_value(*a).total_cmp(&p_value(*b)));
    let mut adjusted = vec![1.0; count];
    let mut least = 1.0_f64;
    // Step up: the largest first.
    for (rank, at) in order.into_iter().enumerate().rev() {
        least = least.min(p_value(at) * count as f64 * harmonic / (rank + 1) as f64);
        adjusted[at] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fifteen p-values of Benjamini and Hochberg (1995), section 3.2: four survive at 5 %, three a Bonferroni correction.
    const PUBLISHED: [f64; 15] = [
        0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
        0.5719, 0.6528, 0.7590, 1.0000,
    ];

    #[test]
    fn the_published_example() {
        let survivors =
            |dependence| adjusted(&PUBLISHED, dependence).iter().filter(|p| **p <= 0.05).count();
        assert_eq!(survivors(Dependence::Positive), 4);
        assert_eq!(survivors(Dependence::Any), 3);
        let found = adjusted(&PUBLISHED, Dependence::Positive);
        assert!((found[3] - 0.0095 * 15.0 / 4.0).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn unknown_values_never_survive() {
        assert_eq!(adjusted(&[f64::NAN, 0.01], Dependence::Positive), [1.0, 0.02]);
        assert_eq!(adjusted(&[], Dependence::Any), [0.0; 0]);
    }
}
