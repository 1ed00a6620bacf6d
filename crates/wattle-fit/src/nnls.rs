//! Lawson and Hanson's active-set method (*Solving Least Squares Problems*, 1974, chapter 23), on a triangle.

use crate::FitError;
use crate::triangle::{dot, length, solve, triangularise};

/// Minimises `‖A x − b‖` with `x[i] ≥ 0` wherever `constrained[i]`.
///
/// `columns` are those of `A`, each as long as `b`. A column that depends on those in use stays at zero.
///
/// # Errors
/// [`FitError::Unsettled`] when the active set keeps changing; [`FitError::Length`] when lengths differ;
/// [`FitError::Collinear`] when the unconstrained columns depend on each other.
pub fn nnls(columns: &[Vec<f64>], b: &[f64], constrained: &[bool]) -> Result<Vec<f64>, FitError> {
    nnls_from(columns, b, constrained, &[])
}

/// The same from a guess of the answer: the better the guess, the fewer steps.
pub(crate) fn nnls_from(
    columns: &[Vec<f64>],
    b: &[f64],
    constrained: &[bool],
    guess: &[f64],
) -> Result<Vec<f64>, FitError> {
    for column in columns {
        if column.len() != b.len() {
            return Err(FitError::Length {
                what: "values of a column",
                expected: b.len(),
                found: column.len(),
            });
        }
    }
    if constrained.len() != columns.len() {
        return Err(FitError::Length {
            what: "constraints",
            expected: columns.len(),
            found: constrained.len(),
        });
    }
    let width = columns.len();
    // Unit columns make one tolerance fit watts and bytes alike.
    let scales: Vec<f64> = columns.iter().map(|column| length(column)).collect();
    let mut triangle: Vec<Vec<f64>> =
        columns.iter().zip(&scales).map(|(c, s)| scaled(c, *s)).collect();
    triangle.push(b.to_vec());
    triangularise(&mut triangle, width);
    // Below the triangle only the right-hand side has anything, and no choice of x changes it.
    for column in &mut triangle {
        column.truncate(width);
    }
    let rhs = triangle.pop().unwrap_or_default();

    let reduced = Reduced { triangle: &triangle, rhs: &rhs, constrained };
    let mut x = vec![0.0; width];
    let mut used: Vec<bool> = constrained.iter().map(|c| !c).collect();
    if used.contains(&true) {
        match least_squares(&triangle, &rhs, &used) {
            Ok(start) => x = start,
            Err(column) => return Err(FitError::Collinear { column: format!("{column}") }),
        }
    }
    for ((x, used), (guess, scale)) in
        x.iter_mut().zip(&mut used).zip(guess.iter().zip(&scales)).filter(|((_, used), _)| !**used)
    {
        *used = *guess > 0.0 && *scale > 0.0;
        *x = if *used { guess * scale } else { 0.0 };
    }
    if let Ok(trial) = least_squares(&triangle, &rhs, &used) {
        x = reduced.step_back(&mut used, x, trial);
    } else {
        // Columns that the guess uses depend on each other under these weights: from the start then.
        used = constrained.iter().map(|c| !c).collect();
        x = least_squares(&triangle, &rhs, &used).unwrap_or_else(|_| vec![0.0; width]);
    }
    let tolerance = 1e-11 * length(&rhs).max(f64::MIN_POSITIVE);
    let most = 10 * (width + 3);
    for _ in 0..most {
        let residual = residual(&triangle, &rhs, &x);
        let mut gradient: Vec<f64> = triangle.iter().map(|column| dot(column, &residual)).collect();
        let Some(trial) = enter(&triangle, &rhs, &mut used, &mut gradient, tolerance) else {
            return Ok(x
                .iter()
                .zip(&scales)
                .map(|(x, s)| if *s > 0.0 { x / s } else { 0.0 })
                .collect());
        };
        x = reduced.step_back(&mut used, x, trial);
    }
    Err(FitError::Unsettled { what: "non-negative least squares", iterations: most })
}

