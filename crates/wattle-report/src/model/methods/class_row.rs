//! One class, and one package of classes.

use wattle_table::{Column, describe};

use super::CodeMeasures;

/// One class of the app.
#[derive(Clone, Debug)]
pub struct ClassRow {
    /// Its name as Java writes it; `None` for slices of which only the name is known.
    pub name: Option<String>,
    /// Its package; empty for the default one.
    pub package: Option<String>,
    /// Sums over its methods.
    pub sums: GroupSums,
}

/// The name in views of a class or package.
fn title(name: Option<&str>, unnamed: &str) -> String {
    match name {
        None => "(no class)".to_owned(),
        Some("") => unnamed.to_owned(),
        Some(name) => name.to_owned(),
    }
}

describe!(
    ClassRow,
    "class",
    "a class",
    [
        Column::maybe_text(
            "name",
            "null for slices of which only the name is known",
            |row: &ClassRow| row.name.as_deref()
        ),
        Column::made("class", "class as Java writes it", |row: &ClassRow| title(
            row.name.as_deref(),
            ""
        ))
        .label("class")
        .elastic(),
        Column::maybe_text("package", "empty for the default one", |row: &ClassRow| row
            .package
            .as_deref()),
        Column::flat::<GroupSums>(|row: &ClassRow| &row.sums),
    ]
);

/// One package of classes.
#[derive(Clone, Debug)]
pub struct CodePackageRow {
    /// Its name, empty for the default one; `None` for slices of which only the name is known.
    pub name: Option<String>,
    /// Its classes of which a method ran.
    pub classes: usize,
    /// Sums over its methods.
    pub sums: GroupSums,
}

describe!(
    CodePackageRow,
    "package",
    "a package of classes",
    [
        Column::maybe_text(
            "name",
            "empty for the default one, null for slices of which only the name is known",
            |row: &CodePackageRow| row.name.as_deref()
        ),
        Column::made("package", "package", |row: &CodePackageRow| title(
            row.name.as_deref(),
            "(default package)"
        ))
        .label("package")
        .elastic(),
        Column::count("classes", "its classes of which a method ran", |row: &CodePackageRow| row
            .classes
            as u64)
        .label("classes"),
        Column::flat::<GroupSums>(|row: &CodePackageRow| &row.sums),
    ]
);

/// Sums over the methods of a class or package.
#[derive(Clone, Debug)]
pub struct GroupSums {
    /// Its methods that ran.
    pub methods: usize,
    /// Their energies and calls.
    pub measures: CodeMeasures,
}

describe!(
    GroupSums,
    "group_sums",
    "sums over the methods of a class or package",
    [
        Column::count("methods", "its methods that ran", |row: &GroupSums| row.methods as u64)
            .label("methods"),
        Column::flat::<CodeMeasures>(|row: &GroupSums| &row.measures),
    ]
);
