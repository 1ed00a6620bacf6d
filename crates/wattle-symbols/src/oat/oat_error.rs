//! Why methods of an OAT file cannot be named.

/// Why the methods of an OAT file cannot be named.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OatError {
    /// Its version is older or newer than those whose structure is known.
    #[error("its version is {found}; expected 138 to 275 (Android 9 to 16)")]
    Version {
        /// The version as the header has it.
        found: String,
    },
    /// Its header or its list of executables ends early.
    #[error("the file is damaged: {part} ends early")]
    Truncated {
        /// The part of the file.
        part: &'static str,
    },
}
