//! Quantiles of the normal distribution and of Student's.

use std::cell::RefCell;
use std::collections::BTreeMap;

/// The quantile of the standard normal distribution: `Φ⁻¹(p)`; infinite at 0 and 1, `NaN` outside.
///
/// Acklam's rational approximation, then one step of Halley's method: exact to 1e-14.
pub fn normal_quantile(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if p == 0.0 || p == 1.0 {
        return if p == 0.0 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    if p > 0.5 {
        return -normal_quantile(1.0 - p);
    }
    let x = acklam(p);
    // Φ(x) = Q(1/2, x²/2) / 2 for x < 0.
    let error = normal_cdf(x) - p;
    let step = error * (2.0 * std::f64::consts::PI).sqrt() * (x * x / 2.0).exp();
    x - step / (1.0 + x * step / 2.0)
}

fn acklam(p: f64) -> f64 {
    let poly = |coefficients: &[f64], x: f64| coefficients.iter().fold(0.0, |sum, c| sum * x + c);
    if p < 0.024_25 {
        let q = (-2.0 * p.ln()).sqrt();
        let above = [
            -7.784_894_002_430_293e-3,
            -3.223_964_580_411_365e-1,
            -2.400_758_277_161_838,
            -2.549_732_539_343_734,
            4.374_664_141_464_968,
            2.938_163_982_698_783,
        ];
        let below = [
            7.784_695_709_041_462e-3,
            3.224_671_290_700_398e-1,
            2.445_134_137_142_996,
            3.754_408_661_907_416,
            1.0,
        ];
        return poly(&above, q) / poly(&below, q);
    }
    let q = p - 0.5;
    let above = [
        -3.969_683_028_665_376e1,
        2.209_460_984_245_205e2,
        -2.759_285_104_469_687e2,
        1.383_577_518_672_69e2,
        -3.066_479_806_614_716e1,
        2.506_628_277_459_239,
    ];
    let below = [
        -5.447_609_879_822_406e1,
        1.615_858_368_580_409e2,
        -1.556_989_798_598_866e2,
        6.680_131_188_771_972e1,
        -1.328_068_155_288_572e1,
        1.0,
    ];
    q * poly(&above, q * q) / poly(&below, q * q)
}

/// The standard normal distribution function.
pub fn normal_cdf(x: f64) -> f64 {
    // A Student distribution of endless freedom would do, but its series is slow there: the incomplete gamma function
    // P(1/2, x²/2) by series near zero, by continued fraction far out.
    let half = x * x / 2.0;
    let tail = if half < 1.5 {
        let mut term = 1.0;
        let mut sum = 1.0;
        let mut k = 1.5;
        while term > sum * 1e-17 {
            term *= half / k;
            sum += term;
            k += 1.0;
        }
        let inside = sum * (-half).exp() * half.sqrt() / (std::f64::consts::PI.sqrt() / 2.0);
        (1.0 - inside) / 2.0
    } else {
        upper_fraction(half) / 2.0
    };
    if x > 0.0 { 1.0 - tail } else { tail }
}

/// Q(1/2, z) by Lentz's continued fraction.
fn upper_fraction(z: f64) -> f64 {
    let a = 0.5;
    let mut b = z + 1.0 - a;
    let mut c = 1e300;
    let mut d = 1.0 / b;
    let mut h = d;
    for i in 1..500 {
        let step = -f64::from(i) * (f64::from(i) - a);
        b += 2.0;
        d = 1.0 / (step * d + b);
        c = b + step / c;
        let factor = c * d;
        h *= factor;
        if (factor - 1.0).abs() < 1e-16 {
            break;
        }
    }
    (-z).exp() * z.sqrt() * h / std::f64::consts::PI.sqrt()
}

/// Degrees of freedom from which on Student's t is taken for the normal distribution: they differ by less than 10⁻⁶, and the incomplete
/// beta function loses its digits.
const NORMAL: f64 = 1e6;

/// The distribution function of Student's t with `freedom` degrees of freedom (more than 0, else `NaN`).
pub fn student_cdf(t: f64, freedom: f64) -> f64 {
    if freedom.is_nan() || freedom <= 0.0 {
        return f64::NAN;
    }
    if freedom > NORMAL {
        return normal_cdf(t);
    }
    let tail = incomplete_beta(freedom / (freedom + t * t), freedom / 2.0, 0.5) / 2.0;
    if t > 0.0 { 1.0 - tail } else { tail }
}

/// The quantile of Student's t with `freedom` degrees of freedom; above a million that of the normal distribution.
pub fn student_quantile(p: f64, freedom: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) || freedom.is_nan() || freedom <= 0.0 {
        return f64::NAN;
    }
    if p == 0.0 || p == 1.0 || freedom > NORMAL {
        return normal_quantile(p);
    }
    if p == 0.5 {
        return 0.0;
    }
    if p > 0.5 {
        return -student_quantile(1.0 - p, freedom);
    }
    // Intervals of a whole table ask for a few of them again and again, and each takes some hundred steps.
    KNOWN_QUANTILES.with_borrow_mut(|known| {
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        let key = (p.to_bits(), freedom.to_bits());
        *known.entry(key).or_insert_with(|| lower_student_quantile(p, freedom))
    })
}

