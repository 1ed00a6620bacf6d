//! Options of a reader besides the files.

use wattle_import::UnpackBudget;
use wattle_meters::MeterOptions;

/// Facts about files that the user states because the files do not.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Files of power meters.
    pub meter: MeterOptions,
    /// Read the files as one recording even if they contradict each other.
    pub join: bool,
    /// Bytes that packed input may unpack to. Recordings that are read with clones of it share it.
    pub unpacking: UnpackBudget,
}
