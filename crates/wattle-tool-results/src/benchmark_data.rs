//! The file `…benchmarkData.json` of AndroidX Benchmark.
//!
//! Its form is that of `androidx.benchmark.json.BenchmarkData`; older versions lack some keys.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// The whole file.
#[derive(Debug, Deserialize)]
pub(crate) struct BenchmarkData {
    pub(crate) context: Context,
    pub(crate) benchmarks: Vec<TestResult>,
}

/// The device.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Context {
    pub(crate) build: Build,
    pub(crate) cpu_core_count: u32,
    pub(crate) cpu_locked: Option<bool>,
    pub(crate) compilation_mode: Option<String>,
}

/// `android.os.Build`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Build {
    pub(crate) brand: Option<String>,
    pub(crate) device: Option<String>,
    pub(crate) fingerprint: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) version: Version,
}

/// `android.os.Build.VERSION`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Version {
    pub(crate) sdk: Option<u32>,
}

/// One test with its iterations.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TestResult {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) class_name: String,
    /// By name; `runs` has a number for each iteration.
    #[serde(default)]
    pub(crate) metrics: BTreeMap<String, Value>,
    #[serde(default)]
    pub(crate) repeat_iterations: Option<u32>,
    #[serde(default)]
    pub(crate) profiler_outputs: Option<Vec<ProfilerOutput>>,
}

/// A file beside this one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ProfilerOutput {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) label: String,
    pub(crate) filename: String,
}
