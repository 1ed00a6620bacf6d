//! `wattle report`: recording → timeline → power → ledger → views.

use anyhow::Context as _;
use wattle_diagnose::{DiagnoseOptions, Diagnosis, Input, ProcessChoice};
use wattle_ingest::ReadOptions;
use wattle_ledger::Ledger;

use super::{analysis, category, inputs, output, suspects, when};
use crate::cli::{By, Report};
use crate::config::Config;
use crate::exit::{Failure, Outcome};

/// Does it.
pub fn run(mut report: Report) -> Outcome {
    output::check(&report.output)?;
    let config = Config::find(report.modelling.config.as_deref())?;
    let saved = inputs::saved_ledgers(&report.traces)?;
    let mut other_costs = None;
    if !saved.is_empty() {
        refuse_flags_of_traces(&report)?;
        // Before the configuration's: what a ledger was saved with stays, unless other tables are asked for.
        if !report.modelling.api_costs.is_empty() {
            other_costs = Some(inputs::api_costs(&report.modelling).map_err(Failure::Input)?);
        }
    }
    if saved.len() > 1 {
        if other_costs.is_some() {
            let text = "--api-costs is for one saved ledger: several are compared by their tests";
            return Err(Failure::Usage(anyhow::anyhow!(text)));
        }
        return suspects::run(&saved, &report, &config);
    }
    let saved = saved.first();
    config.complete(&mut report);
    // What is wrong with the command line is said before anything is read.
    super::human::options(&report.output)?;
    report.modelling.legacy = report.legacy;
    report.modelling.keep_stretches = report.diagnose;
    report.modelling.symbols = report.symbols.clone();
    report.modelling.all_call_stats = report.output.views.by == Some(By::Method);
    if saved.is_none() && super::device::show_series(&report)? {
        return Ok(());
    }
    let mut found = None;
    let mut ledger = match saved {
        Some(path) => Ledger::load(path)
            .with_context(|| format!("ledger {}", path.display()))
            .map_err(Failure::Input)?,
        None => ledger_of_traces(&report, &mut found)?,
    };
    if let Some(costs) = &other_costs {
        ledger.fill_api_sheet(costs);
    }
    if report.app.is_empty() {
        // A recording says which app it was made of.
        report.app.clone_from(&ledger.apps);
    }
    let mut options = output::options(&report.app, &report.output)?;
    options.category = category::of(&report, saved.map(std::path::PathBuf::as_path))?;
    output::write_with(&ledger, found.as_ref(), &options, &report.output)
}

/// The ledger, and what was found where `--diagnose` asks for it.
fn ledger_of_traces(report: &Report, found: &mut Option<Diagnosis>) -> Result<Ledger, Failure> {
    let options = ReadOptions { meter: inputs::meter_options(&report.metering)? };
    let mut timeline = analysis::read_as(&report.traces, &options, report.output.quiet)?;
    analysis::symbolise(&mut timeline, &report.modelling.symbols)?;
    let (slice, from, to) = (&report.slice, &report.from, &report.to);
    let window = when::window(slice.as_deref(), from.as_deref(), to.as_deref(), &timeline)
        .map_err(Failure::Usage)?;
    let modelling = &report.modelling;
    let (power, ledger) = analysis::energy(&timeline, &report.traces, modelling, window)?;
    if report.diagnose {
        let mut options = DiagnoseOptions::default();
        options.processes = report.app.iter().map(|app| ProcessChoice::Name(app.clone())).collect();
        options.window = window;
        let input = Input { timeline: &timeline, power: &power, ledger: &ledger };
        let diagnosis = wattle_diagnose::diagnose(input, &options);
        *found = Some(diagnosis.map_err(|error| Failure::Usage(error.into()))?);
    }
    Ok(ledger)
}

/// A saved ledger is a result: what decides about results cannot be asked of it again.
fn refuse_flags_of_traces(report: &Report) -> Outcome {
    let asked = [
        ("--from", report.from.is_some()),
        ("--to", report.to.is_some()),
        ("--slice", report.slice.is_some()),
        ("--meter", !report.metering.meter.is_empty()),
        ("--model", report.modelling.model.is_some()),
        ("--device-model", !report.modelling.device_model.is_empty()),
        ("--voltage", report.modelling.voltage.is_some()),
        ("--shared", report.modelling.shared.is_some()),
        ("--prefer", report.modelling.prefer.is_some()),
        ("--stacks", report.modelling.stacks.is_some()),
        ("--apis", !report.modelling.apis.is_empty()),
        ("--legacy", report.legacy),
        ("--diagnose", report.diagnose),
    ];
    match asked.iter().find(|(_, is_asked)| *is_asked) {
        Some((flag, _)) => Err(Failure::Usage(anyhow::anyhow!(
            "{flag} needs the recording: a saved ledger has been attributed already"
        ))),
        None => analysis::refuse_symbols(&report.symbols),
    }
}
