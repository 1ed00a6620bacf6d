//! Options of a reader besides the files.

#[cfg(doc)]
use wattle_import::UnpackBudget;
use wattle_meters::MeterOptions;

/// Facts about files that the user states because the files do not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// Files of power meters.
    pub meter: MeterOptions,
    /// Read the files as one recording even if they contradict each other.
    pub join: bool,
    /// Bytes that packed input may unpack to; `None` for the default of [`UnpackBudget`].
    pub unpack_limit: Option<u64>,
}
