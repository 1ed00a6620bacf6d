use crate::point_scatter::{CurvePoint, PointScatter};
use crate::{Design, FitError, LinearOptions, Robustness, order};

/// The terms beside the level: powers of the place in the clock range.
pub(crate) const TERMS: usize = 3;

/// Typical shape of power over clock frequency, learnt from curves of other clusters.
///
/// Power is `static + c·f·V(f)²`, and how `V` rises with `f` differs from chip to chip but not by much: the logarithm of power
/// over the place in the cluster's clock range (0 at its lowest clock, 1 at its highest) is a cubic whose coefficients
/// depend on how wide that range is, plus what is peculiar to the chip. Frequencies may be in any unit; powers in any, too, but in the one that the prior was learnt in,
/// because of the noise floor in [`PointScatter`].
#[derive(Debug, Clone, PartialEq)]
pub struct ShapePrior {
    /// For each term: what it is for a range of width 0, and what it gains per unit of `ln(highest / lowest)`.
    pub typical: [[f64; 2]; TERMS],
    /// Covariance of one chip's terms around the typical ones.
    pub spread: [[f64; TERMS]; TERMS],
    /// Scatter of measured points around such a shape.
    pub scatter: PointScatter,
    /// Curves it was learnt from.
    pub curves: usize,
}

/// The terms of the cubic at a place in the clock range.
pub(crate) fn terms(place: f64) -> [f64; TERMS] {
    let x = place - 0.5;
    [x, x * x, x * x * x]
}

impl ShapePrior {
    /// Learns from whole curves of `(frequency, power)`, each of one cluster. Wild points in a curve and wild curves are weighed
    /// down; points without power and curves of fewer than five different clocks are left out.
    ///
    /// # Errors
    /// [`FitError::TooFew`] when fewer than eight curves are left.
    pub fn learn(curves: &[Vec<(f64, f64)>]) -> Result<Self, FitError> {
        let mut fitted: Vec<(f64, [f64; TERMS])> = Vec::new();
        let mut points: Vec<Vec<CurvePoint>> = Vec::new();
        for curve in curves {
            if let Some((width, terms, left)) = cubic(curve) {
                fitted.push((width, terms));
                points.push(left);
            }
        }
        if fitted.len() < 8 {
            return Err(FitError::TooFew {
                what: "a shape prior (rows are curves of five points or more)",
                needed: 8,
                found: fitted.len(),
            });
        }
        let mut widths = Design::new(["width"]);
        for (width, _) in &fitted {
            widths.push_row(&[*width])?;
        }
        let options =
            LinearOptions { robustness: Robustness::Huber(1.345), ..LinearOptions::default() };
        let mut typical = [[0.0; 2]; TERMS];
        let mut strays: Vec<Vec<f64>> = Vec::new();
        for (term, typical) in typical.iter_mut().enumerate() {
            let values: Vec<f64> =
                fitted.iter().filter_map(|(_, terms)| terms.get(term).copied()).collect();
            // Curves of one width only say nothing of how the width matters.
            let fit = options.fit(&widths, &values);
            let (start, gain) = match &fit {
                Ok(fit) => (fit.intercept.value, fit.coefficients.first().map_or(0.0, |c| c.value)),
                Err(_) => (order::median(&values).unwrap_or_default(), 0.0),
            };
            *typical = [start, gain];
            let stray: Vec<f64> = fitted
                .iter()
                .zip(&values)
                .map(|((width, _), value)| value - start - gain * width)
                .collect();
            let limit = 3.0 * order::robust_deviation(&stray).unwrap_or_default();
            strays.push(stray.iter().map(|value| value.clamp(-limit, limit)).collect());
        }
        let mut spread = [[0.0; TERMS]; TERMS];
        let count = fitted.len() as f64 - 1.0;
        for (row, a) in spread.iter_mut().zip(&strays) {
            for (cell, b) in row.iter_mut().zip(&strays) {
                let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
                let (ma, mb) = (mean(a), mean(b));
                *cell = a.iter().zip(b).map(|(x, y)| (x - ma) * (y - mb)).sum::<f64>() / count;
            }
        }
        let scatter = PointScatter::learn(&points);
        Ok(Self { typical, spread, scatter, curves: fitted.len() })
    }

    /// The typical logarithm of power, but for its level, at a place in a range of this width (`ln(highest / lowest)`).
    pub(crate) fn typical_at(&self, place: f64, width: f64) -> f64 {
        let coefficients = self.typical.iter().map(|[start, gain]| start + gain * width);
        coefficients.zip(terms(place)).map(|(c, term)| c * term).sum()
    }

    /// Returns the covariance of the logarithms at two places.
    pub(crate) fn stray(&self, a: f64, b: f64) -> f64 {
        let (ta, tb) = (terms(a), terms(b));
        let rows = self.spread.iter().zip(ta);
        rows.map(|(row, x)| x * row.iter().zip(tb).map(|(s, y)| s * y).sum::<f64>()).sum()
    }
}

/// The robust cubic through one curve: the width of its range, its terms, and what it leaves of each point.
fn cubic(curve: &[(f64, f64)]) -> Option<(f64, [f64; TERMS], Vec<CurvePoint>)> {
    let mut points: Vec<(f64, f64)> =
        curve.iter().copied().filter(|(f, p)| *f > 0.0 && *p > 0.0 && p.is_finite()).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let clocks = order::sorted(&points.iter().map(|(f, _)| *f).collect::<Vec<f64>>());
    let different = clocks.windows(2).filter(|pair| pair.first() != pair.last()).count() + 1;
    let (lowest, highest) = (clocks.first().copied()?, clocks.last().copied()?);
    if different < 5 || !highest.is_finite() {
        return None;
    }
    let mut design = Design::new(["first", "second", "third"]);
    for (f, _) in &points {
        design.push_row(&terms((f - lowest) / (highest - lowest))).ok()?;
    }
    let logarithms: Vec<f64> = points.iter().map(|(_, p)| p.ln()).collect();
    let options =
        LinearOptions { robustness: Robustness::Huber(1.345), ..LinearOptions::default() };
    let fit = options.fit(&design, &logarithms).ok()?;
    let values: Vec<f64> = fit.coefficients.iter().map(|c| c.value).collect();
    let predicted = fit.predict_all(&design);
    let left = points.iter().zip(logarithms.iter().zip(predicted)).map(|((f, p), (l, said))| {
        CurvePoint { place: (f - lowest) / (highest - lowest), power: *p, left: l - said }
    });
    Some(((highest / lowest).ln(), values.try_into().ok()?, left.collect()))
}
