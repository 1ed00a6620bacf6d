//! Rows that can be asked for their values without their type.

use crate::{Cell, Column, Sheet};

/// A type whose values are rows of a described table. [`crate::describe!`] implements it.
pub trait Described: Sized + 'static {
    /// The table's name in the definitions of a schema.
    const NAME: &'static str;
    /// A part of a sentence that says what a row is.
    const DOC: &'static str;

    /// Its columns, in the order of views.
    fn columns() -> &'static [Column<Self>];

    /// Its columns and keys, resolved once.
    fn sheet() -> &'static Sheet;
}

/// A row of some described table.
pub trait Row {
    /// Its table's columns and keys.
    fn sheet(&self) -> &'static Sheet;

    /// The value of the column of that number, see [`Sheet::leaves`].
    fn cell(&self, leaf: usize) -> Cell<'_>;
}

impl<T: Described> Row for T {
    fn sheet(&self) -> &'static Sheet {
        <T as Described>::sheet()
    }

    fn cell(&self, leaf: usize) -> Cell<'_> {
        let Some(leaf) = <T as Described>::sheet().leaves.get(leaf) else {
            return Cell::Text(None);
        };
        T::columns().get(leaf.column).map_or(Cell::Text(None), |it| it.value(self, leaf.inner))
    }
}

/// Rows of one described table.
pub trait Rows {
    /// Returns the number of rows.
    fn count(&self) -> usize;

    /// One of them.
    fn row(&self, at: usize) -> Option<&dyn Row>;

    /// The rows unless there are none, for keys that are absent then.
    fn some(&self) -> Option<&dyn Rows>
    where
        Self: Sized,
    {
        (self.count() > 0).then_some(self as &dyn Rows)
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

/// Something that knows its JSON itself: words of an enumeration, facts that no view shows as a table.
pub trait Free {
    /// Its JSON.
    fn json(&self) -> serde_json::Result<serde_json::Value>;

    /// Appends its JSON in the order of its own fields.
    fn write(&self, to: &mut Vec<u8>) -> serde_json::Result<()>;
}

impl<T: serde::Serialize> Free for T {
    fn json(&self) -> serde_json::Result<serde_json::Value> {
        serde_json::to_value(self)
    }

    fn write(&self, to: &mut Vec<u8>) -> serde_json::Result<()> {
        serde_json::to_writer(to, self)
    }
}

/// Describes the rows of a table: type, name in schemas, what a row is, columns.
#[macro_export]
macro_rules! describe {
    ($row:ty, $name:literal, $doc:literal, [$($column:expr),* $(,)?] $(,)?) => {
        impl $crate::Described for $row {
            const NAME: &'static str = $name;
            const DOC: &'static str = $doc;

            fn columns() -> &'static [$crate::Column<Self>] {
                const COLUMNS: &[$crate::Column<$row>] = &[$($column),*];
                COLUMNS
            }

            fn sheet() -> &'static $crate::Sheet {
                static SHEET: std::sync::OnceLock<$crate::Sheet> = std::sync::OnceLock::new();
                SHEET.get_or_init(|| $crate::Sheet::new(<Self as $crate::Described>::columns()))
            }
        }
    };
}
