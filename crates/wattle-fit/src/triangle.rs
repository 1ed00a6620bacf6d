//! Householder triangularisation of tall, thin matrices held as columns.

/// Turns the first `width` columns into an upper triangle by reflections, and applies the same reflections to the columns
/// after them (right-hand sides).
pub(crate) fn triangularise(columns: &mut [Vec<f64>], width: usize) {
    for k in 0..width.min(columns.len()) {
        let (done, rest) = columns.split_at_mut(k + 1);
        let Some(pivot) = done.last_mut() else { return };
        let Some(below) = pivot.get_mut(k..).filter(|below| below.len() > 1) else { continue };
        let norm = length(below);
        let Some(first) = below.first_mut().filter(|_| norm > 0.0) else { continue };
        let diagonal = if *first > 0.0 { -norm } else { norm };
        *first -= diagonal;
        let mirror = below.to_vec();
        let scale = 2.0 / dot(&mirror, &mirror);
        for column in rest {
            if let Some(part) = column.get_mut(k..) {
                let share = scale * dot(&mirror, part);
                for (value, m) in part.iter_mut().zip(&mirror) {
                    *value -= share * m;
                }
            }
        }
        below.fill(0.0);
        if let Some(first) = below.first_mut() {
            *first = diagonal;
        }
    }
}

/// Solves `R x = rhs` for the upper triangle in `columns`; the index of the first column that depends on those before it
/// when there is no single answer.
pub(crate) fn solve(columns: &[Vec<f64>], rhs: &[f64]) -> Result<Vec<f64>, usize> {
    check_rank(columns)?;
    let mut left = rhs.to_vec();
    let mut solution = vec![0.0; columns.len()];
    for (k, column) in columns.iter().enumerate().rev() {
        let value = at(&left, k) / at(column, k);
        for (l, c) in left.iter_mut().zip(column).take(k) {
            *l -= value * c;
        }
        if let Some(slot) = solution.get_mut(k) {
            *slot = value;
        }
    }
    Ok(solution)
}

/// The diagonal of `(RᵀR)⁻¹`, or the column that depends on those before it.
pub(crate) fn inverse_gram_diagonal(columns: &[Vec<f64>]) -> Result<Vec<f64>, usize> {
    check_rank(columns)?;
    let mut diagonal = vec![0.0; columns.len()];
    for unit in 0..columns.len() {
        let mut rhs = vec![0.0; columns.len()];
        if let Some(one) = rhs.get_mut(unit) {
            *one = 1.0;
        }
        let column = solve(columns, &rhs)?;
        for (sum, value) in diagonal.iter_mut().zip(&column) {
            *sum += value * value;
        }
    }
    Ok(diagonal)
}

fn check_rank(columns: &[Vec<f64>]) -> Result<(), usize> {
    // What rounding leaves of a dependent column is some 1e-15 of its length; 1e-11 keeps four digits of a solution.
    match columns.iter().enumerate().find(|(k, c)| at(c, *k).abs() <= 1e-11 * length(c)) {
        Some((k, _)) => Err(k),
        None => Ok(()),
    }
}

fn at(column: &[f64], row: usize) -> f64 {
    column.get(row).copied().unwrap_or(0.0)
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Euclidean length, without overflow.
pub(crate) fn length(a: &[f64]) -> f64 {
    let largest = a.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    largest * a.iter().map(|x| (x / largest) * (x / largest)).sum::<f64>().sqrt()
}
