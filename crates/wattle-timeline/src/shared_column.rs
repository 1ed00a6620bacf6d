//! A column of values that several owners hold at once.

use std::ops::Deref;
use std::sync::Arc;

/// Values that do not change any more. A clone is another reference to the same values, so that what was measured at one time by many
/// rails has one column of times, and a power track can be a view of a counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedColumn<T>(Arc<Vec<T>>);

impl<T> SharedColumn<T> {
    /// Whether both are the same column, not only equal ones.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Default for SharedColumn<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> Deref for SharedColumn<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> From<Vec<T>> for SharedColumn<T> {
    fn from(values: Vec<T>) -> Self {
        Self(Arc::new(values))
    }
}

impl<T> FromIterator<T> for SharedColumn<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self(Arc::new(values.into_iter().collect()))
    }
}

impl<'a, T> IntoIterator for &'a SharedColumn<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<T: Clone> IntoIterator for SharedColumn<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        Arc::unwrap_or_clone(self.0).into_iter()
    }
}
