//! A ledger in the formats of other programs: profilers (pprof, Firefox Profiler, speedscope, collapsed stacks, Perfetto, Chrome)
//! and tables (CSV, JSON, Parquet).
//!
//! Every export sums to the ledger's total, to the rounding of its unit. Formats that count in whole numbers share the rest of
//! rounding out ([`Sheet`]), so that their sum is the nearest whole number to the total.
//!
//! Apart from `wattle-report` because of what it needs: Arrow and Parquet are the heaviest things that Wattle links.

mod arrow_schema;
pub mod chrome;
pub mod csv_tables;
mod energy_unit;
mod error;
mod export;
mod export_options;
mod extract;
mod filter;
pub mod firefox;
pub mod folded;
mod format;
mod format_entry;
mod frames;
pub mod json;
mod names;
pub mod parquet_tables;
pub mod perfetto;
mod power;
pub mod pprof;
mod remarks;
mod rounding;
mod schedule;
mod sheet;
mod slices;
pub mod speedscope;
mod table;

pub use energy_unit::EnergyUnit;
pub use error::ExportError;
pub use export::write;
pub use export_options::ExportOptions;
pub use extract::Extract;
pub use filter::Filter;
pub use format::Format;
pub use format_entry::{FormatEntry, Times};
pub use frames::{Frame, FrameId, FrameKind, Frames};
pub use schedule::{Piece, Schedule};
pub use sheet::{Payer, Row, Sheet};
pub use slices::{Change, Lane, Slice};
pub use table::{Cell, Column, ColumnType, TableKind};
