//! The macro that describes a table by its columns.

/// Describes the rows of a table: type, name in schemas, what a row is, columns.
#[macro_export]
macro_rules! describe {
    ($row:ty, $name:literal, $doc:literal, [$($column:expr),* $(,)?] $(,)?) => {
        const _: () = {
            const COLUMNS: &[$crate::Column<$row>] = &[$($column),*];

            impl $crate::Described for $row {
                const NAME: &'static str = $name;
                const DOC: &'static str = $doc;

                fn sheet() -> &'static $crate::Sheet {
                    static SHEET: std::sync::OnceLock<$crate::Sheet> = std::sync::OnceLock::new();
                    SHEET.get_or_init(|| $crate::Column::sheet(COLUMNS))
                }

                fn value(&self, leaf: usize) -> $crate::Cell<'_> {
                    let sheet = <Self as $crate::Described>::sheet();
                    $crate::Column::cell(COLUMNS, sheet, self, leaf)
                }
            }
        };
    };
}