/// Takes the column with the steepest descent into use, if there is one that then comes out positive.
fn enter(
    triangle: &[Vec<f64>],
    rhs: &[f64],
    used: &mut [bool],
    gradient: &mut [f64],
    tolerance: f64,
) -> Option<Vec<f64>> {
    loop {
        let idle = gradient.iter().enumerate().filter(|(j, _)| used.get(*j) == Some(&false));
        let (best, steepest) = idle.max_by(|a, b| a.1.total_cmp(b.1)).map(|(j, g)| (j, *g))?;
        if steepest <= tolerance {
            return None;
        }
        *used.get_mut(best)? = true;
        if let Ok(trial) = least_squares(triangle, rhs, used)
            && trial.get(best).is_some_and(|value| *value > 0.0)
        {
            return Some(trial);
        }
        // Rounding, or a dependent column: the next best then.
        *used.get_mut(best)? = false;
        *gradient.get_mut(best)? = 0.0;
    }
}

/// A problem reduced to its triangle.
struct Reduced<'a> {
    triangle: &'a [Vec<f64>],
    rhs: &'a [f64],
    /// By column: whether its coefficient must not be negative.
    constrained: &'a [bool],
}

impl Reduced<'_> {
    /// Goes from `x` towards `trial` as far as nothing turns negative, dropping what reaches zero, until all is positive.
    fn step_back(&self, used: &mut [bool], mut x: Vec<f64>, mut trial: Vec<f64>) -> Vec<f64> {
        for _ in 0..=x.len() {
            let blocking = x.iter().zip(&trial).zip(self.constrained).zip(used.iter());
            let step = blocking
                .filter(|(((_, t), constrained), used)| **used && **constrained && **t <= 0.0)
                .map(|(((x, t), _), _)| x / (x - t))
                .fold(f64::INFINITY, f64::min);
            if step.is_infinite() {
                return trial;
            }
            let step = if step.is_nan() { 0.0 } else { step };
            for (((x, t), constrained), used) in
                x.iter_mut().zip(&trial).zip(self.constrained).zip(used.iter_mut())
            {
                *x += step * (t - *x);
                if *used && *constrained && *t <= 0.0 && *x <= 1e-14 {
                    *x = 0.0;
                    *used = false;
                }
            }
            match least_squares(self.triangle, self.rhs, used) {
                Ok(next) => trial = next,
                Err(_) => return x,
            }
        }
        x
    }
}

/// The unconstrained answer over the columns in use, zero elsewhere.
fn least_squares(triangle: &[Vec<f64>], rhs: &[f64], used: &[bool]) -> Result<Vec<f64>, usize> {
    let indices: Vec<usize> =
        used.iter().enumerate().filter(|(_, used)| **used).map(|(j, _)| j).collect();
    let mut columns = crate::design::pick_cloned(triangle, &indices);
    columns.push(rhs.to_vec());
    triangularise(&mut columns, indices.len());
    let rhs = columns.pop().unwrap_or_default();
    let part =
        solve(&columns, &rhs).map_err(|column| indices.get(column).copied().unwrap_or_default())?;
    let mut whole = vec![0.0; triangle.len()];
    for (index, value) in indices.iter().zip(part) {
        if let Some(slot) = whole.get_mut(*index) {
            *slot = value;
        }
    }
    Ok(whole)
}

fn residual(triangle: &[Vec<f64>], rhs: &[f64], x: &[f64]) -> Vec<f64> {
    let mut residual = rhs.to_vec();
    for (column, x) in triangle.iter().zip(x) {
        for (r, value) in residual.iter_mut().zip(column) {
            *r -= x * value;
        }
    }
    residual
}

fn scaled(column: &[f64], scale: f64) -> Vec<f64> {
    if scale > 0.0 { column.iter().map(|value| value / scale).collect() } else { column.to_vec() }
}
