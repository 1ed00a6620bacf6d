//! Accuracy of every model: importers of published data sets, the models that are judged on them, the table of errors.
//!
//! Recordings with power rails are judged by the code that makes reports of them.
//!
//! A data set is files that the user points at. Each is known by its content. Nothing is fetched, and nothing of a data set is
//! part of this crate.

mod android_runner;
mod androwatts;
mod archive;
mod demand;
mod error;
mod error_line;
mod error_table;
mod freqbench;
mod judge;
mod judge_options;
mod published;
mod rails;
mod sheet;
mod source;
mod terminal_text;

pub use demand::{Demand, DemandError};
pub use error::AccuracyError;
pub use error_line::{Line, Role};
pub use error_table::{SCHEMA, SetEntry, Table};
pub use judge::judge;
pub use judge_options::Options;
pub use published::{PUBLISHED, Published};
pub use terminal_text::terminal;
