use crate::triangle::{dot, inverse_gram_diagonal, length, triangularise};
use crate::{Design, FitError};

/// Collinearity of the columns of a design: how far they can be told apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Collinearity {
    /// Largest over smallest singular value of the columns, intercept included, each scaled to unit length (Belsley, Kuh and
    /// Welsch): above 30 the coefficients are hard to tell apart; infinite when a column depends on the others.
    pub condition_number: f64,
    /// One for each column.
    pub columns: Vec<VarianceInflation>,
}

/// Growth of a coefficient's variance because other columns move with it.
#[derive(Debug, Clone, PartialEq)]
pub struct VarianceInflation {
    /// Name of the column.
    pub name: String,
    /// `1 / (1 − R²)` of this column explained by the others; above 10 is bad; infinite for a dependent or constant column.
    pub factor: f64,
}

impl Collinearity {
    /// Of these columns with an intercept.
    ///
    /// # Errors
    /// Missing values, or fewer than two rows.
    pub fn from_design(design: &Design) -> Result<Self, FitError> {
        design.check_complete()?;
        if design.rows() < 2 {
            return Err(FitError::TooFew { what: "collinearity", needed: 2, found: design.rows() });
        }
        let centred: Vec<Vec<f64>> = design.columns().iter().map(|c| unit(&centre(c))).collect();
        let factors = centred.iter().enumerate().map(|(index, column)| {
            let others = centred.iter().enumerate().filter(|(other, _)| *other != index);
            let others: Vec<&Vec<f64>> = others.map(|(_, other)| other).collect();
            inflation(column, &others)
        });
        let columns = design
            .names()
            .iter()
            .zip(factors)
            .map(|(name, factor)| VarianceInflation { name: name.clone(), factor })
            .collect();
        let mut all = vec![unit(&vec![1.0; design.rows()])];
        all.extend(design.columns().iter().map(|column| unit(column)));
        Ok(Self { condition_number: condition_number(all), columns })
    }

    /// The columns whose factor is above `limit` (10 is usual), worst first.
    pub fn above(&self, limit: f64) -> Vec<&VarianceInflation> {
        let mut bad: Vec<_> = self.columns.iter().filter(|c| c.factor > limit).collect();
        bad.sort_by(|a, b| b.factor.total_cmp(&a.factor));
        bad
    }
}

/// The others first, the column last: the last diagonal of the triangle is what is left of it.
fn inflation(column: &[f64], others: &[&Vec<f64>]) -> f64 {
    let mut left = column.to_vec();
    // Twice, as one pass of Gram and Schmidt leaves rounding behind.
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for other in others {
        let rest = unit(&without(&basis, other));
        if length(&rest) > 0.5 {
            basis.push(rest);
        }
    }
    left = without(&basis, &left);
    let share = dot(&left, &left);
    if length(column) < 0.5 || share < 1e-20 { f64::INFINITY } else { 1.0 / share.min(1.0) }
}

fn without(basis: &[Vec<f64>], column: &[f64]) -> Vec<f64> {
    let mut left = column.to_vec();
    for _ in 0..2 {
        for direction in basis {
            let share = dot(direction, &left);
            for (value, d) in left.iter_mut().zip(direction) {
                *value -= share * d;
            }
        }
    }
    left
}

/// By one-sided Jacobi rotations of the triangle.
fn condition_number(mut columns: Vec<Vec<f64>>) -> f64 {
    let width = columns.len();
    triangularise(&mut columns, width);
    if inverse_gram_diagonal(&columns.iter().map(|c| cut(c, width)).collect::<Vec<_>>()).is_err() {
        return f64::INFINITY;
    }
    let mut columns: Vec<Vec<f64>> = columns.iter().map(|column| cut(column, width)).collect();
    for _ in 0..60 {
        let mut largest: f64 = 0.0;
        for p in 0..width {
            let (head, tail) = columns.split_at_mut(p + 1);
            let Some(a) = head.last_mut() else { continue };
            for b in tail {
                largest = largest.max(rotate(a, b));
            }
        }
        if largest < 1e-14 {
            break;
        }
    }
    let lengths: Vec<f64> = columns.iter().map(|column| length(column)).collect();
    let most = lengths.iter().copied().fold(0.0, f64::max);
    let least = lengths.iter().copied().fold(f64::INFINITY, f64::min);
    if least > 0.0 { most / least } else { f64::INFINITY }
}

/// Makes two columns orthogonal; the cosine they had.
fn rotate(a: &mut [f64], b: &mut [f64]) -> f64 {
    let (aa, bb, ab) = (dot(a, a), dot(b, b), dot(a, b));
    let cosine = ab.abs() / (aa * bb).sqrt().max(f64::MIN_POSITIVE);
    if cosine < 1e-15 {
        return cosine;
    }
    let zeta = (bb - aa) / (2.0 * ab);
    let tangent = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
    let c = 1.0 / tangent.hypot(1.0);
    let s = c * tangent;
    for (x, y) in a.iter_mut().zip(b) {
        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    }
    cosine
}

fn cut(column: &[f64], width: usize) -> Vec<f64> {
    let mut cut: Vec<f64> = column.iter().copied().take(width).collect();
    cut.resize(width, 0.0);
    cut
}

fn centre(column: &[f64]) -> Vec<f64> {
    let mean = column.iter().sum::<f64>() / column.len().max(1) as f64;
    let spread = column.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    let centred: Vec<f64> = column.iter().map(|value| value - mean).collect();
    // What rounding leaves of a constant is no variation.
    if length(&centred) <= 1e-12 * spread * (column.len() as f64).sqrt() {
        return vec![0.0; column.len()];
    }
    centred
}

/// Scaled to unit length; zero when there is nothing but rounding left.
fn unit(column: &[f64]) -> Vec<f64> {
    let size = length(column);
    if size > 1e-10 || size > 0.0 && column.iter().any(|v| v.abs() > 1e-10) {
        column.iter().map(|value| value / size).collect()
    } else {
        vec![0.0; column.len()]
    }
}
