//! The languages whose declarations are read.

use std::path::Path;

/// A language whose declarations are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Kotlin.
    Kotlin,
    /// Java.
    Java,
    /// C, C++, Rust: code whose functions have no classes here; symbols state lines in them.
    Native,
}

/// Endings of native sources.
const NATIVE: [&str; 10] = ["c", "cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "rs", "inl"];

impl Language {
    /// The language of a file by its ending; `None` for other files.
    pub fn of_path(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "kt" | "kts" => Some(Self::Kotlin),
            "java" => Some(Self::Java),
            other => NATIVE.contains(&other).then_some(Self::Native),
        }
    }
}
