//! What a reader is told beside the files.

use crate::MeterOptions;

/// What a user says of files that the files do not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// Files of power meters.
    pub meter: MeterOptions,
}
