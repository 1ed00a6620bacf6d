use crate::FitError;

/// A table of explaining values: named columns, one row per observation.
///
/// `NaN` stands for a missing value. Boosted trees take it as it is; linear fits refuse it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Design {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
    rows: usize,
}

impl Design {
    /// An empty table with these columns.
    pub fn new<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let columns = vec![Vec::new(); names.len()];
        Self { names, columns, rows: 0 }
    }

    /// Appends one observation.
    ///
    /// # Errors
    /// When it has another number of values than there are columns, or one of them is infinite.
    pub fn push_row(&mut self, row: &[f64]) -> Result<(), FitError> {
        if row.len() != self.columns.len() {
            return Err(FitError::Width {
                row: self.rows,
                expected: self.columns.len(),
                found: row.len(),
            });
        }
        if let Some((value, name)) =
            row.iter().zip(&self.names).find(|(value, _)| value.is_infinite())
        {
            return Err(FitError::NotFinite {
                what: format!("column {name}"),
                row: self.rows,
                found: *value,
            });
        }
        for (column, value) in self.columns.iter_mut().zip(row) {
            column.push(*value);
        }
        self.rows += 1;
        Ok(())
    }

    /// The number of observations.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// The names of the columns, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The columns, in order.
    pub fn columns(&self) -> &[Vec<f64>] {
        &self.columns
    }

    /// The values of the column of this name.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        let index = self.names.iter().position(|n| n == name)?;
        self.columns.get(index).map(Vec::as_slice)
    }

    /// The values of one observation, in the order of the columns; empty past the end.
    pub fn row(&self, row: usize) -> Vec<f64> {
        self.columns.iter().filter_map(|column| column.get(row).copied()).collect()
    }

    /// The observations at these indices, in this order; indices past the end are left out.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let columns: Vec<Vec<f64>> = self.columns.iter().map(|column| pick(column, rows)).collect();
        let kept = rows.iter().filter(|row| **row < self.rows).count();
        Self { names: self.names.clone(), columns, rows: kept }
    }

    /// The columns whose names `keep` accepts.
    #[must_use]
    pub fn keep(&self, mut keep: impl FnMut(&str) -> bool) -> Self {
        let kept = self.names.iter().zip(&self.columns).filter(|(name, _)| keep(name));
        let (names, columns) = kept.map(|(n, c)| (n.clone(), c.clone())).unzip();
        Self { names, columns, rows: self.rows }
    }

    /// Refuses missing values.
    pub(crate) fn check_complete(&self) -> Result<(), FitError> {
        for (name, column) in self.names.iter().zip(&self.columns) {
            if let Some((row, value)) = column.iter().enumerate().find(|(_, v)| !v.is_finite()) {
                return Err(FitError::NotFinite {
                    what: format!("column {name}"),
                    row,
                    found: *value,
                });
            }
        }
        Ok(())
    }

    /// Refuses a list of observed values that does not fit, or is not finite.
    pub(crate) fn check_observed(
        &self,
        what: &'static str,
        values: &[f64],
    ) -> Result<(), FitError> {
        if values.len() != self.rows {
            return Err(FitError::Length { what, expected: self.rows, found: values.len() });
        }
        match values.iter().enumerate().find(|(_, value)| !value.is_finite()) {
            Some((row, value)) => {
                Err(FitError::NotFinite { what: what.to_owned(), row, found: *value })
            }
            None => Ok(()),
        }
    }
}

/// The values at these indices, in this order; indices past the end are left out.
pub fn pick<T: Copy>(values: &[T], rows: &[usize]) -> Vec<T> {
    rows.iter().filter_map(|row| values.get(*row).copied()).collect()
}

/// Like [`pick`], for values that are not copied for free.
pub(crate) fn pick_cloned<T: Clone>(values: &[T], indices: &[usize]) -> Vec<T> {
    indices.iter().filter_map(|index| values.get(*index).cloned()).collect()
}
