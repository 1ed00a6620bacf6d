//! Results of other tools as recordings.
//!
//! [`ImportPlan::read`] recognises the results and says which recordings they hold; [`ImportPlan::write`] copies their files into
//! folders with a `recording.json`, which everything that reads recordings reads. Files are taken as they are: whether one can be read is
//! for who reads the recording.
//!
//! | tool | read | becomes |
//! |---|---|---|
//! | Macrobenchmark | `…benchmarkData.json` and the traces that it names | a series for each test |
//! | Android Runner | `data/DEVICE/SUBJECT/PLUGIN/…` below an output folder | a series for each device and subject |
//! | Android Studio and others | traces on their own | a recording for each |
//!
//! Results without anything that energy could be estimated from are refused with that reason ([`ImportError::NoEnergy`]).

mod benchmark_data;
mod file_listing;
mod flashlight_result;
mod import_error;
mod import_plan;
mod json_file;
mod loose_traces;
mod macrobenchmark;
mod planned_run;
mod planned_series;
mod recognition;
mod runner_output;
mod tool;

pub use import_error::ImportError;
pub use import_plan::ImportPlan;
pub use planned_run::{PlannedFile, PlannedRun};
pub use planned_series::PlannedSeries;
pub use tool::Tool;
