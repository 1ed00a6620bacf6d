//! Several runs of one scenario, of one build or of two that took turns.

mod build;
mod difference;
mod series_part;
mod series_report;
mod series_run;
mod series_text;

pub use build::BuildRow;
pub use difference::{ChangeColumns, DifferenceRow, PartDifferenceRow};
pub use series_part::SeriesPart;
pub use series_report::{SERIES_SCHEMA, SeriesReport};
pub use series_run::SeriesRun;
pub use series_text::series_terminal;
