//! Types whose values are rows of a described table.

use crate::{Cell, Row, Rows, Sheet};

/// A type whose values are rows of a described table. [`crate::describe!`] implements it.
pub trait Described: Sized + 'static {
    /// The table's name in the definitions of a schema.
    const NAME: &'static str;
    /// A part of a sentence that says what a row is.
    const DOC: &'static str;

    /// Its columns in the order of views and its keys, resolved once.
    fn sheet() -> &'static Sheet;

    /// The value of the column of that number, see [`Sheet::leaves`].
    fn value(&self, leaf: usize) -> Cell<'_>;
}

impl<T: Described> Row for T {
    fn sheet(&self) -> &'static Sheet {
        <T as Described>::sheet()
    }

    fn cell(&self, leaf: usize) -> Cell<'_> {
        self.value(leaf)
    }
}

impl<T: Described> Rows for Vec<T> {
    fn count(&self) -> usize {
        self.len()
    }

    fn row(&self, at: usize) -> Option<&dyn Row> {
        self.get(at).map(|row| row as &dyn Row)
    }
}
