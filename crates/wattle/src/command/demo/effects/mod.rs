//! `wattle demo --effects LIST`: errors and coverage of estimates on phones that are harder than their model.

mod figures;
mod seed_run;
mod sweep_summary;
mod sweep_table;

use std::path::Path;

use anyhow::Context as _;
use wattle_sim::{Effect, Effects, scenario};
use wattle_units::Nanos;

use self::seed_run::Run;
use self::sweep_summary::Summary;
use crate::cli::SourcesMode;
use crate::command::output;
use crate::exit::{Failure, Outcome};

/// Files that a single phone is written to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kept<'a> {
    /// For its trace.
    pub trace: Option<&'a Path>,
    /// For the model of phones of its kind.
    pub device_model: Option<&'a Path>,
}

/// The arguments of `wattle demo --effects`.
#[derive(Debug)]
pub struct Request<'a> {
    /// The effects, as the flag gives them.
    pub list: &'a str,
    /// Seeds of the phones.
    pub seeds: Vec<u64>,
    /// Simulated seconds of each.
    pub seconds: f64,
    /// Sources that the estimator has.
    pub modes: &'a [SourcesMode],
    /// Files for the trace and the model of a single phone.
    pub kept: Kept<'a>,
    /// The file for the figures as JSON.
    pub json: Option<&'a Path>,
    /// Whether the table is printed.
    pub prints: bool,
}

/// Runs `wattle demo --effects`.
pub fn run(request: &Request<'_>) -> Outcome {
    let mut effects: Effects = request.list.parse().context("--effects").map_err(Failure::Usage)?;
    if request.modes.contains(&SourcesMode::Counters) {
        effects = effects.with(Effect::Counters);
    }
    request.keep(&effects)?;
    let summary = summarize(request, &effects, 0)
        .context("profiling the simulated phones")
        .map_err(Failure::Internal)?;
    if let Some(path) = request.json {
        output::write_json(path, &summary)?;
    }
    if request.prints {
        output::print(sweep_table::page(&summary, &effects.to_string()).as_bytes())?;
    }
    Ok(())
}

impl Request<'_> {
    /// Writes the files of a single phone.
    fn keep(&self, effects: &Effects) -> Outcome {
        let Kept { trace, device_model } = self.kept;
        if trace.or(device_model).is_none() {
            return Ok(());
        }
        let [seed] = self.seeds[..] else {
            let message = "--trace and --device-model keep the files of one phone: add --seeds 1";
            return Err(Failure::Usage(anyhow::anyhow!(message)));
        };
        let simulated = scenario::mixed_apps(effects, Nanos::from_seconds(self.seconds), seed)
            .and_then(|simulation| simulation.run())
            .context("the simulated phone")
            .map_err(Failure::Internal)?;
        if let Some(path) = trace {
            output::write_file(path, &simulated.trace)?;
        }
        if let Some(path) = device_model {
            output::write_file(path, simulated.device_model.as_bytes())?;
        }
        Ok(())
    }
}

/// All seeds on so many workers; 0 for as many as the machine has. The result does not depend on their number.
fn summarize(request: &Request<'_>, effects: &Effects, workers: usize) -> anyhow::Result<Summary> {
    let length = Nanos::from_seconds(request.seconds);
    let workers = wattle_workers::available(workers);
    let runs = wattle_workers::ordered(workers, &request.seeds, |seed| {
        Run::new(effects, request.modes, length, *seed)
    });
    let runs: Vec<Run> = runs.into_iter().collect::<anyhow::Result<_>>()?;
    Ok(Summary::new(effects, request.modes, request.seconds, &runs))
}

#[cfg(test)]
mod tests {
    use wattle_schema::SchemaFile;

    use super::*;

    fn request(seconds: f64) -> Request<'static> {
        Request {
            list: "",
            seeds: vec![1, 2, 3],
            seconds,
            modes: &[SourcesMode::Rails, SourcesMode::NoRails],
            kept: Kept::default(),
            json: None,
            prints: false,
        }
    }

    #[test]
    fn the_number_of_workers_changes_nothing() {
        let effects = Effects::all();
        let of = |workers| {
            let summary = summarize(&request(1.0), &effects, workers).expect("a summary");
            serde_json::to_string(&summary).expect("JSON")
        };
        assert_eq!(of(1), of(3));
    }

    #[test]
    fn the_committed_schema_is_that_of_the_types() {
        let file = SchemaFile::new::<Summary>(
            "demo-effects-1",
            "wattle-demo-effects/1",
            "Errors and coverage on simulated phones. The keys are explained in docs/demo-effects.md.",
        );
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
        assert_eq!(file.check(&folder), Ok(()));
    }
}
