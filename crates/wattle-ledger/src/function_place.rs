//! The place of a sampled function in a source file.

use serde::{Deserialize, Serialize};

/// The place of a sampled function in a source file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionPlace {
    /// Its steady name.
    pub function: String,
    /// The file, as symbols state it.
    pub file: String,
    /// The first and the last line of it that was sampled or called from, from 1.
    pub lines: [u32; 2],
}
