//! Student's t for two-sided 90 % intervals.

use std::f64::consts::FRAC_PI_2;

/// The normal quantile at 95 %: what [`quantile`] tends to for many degrees of freedom.
pub(crate) const NORMAL: f64 = 1.644_853_626_951_472_2;

/// Probability outside of the interval, both tails.
const OUTSIDE: f64 = 0.10;

/// The factor by which a standard deviation learnt with this many degrees of freedom must be taken
/// for a two-sided 90 % interval.
///
/// G. W. Hill, *Algorithm 396: Student's t-quantiles*, CACM 13 (1970), for one level. Fewer than one
/// degree of freedom counts as one; not a number, as none known: the normal quantile.
pub fn quantile(freedom: f64) -> f64 {
    if freedom.is_nan() || freedom > 1e7 {
        return NORMAL;
    }
    let n = freedom.max(1.0);
    if n <= 2.0 {
        // Closed forms at one and two; between them Hill's series is no good, and the logarithm is
        // nearly linear in 1/n.
        let one = 1.0 / (OUTSIDE * FRAC_PI_2).tan();
        let two = (2.0 / (OUTSIDE * (2.0 - OUTSIDE)) - 2.0).sqrt();
        return two * (one / two).powf(2.0 / n - 1.0);
    }
    let a = 1.0 / (n - 0.5);
    let b = 48.0 / (a * a);
    let mut c = ((20700.0 * a / b - 98.0) * a - 16.0) * a + 96.36;
    let d = ((94.5 / (b + c) - 3.0) / b + 1.0) * (a * FRAC_PI_2).sqrt() * n;
    let mut y = (d * OUTSIDE).powf(2.0 / n);
    if y > 0.05 + a {
        let x = -NORMAL;
        y = x * x;
        if n < 5.0 {
            c += 0.3 * (n - 4.5) * (x + 0.6);
        }
        c += (((0.05 * d * x - 5.0) * x - 7.0) * x - 2.0) * x + b;
        y = (((((0.4 * y + 6.3) * y + 36.0) * y + 94.5) / c - y - 3.0) / b + 1.0) * x;
        y = (a * y * y).exp_m1();
    } else {
        y = ((1.0 / (((n + 6.0) / (n * y) - 0.089 * d - 0.822) * (n + 2.0) * 3.0)
            + 0.5 / (n + 4.0))
            * y
            - 1.0)
            * (n + 1.0)
            / (n + 2.0)
            + 1.0 / y;
    }
    (n * y).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(freedom: f64, expected: f64) {
        let found = quantile(freedom);
        assert!((found / expected - 1.0).abs() < 1e-3, "t({freedom}) = {found}, not {expected}");
    }

    /// Printed tables of t at 0.95, one-sided.
    #[test]
    fn quantiles_are_those_of_the_printed_tables() {
        for (freedom, expected) in [
            (1.0, 6.3138),
            (2.0, 2.9200),
            (3.0, 2.3534),
            (4.0, 2.1318),
            (5.0, 2.0150),
            (6.0, 1.9432),
            (8.0, 1.8595),
            (10.0, 1.8125),
            (15.0, 1.7531),
            (20.0, 1.7247),
            (30.0, 1.6973),
            (60.0, 1.6706),
            (120.0, 1.6577),
            (f64::INFINITY, 1.6449),
            (f64::NAN, 1.6449),
            (0.0, 6.3138),
        ] {
            check(freedom, expected);
        }
    }

    #[test]
    fn more_freedom_never_widens() {
        let mut last = f64::INFINITY;
        for step in 0..2000 {
            let now = quantile(1.0 + f64::from(step) * 0.05);
            assert!(now <= last * (1.0 + 2e-3), "at {step}: {now} after {last}");
            last = now;
        }
    }
}
