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
mod display_names;
mod energy_schedule;
mod energy_sheet;
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
pub mod json;
pub mod parquet_tables;
pub mod perfetto;
mod power_bins;
pub mod pprof;
mod remarks;
mod rounding;
mod schedule_slices;
pub mod speedscope;
mod stack_frames;
mod table;
mod time_mark;

pub use energy_schedule::{Piece, Schedule};
pub use energy_sheet::{Payer, Row, Sheet};
pub use energy_unit::EnergyUnit;
pub use error::ExportError;
pub use export::write;
pub use export_options::ExportOptions;
pub use extract::Extract;
pub use filter::Filter;
pub use format::Format;
pub use format_entry::{FormatEntry, Times};
pub use schedule_slices::{Change, Lane, Slice};
pub use stack_frames::{Frame, FrameId, FrameKind, Frames};
pub use table::{Cell, Column, ColumnType, TableKind};
pub use time_mark::Mark;
