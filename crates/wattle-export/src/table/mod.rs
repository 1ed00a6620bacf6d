//! The tables of CSV and Parquet.

mod accounts;
mod bookings;
mod cell;
mod column;
mod components;
mod kind;
mod paths;
mod series;
mod stretches;
mod threads;

pub use cell::Cell;
pub use column::{Column, ColumnType};
pub use kind::TableKind;

/// Takes rows.
pub(crate) type Sink<'a> = &'a mut dyn FnMut(&[Cell<'_>]) -> Result<(), crate::ExportError>;
