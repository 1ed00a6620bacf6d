//! `wattle report`: recording → timeline → power → ledger → views.

mod plan;

use anyhow::Context as _;
use wattle_diagnose::{DiagnoseOptions, Diagnosis, Input, ProcessChoice};
use wattle_ledger::Ledger;

pub use self::plan::{CategoryPlan, ReportInput, ReportPlan, TracesPlan};
use super::{analysis, asked_names, category, judgement, output, suspects};
use crate::cli::Report;
use crate::exit::{Failure, Outcome};

/// Runs `wattle report`.
pub fn run(flags: Report) -> Outcome {
    let plan = ReportPlan::new(flags)?;
    let (ledger, saved, found) = match &plan.input {
        ReportInput::SeveralSaved(ledgers) => {
            let errors = suspects::run(ledgers, &plan.output)?;
            return judgement::judge(plan.strictness, &errors);
        }
        ReportInput::Saved(path, costs) => {
            let mut ledger = Ledger::load(path)
                .with_context(|| format!("ledger {}", path.display()))
                .map_err(Failure::Input)?;
            if let Some(costs) = costs {
                ledger.fill_api_sheet(costs);
            }
            (ledger, Some(path.as_path()), None)
        }
        ReportInput::Traces(traces) => {
            if let Some(errors) = super::device::show_series(&plan, traces)? {
                return judgement::judge(plan.strictness, &errors);
            }
            let (ledger, found) = ledger_of_traces(traces, &plan.apps)?;
            (ledger, None, found)
        }
    };
    asked_names::check_apps(&plan.asked_apps, &ledger)?;
    // A recording says which app it was made of.
    let apps = if plan.apps.is_empty() { &ledger.recording.apps } else { &plan.apps };
    let mut options = output::options(apps, &plan.output)?;
    options.category = category::chosen(&plan.category, apps, saved)?;
    output::write_with(&ledger, found.as_ref(), &options, &plan.output)?;
    judgement::judge(plan.strictness, &ledger.quality.errors())
}

/// The ledger, and the diagnosis where `--diagnose` asks for it.
fn ledger_of_traces(
    plan: &TracesPlan,
    apps: &[String],
) -> Result<(Ledger, Option<Diagnosis>), Failure> {
    let mut timeline = analysis::read_as(&plan.paths, &plan.reading, plan.quiet)?;
    analysis::symbolise(&mut timeline, &plan.analysis.symbols)?;
    let window = plan.span.window(&timeline)?;
    let (power, ledger) = analysis::energy(&timeline, &plan.paths, &plan.analysis, window)?;
    if !plan.diagnose {
        return Ok((ledger, None));
    }
    let mut options = DiagnoseOptions::default();
    options.processes = apps.iter().map(|app| ProcessChoice::Name(app.clone())).collect();
    options.window = window;
    let input = Input { timeline: &timeline, power: &power, ledger: &ledger };
    let diagnosis = wattle_diagnose::diagnose(input, &options);
    let diagnosis = diagnosis.map_err(|error| Failure::Usage(error.into()))?;
    Ok((ledger, Some(diagnosis)))
}
