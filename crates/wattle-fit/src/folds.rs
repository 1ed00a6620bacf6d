use std::collections::BTreeMap;

/// Which rows a model is fitted to, and which it is judged on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Rows the model may see.
    pub train: Vec<usize>,
    /// Rows it is judged on.
    pub test: Vec<usize>,
}

/// A division of rows into folds: each row is held out once.
///
/// There is no random division on purpose: rows of one run, app or device resemble each other, and a model that has seen
/// a sibling of a row looks better than it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folds {
    fold_of_row: Vec<usize>,
    count: usize,
}

impl Folds {
    /// One fold for each group (app, device, SoC): the default for data of several of them.
    pub fn leave_one_group_out<G: Ord>(groups: &[G]) -> Self {
        let mut numbers: BTreeMap<&G, usize> = BTreeMap::new();
        let mut fold_of_row = Vec::with_capacity(groups.len());
        for group in groups {
            let next = numbers.len();
            fold_of_row.push(*numbers.entry(group).or_insert(next));
        }
        Self { fold_of_row, count: numbers.len() }
    }

    /// `count` folds of whole groups, as equal in rows as can be: the largest group first, each into the emptiest fold.
    pub fn grouped<G: Ord>(groups: &[G], count: usize) -> Self {
        let alone = Self::leave_one_group_out(groups);
        let count = count.clamp(1, alone.count.max(1));
        let mut sizes: Vec<(usize, usize)> = (0..alone.count).map(|group| (0, group)).collect();
        for group in &alone.fold_of_row {
            if let Some((size, _)) = sizes.get_mut(*group) {
                *size += 1;
            }
        }
        sizes.sort_by_key(|(size, group)| (std::cmp::Reverse(*size), *group));
        let mut filled = vec![0usize; count];
        let mut fold_of_group = vec![0usize; alone.count];
        for (size, group) in sizes {
            let emptiest = filled.iter().enumerate().min_by_key(|(fold, rows)| (**rows, *fold));
            let fold = emptiest.map_or(0, |(fold, _)| fold);
            if let Some(rows) = filled.get_mut(fold) {
                *rows += size;
            }
            if let Some(slot) = fold_of_group.get_mut(group) {
                *slot = fold;
            }
        }
        let fold_of_row = crate::design::pick(&fold_of_group, &alone.fold_of_row);
        Self { fold_of_row, count }
    }

    /// `count` stretches of neighbouring rows, for rows of one device in order of time.
    pub fn blocked(rows: usize, count: usize) -> Self {
        let count = count.clamp(1, rows.max(1));
        Self { fold_of_row: (0..rows).map(|row| row * count / rows).collect(), count }
    }

    /// The number of folds.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The fold each row is held out in.
    pub fn fold_of_row(&self) -> &[usize] {
        &self.fold_of_row
    }

    /// The splits, one for each fold.
    pub fn splits(&self) -> impl Iterator<Item = Split> + '_ {
        (0..self.count).map(|fold| {
            let rows = 0..self.fold_of_row.len();
            let (test, train) = rows.partition(|row| self.fold_of_row.get(*row) == Some(&fold));
            Split { train, test }
        })
    }

    /// Predicts every row by a model that has not seen its fold.
    ///
    /// # Errors
    /// The first error of `predict`, which is given a split and returns one value for each row of its `test`.
    pub fn out_of_fold<E>(
        &self,
        mut predict: impl FnMut(&Split) -> Result<Vec<f64>, E>,
    ) -> Result<Vec<f64>, E> {
        let mut predicted = vec![f64::NAN; self.fold_of_row.len()];
        for split in self.splits() {
            let values = predict(&split)?;
            for (row, value) in split.test.iter().zip(values) {
                if let Some(slot) = predicted.get_mut(*row) {
                    *slot = value;
                }
            }
        }
        Ok(predicted)
    }
}
