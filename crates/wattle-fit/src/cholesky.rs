//! Symmetric positive definite systems.

/// The lower triangle `L` of `A = L Lᵀ`, by rows.
#[derive(Debug, Clone)]
pub(crate) struct Cholesky {
    /// Row `i` holds `i + 1` values.
    rows: Vec<Vec<f64>>,
}

impl Cholesky {
    /// Factors the matrix whose lower triangle is in `rows` (row `i` has at least `i + 1` values); `None` when it is not
    /// positive definite.
    pub(crate) fn new(mut rows: Vec<Vec<f64>>) -> Option<Self> {
        for i in 0..rows.len() {
            let (done, rest) = rows.split_at_mut(i);
            let row = rest.first_mut()?;
            row.truncate(i + 1);
            for (j, above) in done.iter().enumerate() {
                let (before, current) = row.split_at_mut(j);
                let value = current.first_mut()?;
                *value = (*value - product(before, above)) / above.last()?;
            }
            let (before, last) = row.split_at_mut(i);
            let last = last.first_mut()?;
            let square = *last - product(before, before);
            if square.is_nan() || square <= 0.0 {
                return None;
            }
            *last = square.sqrt();
        }
        Some(Self { rows })
    }

    /// The triangle `L`, by rows.
    pub(crate) fn rows(&self) -> &[Vec<f64>] {
        &self.rows
    }

    /// `L⁻¹ b`.
    pub(crate) fn forward(&self, b: &[f64]) -> Vec<f64> {
        let mut x: Vec<f64> = Vec::with_capacity(b.len());
        for (row, value) in self.rows.iter().zip(b) {
            let diagonal = row.last().copied().unwrap_or(1.0);
            x.push((value - product(&x, row)) / diagonal);
        }
        x
    }

    /// `L⁻ᵀ b`.
    pub(crate) fn backward(&self, b: &[f64]) -> Vec<f64> {
        let mut x = b.to_vec();
        x.resize(self.rows.len(), 0.0);
        for (i, row) in self.rows.iter().enumerate().rev() {
            let (before, at) = x.split_at_mut(i);
            let (Some(value), Some(diagonal)) = (at.first_mut(), row.last()) else { continue };
            *value /= diagonal;
            for (b, r) in before.iter_mut().zip(row) {
                *b -= *value * r;
            }
        }
        x
    }

    /// `A⁻¹ b`.
    pub(crate) fn solve(&self, b: &[f64]) -> Vec<f64> {
        self.backward(&self.forward(b))
    }

    /// The diagonal of `A⁻¹`.
    pub(crate) fn inverse_diagonal(&self) -> Vec<f64> {
        self.inverse_columns().iter().map(|column| product(column, column)).collect()
    }

    /// The lower triangle of `A⁻¹`, by rows.
    pub(crate) fn inverse(&self) -> Vec<Vec<f64>> {
        let columns = self.inverse_columns();
        let entry = |i: usize, a: &[f64], j: usize| {
            let b = columns.get(j).and_then(|b| b.get(i - j..));
            b.map_or(0.0, |b| product(a, b))
        };
        let rows = columns.iter().enumerate();
        rows.map(|(i, a)| (0..=i).map(|j| entry(i, a, j)).collect()).collect()
    }

    /// Columns of `L⁻¹`, each from its diagonal on; `A⁻¹ = L⁻ᵀ L⁻¹`.
    fn inverse_columns(&self) -> Vec<Vec<f64>> {
        let size = self.rows.len();
        let mut columns: Vec<Vec<f64>> = Vec::with_capacity(size);
        for j in 0..size {
            let mut column: Vec<f64> = Vec::with_capacity(size - j);
            for (i, row) in self.rows.iter().enumerate().skip(j) {
                let known = row.get(j..i).map_or(0.0, |part| product(&column, part));
                let unit = if i == j { 1.0 } else { 0.0 };
                column.push((unit - known) / row.last().copied().unwrap_or(1.0));
            }
            columns.push(column);
        }
        columns
    }
}

/// The sum of products of the common length, in eight strands so that it is fast and always in the same order.
pub(crate) fn product(a: &[f64], b: &[f64]) -> f64 {
    let length = a.len().min(b.len());
    let (a, b) = (a.get(..length).unwrap_or(a), b.get(..length).unwrap_or(b));
    let mut sums = [0.0; 8];
    let (a_parts, b_parts) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a_parts.remainder().iter().zip(b_parts.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a_parts.zip(b_parts) {
        for ((sum, x), y) in sums.iter_mut().zip(x).zip(y) {
            *sum += x * y;
        }
    }
    sums.iter().sum::<f64>() + rest
}
