//! All runs beside the paper's figures. Field names are the keys of the JSON form, see `docs/polling-json.md`.

use serde::Serialize;
use wattle_units::{Interval, Joules, Provenance};

use super::measure::Measured;
use super::paper::{self, Paper};
use super::{PERIODS, REFERENCE};

/// The name and version of the JSON form.
const SCHEMA: &str = "wattle-polling/1";

/// The whole table.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Summary {
    /// Name and version of the form.
    #[cfg_attr(test, schemars(extend("const" = SCHEMA)))]
    pub schema: &'static str,
    /// Seeds of the runs of each period.
    pub seeds: Vec<u64>,
    /// One row a period.
    pub rows: Vec<Row>,
    /// The paper's run time at 100 ms relative to that at 1000 ms.
    pub paper_run_time_at_100_ms: f64,
}

/// One period.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Row {
    /// The period in milliseconds.
    pub period_ms: u32,
    /// Its runs.
    pub runs: Vec<Run>,
    /// The paper's figures; `None` where it has no row for the period.
    pub paper: Option<Paper>,
}

/// One run.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Run {
    /// The seed.
    pub seed: u64,
    /// Increase of the counters from the first poll to the last, received and sent.
    pub counted_bytes: f64,
    /// The part of them that was allocated to calls.
    pub allocated_bytes: f64,
    /// Bytes that the calls moved themselves, as a hook around each counts them: without headers, without other apps.
    pub hooked_bytes: f64,
    /// The paper's index 1: |counted − allocated| / counted, 0 to 1.
    #[cfg_attr(test, schemars(range(min = 0.0)))]
    pub total_error: f64,
    /// The paper's index 2: variance over calls of hooked minus allocated bytes, in bytes squared.
    #[cfg_attr(test, schemars(range(min = 0.0)))]
    pub allocation_variance: f64,
    /// Low-level calls.
    pub calls: u64,
    /// Intervals between polls.
    pub intervals: u64,
    /// Intervals in which bytes were counted while no call ran.
    pub intervals_without_call: u64,
    /// On-CPU time of the polling process.
    pub poller_cpu_s: f64,
    /// Its energy.
    #[cfg_attr(test, schemars(with = "f64"))]
    pub poller_joules: Joules,
    /// 90 % interval of its energy.
    #[cfg_attr(test, schemars(with = "[f64; 2]"))]
    pub poller_interval_joules: Interval,
    /// Provenance of its energy.
    #[cfg_attr(test, schemars(with = "String", extend("enum" = ["measured", "modelled", "assumed"])))]
    pub poller_provenance: Provenance,
    /// Run time of a task that shares the only core of a phone with the poller.
    pub task_s: f64,
    /// That run time relative to the one at 1000 ms.
    pub task_relative: f64,
}

impl Summary {
    pub fn new(seeds: Vec<u64>, measured: &[Measured]) -> Self {
        let reference = |seed: u64| {
            let same = |it: &&Measured| it.period_ms == REFERENCE && it.seed == seed;
            measured.iter().find(same).map_or(f64::NAN, |it| it.run_time.seconds())
        };
        let row = |period_ms: u32| Row {
            period_ms,
            runs: measured
                .iter()
                .filter(|it| it.period_ms == period_ms)
                .map(|it| Run::new(it, reference(it.seed)))
                .collect(),
            paper: paper::at(period_ms),
        };
        let rows = PERIODS.into_iter().map(row).collect();
        Self { schema: SCHEMA, seeds, rows, paper_run_time_at_100_ms: paper::RUN_TIME_AT_100_MS }
    }
}

impl Run {
    fn new(measured: &Measured, reference_s: f64) -> Self {
        let Measured { bytes, poller, .. } = measured;
        let task_s = measured.run_time.seconds();
        Self {
            seed: measured.seed,
            counted_bytes: bytes.counted,
            allocated_bytes: bytes.allocated,
            hooked_bytes: bytes.hooked,
            total_error: bytes.total_error,
            allocation_variance: bytes.allocation_variance,
            calls: bytes.calls,
            intervals: bytes.intervals,
            intervals_without_call: bytes.without_call,
            poller_cpu_s: measured.poller_cpu.seconds(),
            poller_joules: poller.joules,
            poller_interval_joules: poller.interval,
            poller_provenance: poller.provenance,
            task_s,
            task_relative: task_s / reference_s,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use wattle_schema::SchemaFile;

    use super::*;

    #[test]
    fn the_committed_schema_is_that_of_the_types() {
        let file = SchemaFile::new::<Summary>(
            "polling-1",
            "wattle-polling/1",
            "Cost and benefit of periods of polling. The keys are explained in docs/polling-json.md.",
        );
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
        assert_eq!(file.check(&folder), Ok(()));
    }
}
