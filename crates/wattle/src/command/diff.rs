//! `wattle diff`: a comparison of two ledgers.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use wattle_ledger::Ledger;
use wattle_report::{
    CpuTimeDiff, DiffReport, FlameBy, FlameOptions, MergedNodes, Per, ReportOptions,
    cpu_time_terminal, folded_diff,
};

use super::analysis::{self, AnalysisPlan};
use super::{asked_names, input_names, inputs, judgement, output, pager, several_runs};
use crate::cli::{Diff, DiffPer, Merge};
use crate::config::Config;
use crate::exit::{Failure, Outcome};

/// Runs `wattle diff`.
pub fn run(diff: &Diff) -> Outcome {
    check(diff)?;
    let config = Config::find(diff.modelling.config.as_deref())?;
    let plan = AnalysisPlan {
        reading: diff.reading,
        store: diff.store.clone(),
        ..AnalysisPlan::new(&config, diff.modelling.clone(), diff.symbols.clone())
    };
    if several_runs::are_meant(diff) {
        return several_runs::compare(diff, &plan);
    }
    let [Some(first), Some(second)] = [&diff.before, &diff.after] else {
        return Err(Failure::Usage(anyhow::anyhow!("expected two runs: BEFORE and AFTER")));
    };
    let sides = [side(first, &diff.also_before), side(second, &diff.also_after)];
    refuse_flags_of_traces(diff, &sides)?;
    let before = analysis::ledger_of(&sides[0], &plan, diff.output.quiet)?;
    let after = analysis::ledger_of(&sides[1], &plan, diff.output.quiet)?;
    write(diff, config.top(diff.output.top), [&before, &after])?;
    let errors = [before.quality.errors(), after.quality.errors()].concat();
    judgement::judge(diff.strictness, &errors)
}

/// The paths of one run.
fn side(first: &Path, also: &[PathBuf]) -> Vec<PathBuf> {
    std::iter::once(first.to_owned()).chain(also.iter().cloned()).collect()
}

