//! Views of a diagnosis: three CSV files, JSON, SARIF, text for a terminal. Its page is [`crate::diagnosis_html`].
//!
//! All of them are made from a [`Diagnosis`](wattle_diagnose::Diagnosis) alone and say the same; `docs/diagnosis-output.md` has their columns
//! and keys. Indices of a diagnosis that point nowhere (it may have come from a file) leave a cell empty.

mod csv;
pub(crate) mod disk_times;
mod json;
pub(crate) mod label;
mod sarif;
mod terminal;

pub use self::csv::{CsvFile, csv_files};
pub use self::json::json;
pub use self::sarif::{REGION_RULE, sarif};
pub use self::terminal::terminal;
