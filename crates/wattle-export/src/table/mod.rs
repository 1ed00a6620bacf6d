//! The tables of CSV and Parquet.

mod accounts;
mod bookings;
mod cell;
mod components;
mod paths;
mod series;
mod stretches;
mod table_column;
mod table_kind;
mod threads;

pub use cell::Cell;
pub use table_column::{Column, ColumnType};
pub use table_kind::TableKind;

/// Takes rows.
pub(crate) type Sink<'a> = &'a mut dyn FnMut(&[Cell<'_>]) -> Result<(), crate::ExportError>;
