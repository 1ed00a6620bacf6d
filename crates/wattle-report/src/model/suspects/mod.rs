//! Suspicious methods over many tests, after GreenDroid: tests of which the app drew more than the mean power are *excessive*, and
//! methods that ran in them and rarely elsewhere are suspect.

mod at_stake;
mod known_methods;
mod merged_methods;
mod method_name;
mod sample;
mod suspect_rows;
mod suspects_comparison;
mod suspects_report;
mod threshold;
mod usable;

pub use sample::SuspectsSample;
pub use suspect_rows::{
    LeftOutRow, SuspectClassRow, SuspectLedgerRow, SuspectMethodRow, SuspectTestRow,
};
pub use suspects_comparison::{COMPARISON_SCHEMA, SuspectsComparison};
pub use suspects_report::SuspectsReport;
