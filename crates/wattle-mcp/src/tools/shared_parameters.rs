//! Parameters that several tools have.

use super::{ParameterKind, ToolParameter};

/// The recording that a question is about.
pub const RECORDING: ToolParameter = ToolParameter::new(
    "recording",
    ParameterKind::Text,
    "Handle (r1), path or run:N [default: the one used last]",
);
/// The device of kept runs.
pub const DEVICE: ToolParameter =
    ToolParameter::new("device", ParameterKind::Text, "Runs on this device: a part of its name");
/// The scenario of kept runs.
pub const SCENARIO: ToolParameter = ToolParameter::new(
    "scenario",
    ParameterKind::Text,
    "Runs of this scenario: a part of its name",
);
/// The branch of kept runs.
pub const BRANCH: ToolParameter =
    ToolParameter::new("branch", ParameterKind::Text, "Runs of this branch");
