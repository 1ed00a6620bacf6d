//! `wattle report`: recording → timeline → power → ledger → views.

use anyhow::Context as _;
use wattle_ledger::{AttributionOptions, Ledger, SharedPolicy, Unfinished};
use wattle_power::ModelChoice;

use super::{inputs, output, when};
use crate::cli::{Report, Shared};
use crate::config::Config;
use crate::exit::{Failure, Outcome};
use crate::progress::Bar;

/// Does it.
pub fn run(mut report: Report) -> Outcome {
    output::check(&report.output)?;
    let config = Config::find(report.config.as_deref())?;
    let saved = inputs::saved_ledger(&report.traces)?.map(std::path::Path::to_path_buf);
    if saved.is_some() {
        refuse_flags_of_traces(&report)?;
    }
    config.complete(&mut report);
    let ledger = match &saved {
        Some(path) => Ledger::load(path)
            .with_context(|| format!("ledger {}", path.display()))
            .map_err(Failure::Input)?,
        None => ledger_of_traces(&report)?,
    };
    output::write(&ledger, &report.app, &report.output)
}

fn ledger_of_traces(report: &Report) -> Result<Ledger, Failure> {
    let mut power = inputs::power_options(report)?;
    let mut bar = Bar::new(report.output.quiet);
    let read = wattle_ingest::read_paths_with(&report.traces, &mut bar);
    drop(bar);
    let timeline = read.map_err(|error| Failure::Input(error.into()))?;

    let window = when::window(report, &timeline).map_err(Failure::Usage)?;
    power.window = window;
    let mut attribution = AttributionOptions::default();
    attribution.window = window;
    attribution.shared = match report.shared {
        None | Some(Shared::Proportional) => SharedPolicy::Proportional,
        Some(Shared::None) => SharedPolicy::None,
        Some(Shared::FirstWaker) => SharedPolicy::FirstWaker,
    };
    if power.model == ModelChoice::Curves {
        // `--model curves` counts what Wattson counts, so that both can be held against each other.
        attribution.unfinished = Unfinished::UntilLastEvent;
    }
    let estimate =
        wattle_power::estimate(&timeline, &power).map_err(|error| Failure::Input(error.into()))?;
    wattle_ledger::attribute(&timeline, &estimate, &attribution)
        .map_err(|error| Failure::Internal(error.into()))
}

/// A saved ledger is a result: what decides about results cannot be asked of it again.
fn refuse_flags_of_traces(report: &Report) -> Outcome {
    let asked = [
        ("--from", report.from.is_some()),
        ("--to", report.to.is_some()),
        ("--slice", report.slice.is_some()),
        ("--model", report.model.is_some()),
        ("--device-model", !report.device_model.is_empty()),
        ("--voltage", report.voltage.is_some()),
        ("--shared", report.shared.is_some()),
    ];
    match asked.iter().find(|(_, is_asked)| *is_asked) {
        Some((flag, _)) => Err(Failure::Usage(anyhow::anyhow!(
            "{flag} needs the recording: a saved ledger has been attributed already"
        ))),
        None => Ok(()),
    }
}
