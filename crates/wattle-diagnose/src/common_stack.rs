//! Common beginnings of call stacks, from the root.

use serde::{Deserialize, Serialize};
use wattle_units::Estimate;

/// Text that Intel's analyzer writes if no two stacks have a root in common.
pub const NO_COMMON_STACK: &str = "No common stack";

/// A frame as tables show it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StackFrame {
    /// `module!function`, `module+0x1a2b` where there is no symbol, `0x7ff…` where not even a module is known; Java methods as Java
    /// writes them.
    pub text: String,
    /// The source file and line, where symbols tell them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// The frames that the stacks of a region have in common, outermost frame first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CommonStack {
    /// Frames with which all of them begin; empty is [`NO_COMMON_STACK`].
    pub strict: Vec<StackFrame>,
    /// Frames with which at least [`crate::StackOptions::majority`] of them begin; at least as long as `strict`.
    pub majority: Vec<StackFrame>,
    /// The part of the stacks that have the whole of `majority`, 0 to 1.
    pub majority_share: f64,
    /// Number of stacks.
    pub stacks: u64,
    /// Number of these stacks taken at switches; the others are samples.
    pub switch_stacks: u64,
}

/// Regions with one strict common stack, over all threads (Intel's first table).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StackGroup {
    /// The stack, outermost frame first; empty is [`NO_COMMON_STACK`].
    pub stack: Vec<StackFrame>,
    /// Indices into [`crate::Diagnosis::regions`], highest CPU use first.
    pub regions: Vec<u32>,
    /// Mean of the regions' CPU use; groups are in descending order of it.
    pub cpu_use: f64,
    /// Energy of the regions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<Estimate>,
    /// Potential saving.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saved: Option<Estimate>,
}
