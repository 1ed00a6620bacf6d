//! Several runs of one scenario, of one build or of two that took turns.

mod build;
mod difference;
mod report;
mod run;
mod terminal;

pub use build::BuildRow;
pub use difference::{DifferenceRow, Verdict};
pub use report::{SERIES_SCHEMA, SeriesReport};
pub use run::SeriesRun;
pub use terminal::series_terminal;
