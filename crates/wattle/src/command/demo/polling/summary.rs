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
pub struct Summary {
    pub schema: &'static str,
    pub seeds: Vec<u64>,
    pub rows: Vec<Row>,
    /// The paper's run time at 100 ms relative to that at 1000 ms.
    pub paper_run_time_at_100_ms: f64,
}

/// One period.
#[derive(Debug, Serialize)]
pub struct Row {
    pub period_ms: u32,
    pub runs: Vec<Run>,
    pub paper: Option<Paper>,
}

/// One run.
#[derive(Debug, Serialize)]
pub struct Run {
    pub seed: u64,
    pub counted_bytes: f64,
    pub allocated_bytes: f64,
    pub hooked_bytes: f64,
    pub total_error: f64,
    pub allocation_variance: f64,
    pub calls: u64,
    pub intervals: u64,
    pub intervals_without_call: u64,
    pub poller_cpu_s: f64,
    pub poller_joules: Joules,
    pub poller_interval_joules: Interval,
    pub poller_provenance: Provenance,
    pub task_s: f64,
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
