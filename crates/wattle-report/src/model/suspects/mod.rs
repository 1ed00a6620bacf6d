//! Suspicious methods over many tests, after GreenDroid: tests of which the app drew more than the mean power are *excessive*, and
//! methods that ran in them and rarely elsewhere are suspect.

mod at_stake;
mod comparison;
mod known_methods;
mod merged_methods;
mod method_name;
mod report;
mod rows;
mod sample;
mod threshold;
mod usable;

pub use comparison::{COMPARISON_SCHEMA, SuspectsComparison};
pub use report::SuspectsReport;
pub use rows::{LeftOutRow, SuspectClassRow, SuspectLedgerRow, SuspectMethodRow, SuspectTestRow};
pub use sample::SuspectsSample;
