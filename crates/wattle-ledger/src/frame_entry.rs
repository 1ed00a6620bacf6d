//! Frames of sampled stacks that a ledger's call paths are of.

use serde::{Deserialize, Serialize};

/// The kind of code of a frame. The last three stand for time that samples do not explain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FrameClass {
    /// Machine code of a file.
    Native,
    /// The kernel.
    Kernel,
    /// Java or Kotlin, interpreted or compiled ahead of time.
    Java,
    /// Java or Kotlin, compiled while the app ran.
    Jit,
    /// Functions without a name, all of a file together.
    Unknown,
    /// Stands for the callers that are missing where a stack ends before the thread's first function.
    Truncated,
    /// Time on a CPU that no sample stands for.
    Unsampled,
}

impl FrameClass {
    /// The word in files and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Kernel => "kernel",
            Self::Java => "java",
            Self::Jit => "jit",
            Self::Unknown => "unknown",
            Self::Truncated => "truncated",
            Self::Unsampled => "unsampled",
        }
    }
}

/// A frame: a function in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FrameEntry {
    /// The kind of code.
    pub class: FrameClass,
    /// The function; `None` where nothing names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The file that it lies in (`/apex/…/libc.so`, `[kernel.kallsyms]`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mapping: Option<String>,
    /// Whether the compiler put it in the place of its call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schemars(extend("const" = true)))]
    pub inlined: bool,
    /// The source file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}