/// The most quantiles that are remembered.
const MOST_KNOWN: usize = 256;

thread_local! {
    static KNOWN_QUANTILES: RefCell<BTreeMap<(u64, u64), f64>> = const { RefCell::new(BTreeMap::new()) };
}

/// The quantile below the median, by bisection.
fn lower_student_quantile(p: f64, freedom: f64) -> f64 {
    let mut low = -1.0;
    while student_cdf(low, freedom) > p && low > -1e300 {
        low *= 2.0;
    }
    let mut high = 0.0;
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if middle == low || middle == high {
            break;
        }
        if student_cdf(middle, freedom) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// The regularised incomplete beta function `I_x(a, b)`.
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(x, a, b) / a
    } else {
        1.0 - front * beta_fraction(1.0 - x, b, a) / b
    }
}

fn beta_fraction(x: f64, a: f64, b: f64) -> f64 {
    let tiny = 1e-300;
    let guard = |v: f64| if v.abs() < tiny { tiny } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / guard(1.0 - (a + b) * x / (a + 1.0));
    let mut h = d;
    for m in 1..500 {
        let m = f64::from(m);
        for step in [
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        ] {
            d = 1.0 / guard(1.0 + step * d);
            c = guard(1.0 + step / c);
            h *= c * d;
        }
        if (c * d - 1.0).abs() < 1e-16 {
            break;
        }
    }
    h
}

/// The logarithm of the gamma function for positive `x` (Lanczos, g = 7).
pub(crate) fn ln_gamma(x: f64) -> f64 {
    let parts = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    if x < 0.5 {
        let pi = std::f64::consts::PI;
        return (pi / (pi * x).sin()).ln() - ln_gamma(1.0 - x);
    }
    let x = x - 1.0;
    let sum = parts
        .iter()
        .zip(1..)
        .fold(0.999_999_999_999_809_9, |sum, (part, k)| sum + part / (x + f64::from(k)));
    let t = x + 7.5;
    0.5 * (2.0 * std::f64::consts::PI).ln() + (x + 0.5) * t.ln() - t + sum.ln()
}

/// So many deviations above its mean, a normal distribution falls off exponentially to many digits.
const FAR: f64 = 1e3;

/// Mean and standard deviation of the part of a normal distribution that is above `least` (Johnson, Kotz and Balakrishnan,
/// *Continuous Univariate Distributions* 1, section 10.1). Far below it, what is above falls off exponentially.
pub fn normal_above(mean: f64, deviation: f64, least: f64) -> (f64, f64) {
    if deviation.is_nan() || deviation <= 0.0 {
        return (mean.max(least), 0.0);
    }
    let from = (least - mean) / deviation;
    if from > FAR {
        return (least + deviation / from, deviation / from);
    }
    let hazard = if from > 2.0 {
        // Laplace's continued fraction: the distribution function has no digits left out there.
        from + (1..=40).rev().fold(0.0, |rest, term| f64::from(term) / (from + rest))
    } else {
        (-0.5 * from * from).exp() / (2.0 * std::f64::consts::PI).sqrt() / normal_cdf(-from)
    };
    let variance = (1.0 + from * hazard - hazard.powi(2)).max(0.0);
    (mean + deviation * hazard, deviation * variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against sums over a fine grid.
    #[test]
    fn the_part_above_a_bound() {
        for (mean, deviation, least) in [
            (1.0, 0.5, 0.05),
            (0.1, 0.4, 0.05),
            (-0.6, 0.4, 0.05),
            (2.0, 0.3, 0.0),
            (-1.0, 0.5, 1.4),
        ] {
            let (mut weight, mut first, mut second) = (0.0, 0.0, 0.0);
            for step in 0..400_000 {
                let x = least + (f64::from(step) + 0.5) * 1e-5;
                let density = (-0.5 * ((x - mean) / deviation).powi(2)).exp();
                weight += density;
                first += density * x;
                second += density * x * x;
            }
            let expected = first / weight;
            let (found, above) = normal_above(mean, deviation, least);
            assert!((found - expected).abs() < 1e-3 * deviation, "{found} {expected}");
            let expected = (second / weight - expected.powi(2)).sqrt();
            assert!((above / expected - 1.0).abs() < 0.01, "{above} {expected}");
        }
        assert_eq!(normal_above(0.2, 0.0, 0.3), (0.3, 0.0));
        let (mean, above) = normal_above(-10.0, 1.0, 0.0);
        assert!((mean - 0.1).abs() < 0.01 && (above - 0.1).abs() < 0.01, "{mean} {above}");
    }
}
