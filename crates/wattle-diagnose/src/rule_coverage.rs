//! The number of rules that could look.

use serde::{Deserialize, Serialize};

/// The rules that were asked for, by whether the recording has what they look at. A recording without findings says something only as
/// far as rules looked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleCoverage {
    /// Rules that looked.
    pub looked: u32,
    /// Rules whose data the recording does not have.
    pub without_data: u32,
    /// Rules about idle time, where none is known.
    pub without_idle: u32,
}

impl RuleCoverage {
    /// All rules that were asked for.
    pub fn asked(self) -> u32 {
        self.looked + self.without_data + self.without_idle
    }
}
