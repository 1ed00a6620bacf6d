//! Errors in a device model or a profile.

/// Why a device model, a power profile or an estimate could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PowerError {
    /// The text is not TOML, or not of the fields of `wattle-device-model/1`.
    #[error("{name}: expected a device model in TOML, or a power_profile.xml: {reason}")]
    DeviceModelSyntax {
        /// The file.
        name: String,
        /// Message of the TOML reader, with line and column.
        reason: String,
    },
    /// The text is a device model whose figures contradict each other.
    #[error("{name}: device model: expected {expected}, found {found}")]
    DeviceModelValue {
        /// The file.
        name: String,
        /// Requirement of the format.
        expected: &'static str,
        /// Content found, and its place.
        found: String,
    },
    /// The text is not an Android power profile.
    #[error("{name}: not a power_profile.xml: {reason}")]
    ProfileSyntax {
        /// The file.
        name: String,
        /// Message of the XML reader, or the missing element.
        reason: String,
    },
    /// Neither TOML nor XML.
    #[error(
        "{name}: expected a device model (TOML, `format = \"wattle-device-model/1\"`) or a \
         power_profile.xml, found {found}"
    )]
    UnknownModelFile {
        /// The file.
        name: String,
        /// Apparent content of the file.
        found: String,
    },
    /// The text is not a table of API costs, or one that cannot be.
    #[error("{name}: not a table of API costs: {reason}")]
    ApiCosts {
        /// The file, or the table.
        name: String,
        /// Expected content, and content found.
        reason: String,
    },
}
