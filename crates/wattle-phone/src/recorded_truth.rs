//! The ground truth of recordings.

use wattle_sim::Truth;
use wattle_units::BootNanos;

/// The ground truth of a recording that a simulated phone has made.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedTruth {
    /// The file on the phone that the trace was written to.
    pub path: String,
    /// When it began and ended, in boot time.
    pub window: (BootNanos, BootNanos),
    /// Actions that were too many to be kept.
    pub unkept: u64,
    /// Who drew what.
    pub truth: Truth,
    /// The phone's device model for estimators: a `wattle-device-model/1` file.
    pub device_model: String,
}