/// Reports errors of the command line before anything is read.
fn check(diff: &Diff) -> Outcome {
    if output::is_stdout(diff.output.html.as_deref()) {
        return Err(Failure::Usage(anyhow::anyhow!("--html -: expected the name of a file")));
    }
    if output::is_stdout(diff.output.json.as_deref())
        && output::is_stdout(diff.output.folded.as_deref())
    {
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
    let costs = (!diff.modelling.api_costs.is_empty()).then_some("--api-costs");
    match diff.modelling.asked().or_else(|| diff.symbols.asked()).or(costs) {
        Some(flag) => Err(Failure::Usage(anyhow::anyhow!(
            "{flag} needs a recording: both ledgers have been attributed already"
        ))),
        None => Ok(()),
    }
}

fn write(diff: &Diff, top: Option<usize>, [before, after]: [&Ledger; 2]) -> Outcome {
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
    options.threshold = diff.threshold;
    let name = |path: &Option<PathBuf>| path.as_deref().map(input_names::shown);
    let names = [&diff.before, &diff.after].map(|path| name(path).unwrap_or_default());
    let runs = [(names[0].as_str(), before), (names[1].as_str(), after)];
    let report = DiffReport::new(runs, &per, &options, MergedNodes(diff.output.nodes))
        .map_err(|error| Failure::Usage(error.into()))?;
    judge(diff, &report, [before, after])?;
    if let Some(times) = &report.cpu_times {
        return write_cpu_times(diff, top, &report, times);
    }
    let page = output::page_path(diff.output.html.as_deref(), diff.output.open)?;
    if let Some(path) = &page {
        let page = wattle_report::diff_html(runs, &per, &options)
            .context("HTML page")
            .map_err(Failure::Internal)?;
        output::write_file(path, page.as_bytes())?;
        output::say_written(path, diff.output.quiet);
    }
    if let Some(path) = &diff.output.folded {
        let text = folded_diff([before, after], &report.per, &options);
        if output::is_stdout(Some(path)) {
            output::print(text.as_bytes())?;
        } else {
            output::write_file(path, text.as_bytes())?;
            output::say_written(path, diff.output.quiet);
        }
    }
    if let Some(path) = &diff.output.json {
        output::write_json(path, &report)?;
        output::say_written(path, diff.output.quiet);
    }
    let is_taken = output::is_stdout(diff.output.json.as_deref())
        || output::is_stdout(diff.output.folded.as_deref());
    if is_taken || diff.output.quiet {
        say_objections(&report);
        return Ok(());
    }
    let mut options = ReportOptions::default();
    options.top = top.unwrap_or(options.top);
    output::for_terminal(&mut options);
    let text = if diff.full || diff.output.top.is_some() {
        wattle_report::diff_terminal(&report, &options)
    } else {
        wattle_report::diff_summary(&report, &next(diff), &options)
    };
    pager::print(&text, diff.full && !diff.no_pager)?;
    page.filter(|_| diff.output.open).map_or(Ok(()), |page| output::open(&page))
}

/// Without energy, what there is to compare is time on CPUs; pages and stacks of energies cannot be written.
fn write_cpu_times(
    diff: &Diff,
    top: Option<usize>,
    report: &DiffReport,
    times: &CpuTimeDiff,
) -> Outcome {
    let files = &diff.output;
    if !times.is_known() {
        return Err(Failure::Refused(anyhow::anyhow!(
            "{} and {}: neither an energy of the same component nor time on CPUs is known in both",
            report.before.name,
            report.after.name
        )));
    }
    if files.html.is_some() || files.folded.is_some() || files.open {
        return Err(Failure::Refused(anyhow::anyhow!(
            "{} and {}: no component has a known energy in both runs, and pages and folded stacks show energies; without them, and with --json, CPU times are compared",
            report.before.name,
            report.after.name
        )));
    }
    say_objections(report);
    if let Some(path) = &files.json {
        output::write_json(path, report)?;
        output::say_written(path, files.quiet);
    }
    if files.quiet || output::is_stdout(files.json.as_deref()) {
        return Ok(());
    }
    let mut options = ReportOptions::default();
    options.top = top.unwrap_or(options.top);
    output::for_terminal(&mut options);
    output::print(cpu_time_terminal(report, times, &options).as_bytes())
}

/// Commands that go on from here.
fn next(diff: &Diff) -> Vec<String> {
    let files = if diff.output.html.is_some() || diff.output.open {
        None
    } else {
        Some("--html FILE --open")
    };
    let others = [files, Some("--full")].into_iter().flatten();
    others.map(|flags| format!("wattle diff … {flags}")).collect()
}

/// Refuses runs that are not comparable.
fn judge(diff: &Diff, report: &DiffReport, ledgers: [&Ledger; 2]) -> Outcome {
    let reasons: Vec<&str> = report.refusals().map(|objection| objection.text.as_str()).collect();
    if !diff.anyway && !reasons.is_empty() {
        return Err(Failure::Refused(anyhow::anyhow!(
            "{} and {} are not comparable: {} (--anyway shows the difference)",
            report.before.name,
            report.after.name,
            reasons.join("; ")
        )));
    }
    let [before, after] = [&report.before, &report.after];
    if let Some(app) = before.missing_apps.iter().find(|app| after.missing_apps.contains(app)) {
        let suggestion = asked_names::suggested_app(app, ledgers);
        let text = format!("--app {app}: not found in either run{suggestion}");
        return Err(Failure::Usage(anyhow::anyhow!(text)));
    }
    Ok(())
}

/// Prints objections where no table shows them.
fn say_objections(report: &DiffReport) {
    for objection in &report.objections {
        // Nothing is left to do if standard error is closed.
        let _ = writeln!(std::io::stderr(), "wattle: {}", objection.text);
    }
}
