//! Options of human units.

use super::{GridCarbon, ReferenceDevice};

/// In whose terms energy is shown.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HumanOptions {
    /// The device whose activities are counted. Default is `None`: the recorded device where the library has it, else the
    /// library's usual one.
    pub reference: Option<ReferenceDevice>,
    /// The grid. Default is the world's average.
    pub carbon: GridCarbon,
}

impl Default for HumanOptions {
    fn default() -> Self {
        Self { reference: None, carbon: GridCarbon::library() }
    }
}
