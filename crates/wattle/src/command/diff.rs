//! `wattle diff`: two ledgers held against each other.

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use wattle_ledger::Ledger;
use wattle_report::{
    DiffReport, FlameBy, FlameOptions, MergedNodes, Per, ReportOptions, folded_diff,
};

use super::{analysis, inputs, output};
use crate::cli::{Diff, DiffPer, Merge};
use crate::config::Config;
use crate::exit::{Failure, Outcome};

/// Does it.
pub fn run(mut diff: Diff) -> Outcome {
    check(&diff)?;
    let config = Config::find(diff.modelling.config.as_deref())?;
    let sides = [
        side(&diff.before, std::mem::take(&mut diff.also_before)),
        side(&diff.after, std::mem::take(&mut diff.also_after)),
    ];
    refuse_flags_of_traces(&diff, &sides)?;
    config.complete_modelling(&mut diff.modelling);
    diff.modelling.symbols = std::mem::take(&mut diff.symbols);
    diff.top = diff.top.or(config.top());
    let before = analysis::ledger_of(&sides[0], &diff.modelling, diff.quiet)?;
    let after = analysis::ledger_of(&sides[1], &diff.modelling, diff.quiet)?;
    write(&diff, &before, &after)
}

/// The paths of one run.
fn side(first: &Path, mut also: Vec<PathBuf>) -> Vec<PathBuf> {
    also.insert(0, first.to_owned());
    also
}

/// What is wrong with the command line is said before anything is read.
fn check(diff: &Diff) -> Outcome {
    if output::is_stdout(diff.html.as_deref()) {
        return Err(Failure::Usage(anyhow::anyhow!("--html -: expected the name of a file")));
    }
    if output::is_stdout(diff.json.as_deref()) && output::is_stdout(diff.folded.as_deref()) {
        let text = "--json - and --folded -: standard output can be only one of both";
        return Err(Failure::Usage(anyhow::anyhow!(text)));
    }
    Ok(())
}

/// A saved ledger is a result: what decides about results cannot be asked of it again.
fn refuse_flags_of_traces(diff: &Diff, sides: &[Vec<PathBuf>; 2]) -> Outcome {
    let is_saved = |side: &[PathBuf]| inputs::saved_ledgers(side).map(|saved| !saved.is_empty());
    if !(is_saved(&sides[0])? && is_saved(&sides[1])?) {
        return Ok(());
    }
    let modelling = &diff.modelling;
    let asked = [
        ("--model", modelling.model.is_some()),
        ("--device-model", !modelling.device_model.is_empty()),
        ("--voltage", modelling.voltage.is_some()),
        ("--shared", modelling.shared.is_some()),
        ("--prefer", modelling.prefer.is_some()),
        ("--stacks", modelling.stacks.is_some()),
        ("--apis", !modelling.apis.is_empty()),
        ("--symbols", !diff.symbols.symbols.is_empty()),
        ("--mapping", !diff.symbols.mapping.is_empty()),
        ("--kallsyms", diff.symbols.kallsyms.is_some()),
        ("--api-costs", !modelling.api_costs.is_empty()),
    ];
    match asked.iter().find(|(_, is_asked)| *is_asked) {
        Some((flag, _)) => Err(Failure::Usage(anyhow::anyhow!(
            "{flag} needs a recording: both ledgers have been attributed already"
        ))),
        None => Ok(()),
    }
}

fn write(diff: &Diff, before: &Ledger, after: &Ledger) -> Outcome {
    let per = match (&diff.per_call, diff.per) {
        (Some(name), _) => Per::Call(name.clone()),
        (None, DiffPer::Run) => Per::Run,
        (None, DiffPer::Second) => Per::Second,
    };
    let mut options = FlameOptions::default();
    options.by = match diff.merge {
        Merge::Thread => FlameBy::Thread,
        Merge::Process => FlameBy::Process,
    };
    options.apps.clone_from(&diff.app);
    let names = [&diff.before, &diff.after].map(|path| path.display().to_string());
    let runs = [(names[0].as_str(), before), (names[1].as_str(), after)];
    let report = DiffReport::new(runs, &per, &options, MergedNodes(diff.nodes))
        .map_err(|error| Failure::Usage(error.into()))?;
    judge(diff, &report)?;
    if let Some(path) = &diff.html {
        let page = wattle_report::diff_html(runs, &per, &options)
            .context("HTML page")
            .map_err(Failure::Internal)?;
        output::write_file(path, page.as_bytes())?;
    }
    if let Some(path) = &diff.folded {
        let text = folded_diff([before, after], &report.per, &options);
        if output::is_stdout(Some(path)) {
            output::print(text.as_bytes())?;
        } else {
            output::write_file(path, text.as_bytes())?;
        }
    }
    if let Some(path) = &diff.json {
        output::write_json(path, &report)?;
    }
    let is_taken =
        output::is_stdout(diff.json.as_deref()) || output::is_stdout(diff.folded.as_deref());
    if is_taken || diff.quiet {
        say_objections(&report);
        return Ok(());
    }
    let mut options = ReportOptions::default();
    options.top = diff.top.unwrap_or(options.top);
    let on_terminal = std::io::stdout().is_terminal();
    options.color = on_terminal && std::env::var_os("NO_COLOR").is_none();
    output::print(wattle_report::diff_terminal(&report, &options).as_bytes())
}

/// Refuses what says nothing of the app.
fn judge(diff: &Diff, report: &DiffReport) -> Outcome {
    let reasons: Vec<&str> = report.refusals().map(|objection| objection.text.as_str()).collect();
    if !diff.anyway && !reasons.is_empty() {
        return Err(Failure::Refused(anyhow::anyhow!(
            "{} and {} are not comparable: {} (--anyway shows the difference)",
            report.before.name,
            report.after.name,
            reasons.join("; ")
        )));
    }
    if !report.has_energy() {
        return Err(Failure::Refused(anyhow::anyhow!(
            "{} and {}: there is no component of which both know the energy",
            report.before.name,
            report.after.name
        )));
    }
    let [before, after] = [&report.before, &report.after];
    if let Some(app) = before.missing_apps.iter().find(|app| after.missing_apps.contains(app)) {
        return Err(Failure::Usage(anyhow::anyhow!("--app {app}: it is in neither of both runs")));
    }
    Ok(())
}

/// Where no table says it.
fn say_objections(report: &DiffReport) {
    for objection in &report.objections {
        // Nothing is left to do if standard error is closed.
        let _ = writeln!(std::io::stderr(), "wattle: {}", objection.text);
    }
}
