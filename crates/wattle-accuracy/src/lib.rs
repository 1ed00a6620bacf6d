//! Accuracy of every model: importers of published data sets, the models that are judged on them, the table of errors.
//!
//! A data set is files that the user points at. Each is known by its content. Nothing is fetched, and nothing of a data set is
//! part of this crate.

mod android_runner;
mod androwatts;
mod archive;
mod demand;
mod error;
mod freqbench;
mod judge;
mod line;
mod options;
mod published;
mod sheet;
mod source;
mod table;
mod terminal;

pub use demand::{Demand, DemandError};
pub use error::AccuracyError;
pub use judge::judge;
pub use line::{Line, Role};
pub use options::Options;
pub use published::{PUBLISHED, Published};
pub use table::{SCHEMA, SetEntry, Table};
pub use terminal::terminal;
