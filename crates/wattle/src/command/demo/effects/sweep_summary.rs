//! Errors and coverage over all seeds. Field names are the keys of the JSON form, see `docs/demo-effects.md`.

use std::collections::BTreeMap;

use serde::Serialize;
use wattle_sim::Effects;

use super::figures::{Figures, Row};
use super::seed_run::{LEVELS, Run};
use crate::cli::SourcesMode;
use crate::command::demo::true_value::Level;

/// The name and version of the JSON form.
const SCHEMA: &str = "wattle-demo-effects/1";

/// Errors and coverage of simulated phones with effects that the estimator does not know.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Summary {
    /// Name and version of the form.
    #[cfg_attr(test, schemars(extend("const" = SCHEMA)))]
    pub schema: &'static str,
    /// Effects that are on, with their sizes.
    pub effects: BTreeMap<&'static str, f64>,
    /// Seeds of the simulated phones.
    pub seeds: Vec<u64>,
    /// Simulated seconds of each seed.
    pub seconds: f64,
    /// By sources that the estimator had.
    pub modes: Vec<ModeSummary>,
}

/// Figures of one mode.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ModeSummary {
    /// Sources that the estimator had: `counters` is rails and hardware counters, `rails` is rails alone, `no-rails` is
    /// neither.
    pub mode: &'static str,
    /// By level.
    pub levels: Vec<LevelSummary>,
}

/// Figures of one level.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LevelSummary {
    /// The kind of its rows.
    pub level: &'static str,
    /// Rows of less than this share of the true energy of the processor or device that they are a part of are left out.
    pub least_share: f64,
    /// Over the rows of all seeds; `null` without rows.
    pub pooled: Option<Figures>,
    /// Mean over seeds of each seed's bias; `null` without rows.
    pub mean_seed_bias: Option<f64>,
    /// The seed with the largest weighted error; `null` without rows.
    pub worst: Option<WorstSeed>,
    /// The least coverage of any seed, 0 to 1; `null` without rows.
    pub least_coverage: Option<f64>,
}

/// Figures of one seed.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WorstSeed {
    /// The seed.
    pub seed: u64,
    /// Its figures.
    pub figures: Figures,
}

impl Summary {
    /// Sums up runs, in their order.
    pub fn new(effects: &Effects, modes: &[SourcesMode], seconds: f64, runs: &[Run]) -> Self {
        let modes = modes.iter().enumerate().map(|(place, mode)| ModeSummary {
            mode: mode.name(),
            levels: (0..LEVELS.len())
                .map(|level| LevelSummary::new(level, runs, |run| &run.modes[place][level]))
                .collect(),
        });
        Self {
            schema: SCHEMA,
            effects: effects.iter().map(|(effect, size)| (effect.name(), size)).collect(),
            seeds: runs.iter().map(|run| run.seed).collect(),
            seconds,
            modes: modes.collect(),
        }
    }
}

impl LevelSummary {
    fn new<'a>(level: usize, runs: &'a [Run], rows: impl Fn(&'a Run) -> &'a Vec<Row>) -> Self {
        let pooled: Vec<Row> = runs.iter().flat_map(&rows).copied().collect();
        let by_seed: Vec<WorstSeed> = runs
            .iter()
            .filter_map(|run| Some(WorstSeed { seed: run.seed, figures: Figures::new(rows(run))? }))
            .collect();
        let biases: Vec<f64> = by_seed.iter().map(|it| it.figures.bias).collect();
        let (kind, least_share) = LEVELS[level];
        Self {
            level: name(kind),
            least_share,
            pooled: Figures::new(&pooled),
            mean_seed_bias: (!biases.is_empty())
                .then(|| biases.iter().sum::<f64>() / biases.len() as f64),
            worst: by_seed
                .iter()
                .max_by(|a, b| a.figures.weighted_error.total_cmp(&b.figures.weighted_error))
                .copied(),
            least_coverage: by_seed.iter().map(|it| it.figures.coverage).reduce(f64::min),
        }
    }
}

/// The name of a level in the JSON form and in the table.
const fn name(level: Level) -> &'static str {
    match level {
        Level::Total => "total",
        Level::Cpu => "cpu",
        Level::Component => "component",
        Level::Device => "device",
        Level::Account => "account",
        Level::Process => "process",
        Level::Thread => "thread",
        Level::Method => "method",
    }
}
