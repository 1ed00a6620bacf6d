//! The app that was looked at.

use serde::{Deserialize, Serialize};

/// The app of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AppFacts {
    /// Its package name.
    pub package: String,
    /// `versionName`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version_name: Option<String>,
    /// `versionCode`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version_code: Option<u64>,
    /// Its uid on this device, of the user that ran it (user × 100,000 + app id).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<u32>,
    /// Label of the build where two builds of one app are compared (`A`, `B`, a file name).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// SHA-256 of the (base) package that was installed, in hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// SHA-256 of the probe map of what was installed, where it has probes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe_map: Option<String>,
    /// Sink to which the probes write (`trace`, `file`, `logcat`, `navitas`, `orka`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sink: Option<String>,
}
