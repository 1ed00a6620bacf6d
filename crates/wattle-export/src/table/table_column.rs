//! Columns of a table.

/// Type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// UTF-8.
    Text,
    /// 64 bits with a sign.
    Integer,
    /// IEEE 754, 64 bits.
    Float,
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name, the first line of CSV.
    pub name: &'static str,
    /// Type of its values.
    pub kind: ColumnType,
    /// Their unit, in the words of UCUM (`J`, `ns`, `W`); none of numbers and texts.
    pub unit: Option<&'static str>,
    /// Meaning of its values.
    pub description: &'static str,
}

/// A column of text.
pub const fn text(name: &'static str, description: &'static str) -> Column {
    Column { name, kind: ColumnType::Text, unit: None, description }
}

/// A column of whole numbers: rows of other tables, counts, the kernel's numbers.
pub const fn number(name: &'static str, description: &'static str) -> Column {
    Column { name, kind: ColumnType::Integer, unit: None, description }
}

/// A column of nanoseconds.
pub const fn nanos(name: &'static str, description: &'static str) -> Column {
    Column { name, kind: ColumnType::Integer, unit: Some("ns"), description }
}

/// A column of joules.
pub const fn joules(name: &'static str, description: &'static str) -> Column {
    Column { name, kind: ColumnType::Float, unit: Some("J"), description }
}

/// A column of watts.
pub const fn watts(name: &'static str, description: &'static str) -> Column {
    Column { name, kind: ColumnType::Float, unit: Some("W"), description }
}

/// Energy with what is known about its truth.
pub const ESTIMATE: [Column; 4] = [
    joules("joules", "energy; empty where none is known"),
    joules("joules_low", "lower end of its two-sided 90 % interval"),
    joules("joules_high", "upper end of its two-sided 90 % interval"),
    text("provenance", "the weakest of what it was made from: measured, modelled, assumed"),
];
