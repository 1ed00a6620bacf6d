//! `wattle accuracy`: the table of errors on measured data.

use std::path::Path;

use anyhow::Context as _;
use wattle_accuracy::{AccuracyError, Demand, Options, judge, terminal};

use crate::cli::Accuracy;
use crate::command::output;
use crate::exit::{Failure, Outcome};

/// Runs `wattle accuracy`.
pub fn run(accuracy: &Accuracy) -> Outcome {
    let demands: Vec<Demand> = accuracy
        .require
        .iter()
        .map(|text| text.parse().with_context(|| format!("--require {text}")))
        .collect::<Result<_, _>>()
        .map_err(Failure::Usage)?;
    let options = Options {
        set: accuracy.set.clone(),
        seed: accuracy.seed,
        folds: usize::from(accuracy.folds),
        ..Options::default()
    };
    let table = judge(&accuracy.data, &options).map_err(|error| match error {
        AccuracyError::NoSuchSet { .. } => Failure::Usage(error.into()),
        _ => Failure::Input(error.into()),
    })?;
    if let Some(path) = &accuracy.json {
        output::write_json(path, &table)?;
    }
    if !accuracy.quiet && !output::is_stdout(accuracy.json.as_deref().map(Path::new)) {
        output::print(terminal(&table).as_bytes())?;
    }
    let broken: Vec<String> = demands.iter().flat_map(|demand| demand.broken(&table)).collect();
    if broken.is_empty() {
        return Ok(());
    }
    Err(Failure::Refused(anyhow::anyhow!("{}", broken.join("; "))))
}
