//! Summary of an instrumentation, for people and scripts.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use wattle_apk::{ApkSet, Leftover};
use wattle_probe::{CallRefusal, Instrumented, InstrumentedPackage, Sink, SkipReason, Stage};

use crate::cli::Instrument;

/// The summary.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Summary {
    /// Name and version of the form.
    #[cfg_attr(test, schemars(extend("const" = "wattle-instrument/1")))]
    schema: &'static str,
    /// Nothing was written.
    pub dry_run: bool,
    /// Files read.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub input: Vec<String>,
    /// Files written, without the probe map; those that would be written with `dry_run`.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub output: Vec<String>,
    /// The app's package; absent for a bare .dex file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// The kind of code that got probes.
    #[cfg_attr(test, schemars(extend("enum" = ["methods", "apis", "both"])))]
    pub mode: &'static str,
    /// The sink to which they write.
    #[cfg_attr(test, schemars(extend("enum" = ["trace", "logcat", "file", "navitas", "orka"])))]
    pub sink: &'static str,
    /// Whether the app times its probes when it starts.
    #[serde(skip)]
    pub is_timed: bool,
    /// The file of the key that signed the packages, or words for Wattle's own; absent without a signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signed_with: Option<String>,
    /// The packages that count as the app's own, where they decided.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub own_packages: Vec<String>,
    /// The probe map.
    pub map: Map,
    /// Counts of classes, methods and calls.
    #[serde(flatten)]
    pub counts: Counts,
    /// Parts that were dropped, since they do not fit changed code.
    pub dropped: Vec<String>,
    /// Notes to read before installing.
    pub notes: Vec<String>,
    /// Bytes read.
    pub bytes_in: u64,
    /// Bytes written, without the probe map.
    pub bytes_out: u64,
    /// Seconds by stage.
    #[cfg_attr(test, schemars(extend(
        "required" = ["read", "plan", "map", "write", "total"],
        "additionalProperties" = { "type": "number", "minimum": 0 }
    )))]
    pub seconds: BTreeMap<&'static str, f64>,
}

/// Counts of an instrumentation. Its keys lie beside those of the summary.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Counts {
    /// Classes.
    pub classes: u64,
    /// Methods that have code.
    pub methods_with_code: u64,
    /// Methods that got probes.
    pub methods_probed: u64,
    /// Methods that got none, by reason.
    #[cfg_attr(test, schemars(extend("propertyNames" = { "enum": [
        "abstract", "native", "out-of-scope", "short", "over-budget", "no-calls", "calls-refused", "monitor-leak", "frame-full", "too-large",
        "unverifiable", "refused"
    ] })))]
    pub skipped: BTreeMap<&'static str, u64>,
    /// The reasons as values, for their meanings.
    #[serde(skip)]
    pub reasons: Vec<(SkipReason, u64)>,
    /// Methods that were asked for and cannot be touched.
    pub left_out: Vec<LeftOut>,
    /// Calls into the framework that got probes.
    pub api_call_sites: u64,
    /// Calls that were asked for and cannot get probes, by reason.
    pub calls_left_out: BTreeMap<&'static str, u64>,
    /// These reasons as values, for their meanings.
    #[serde(skip)]
    pub call_reasons: Vec<(CallRefusal, u64)>,
}

impl Counts {
    fn new(code: &Instrumented) -> Self {
        let counts = &code.counts;
        Self {
            classes: counts.classes,
            methods_with_code: counts.methods_with_code,
            methods_probed: counts.methods_probed,
            skipped: counts.skipped.iter().map(|(reason, count)| (reason.name(), *count)).collect(),
            reasons: counts.skipped.iter().map(|(reason, count)| (*reason, *count)).collect(),
            left_out: code
                .left_out
                .iter()
                .map(|it| LeftOut { method: it.method.clone(), reason: it.reason.name() })
                .collect(),
            api_call_sites: counts.api_call_sites,
            calls_left_out: counts
                .calls_left_out
                .iter()
                .map(|(reason, count)| (reason.name(), *count))
                .collect(),
            call_reasons: counts
                .calls_left_out
                .iter()
                .map(|(reason, count)| (*reason, *count))
                .collect(),
        }
    }
}

/// The probe map.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Map {
    /// Its file.
    pub file: String,
    /// Its name: the SHA-256 of the file.
    #[cfg_attr(test, schemars(regex(pattern = "^[0-9a-f]{64}$")))]
    pub id: String,
}

/// A method that was asked for and cannot be touched.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LeftOut {
    /// The method, as `Lclass;->name(params)return`.
    pub method: String,
    /// The reason.
    #[cfg_attr(test, schemars(extend("enum" = [
        "calls-refused", "monitor-leak", "frame-full", "too-large", "unverifiable", "refused"
    ])))]
    pub reason: &'static str,
}

impl Summary {
    /// Of code.
    pub fn new(instrument: &Instrument, code: &Instrumented) -> Self {
        let mut summary = Self {
            schema: "wattle-instrument/1",
            dry_run: instrument.dry_run,
            input: instrument
                .inputs
                .iter()
                .map(|path| path.to_string_lossy().into_owned())
                .collect(),
            output: Vec::new(),
            package: None,
            mode: code.mode.name(),
            sink: code.sink.name(),
            is_timed: !instrument.probing.no_calibration && is_timed(code.sink),
            signed_with: None,
            own_packages: Vec::new(),
            map: Map { file: String::new(), id: code.map_id.to_string() },
            counts: Counts::new(code),
            dropped: Vec::new(),
            notes: Vec::new(),
            bytes_in: 0,
            bytes_out: 0,
            seconds: BTreeMap::new(),
        };
        for (stage, time) in &code.stages {
            summary.stage(*stage, *time);
        }
        summary
    }

    /// Adds what is known of packages, and of what lies beside them and holds for the old bytes only.
    pub fn of_package(&mut self, set: &ApkSet, beside: &[Leftover], done: &InstrumentedPackage) {
        self.package = set.base().map(|base| base.manifest.package.clone());
        self.own_packages.clone_from(&done.own_packages);
        self.dropped = beside.iter().chain(&done.dropped).map(ToString::to_string).collect();
        self.notes = done.notes.iter().map(|note| note.text().to_owned()).collect();
    }

    /// Adds the time that a stage took.
    pub fn stage(&mut self, stage: Stage, time: Duration) {
        *self.seconds.entry(stage.name()).or_default() += time.as_secs_f64();
    }

    /// Adds the total of the stages.
    pub fn finish(&mut self) {
        let total: f64 = self.seconds.values().sum();
        self.seconds.insert("total", total);
    }
}

/// Whether probes of a sink can be timed: those in the lines of other tools cannot.
const fn is_timed(sink: Sink) -> bool {
    matches!(sink, Sink::Trace | Sink::Logcat | Sink::File)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use wattle_schema::SchemaFile;

    use super::*;

    #[test]
    fn the_committed_schema_is_that_of_the_types() {
        let file = SchemaFile::new::<Summary>(
            "instrument-1",
            "wattle-instrument/1",
            "The summary that `wattle instrument --json` writes.",
        );
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
        assert_eq!(file.check(&folder), Ok(()));
    }
}
