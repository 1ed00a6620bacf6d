//! Facts about a run that histories are searched and grouped by.

use serde::{Deserialize, Serialize};

/// Facts about a run. Unknown ones are absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunFacts {
    /// The app and its build.
    pub app: AppBuild,
    /// The state of the source code.
    pub code: CodeVersion,
    /// The device and its model.
    pub device: RunDevice,
    /// The run itself.
    pub circumstances: Circumstances,
    /// Labels of a series.
    pub labels: RunLabels,
}

/// The app of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AppBuild {
    /// Its package name; empty for a run of the whole device.
    pub package: String,
    /// `versionName`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version_name: Option<String>,
    /// `versionCode`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version_code: Option<u64>,
    /// SHA-256 of the installed base package, in hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// The commit that an app was built from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CodeVersion {
    /// The commit's name, in hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Whether files differed from the commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dirty: Option<bool>,
}

/// The device of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunDevice {
    /// The identity of the very device: its serial number, or the best that a recording contains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Its name for people (`Pixel 6a`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The device model behind the figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_name: Option<String>,
    /// Its version; figures of two versions are not comparable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_version: Option<u32>,
}

/// Circumstances of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Circumstances {
    /// The scenario, as a person would name it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scenario: Option<String>,
    /// The state of the device right before the run, as in `recording.json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conditions: Option<serde_json::Value>,
    /// The program that recorded it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Its beginning, Unix milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_ms: Option<i64>,
    /// The length of the period that the ledger covers, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_s: Option<f64>,
    /// Outcome: `passed`, `failed`, `crashed`, `skipped`, `interrupted`; absent where nothing judged the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
}

/// Labels that tell runs of one app apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunLabels {
    /// The series that the run is part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<String>,
    /// The build, where two take turns (`A`, `B`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// The number of the run in its series.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u32>,
}
