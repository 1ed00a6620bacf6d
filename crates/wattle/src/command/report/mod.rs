//! `wattle report`: recording → timeline → power → ledger → views.

mod beginning_report;
mod plan;

use wattle_diagnose::{Diagnosis, Input};
use wattle_ledger::Ledger;
use wattle_store::RunFacts;
use wattle_timeline::Timeline;

use self::beginning_report::BeginningReport;
pub use self::plan::{CategoryPlan, ReportInput, ReportPlan, TracesPlan};
use super::output::Beside;
use super::{analysis, asked_names, category, history, judgement, kept_runs, output, suspects};
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
            let mut ledger = kept_runs::load(path, &plan.output.keeping.store)?;
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
    asked_names::check_patterns(plan.process.as_ref(), plan.thread.as_ref(), &ledger)?;
    // A recording says which app it was made of.
    let apps = if plan.apps.is_empty() { &ledger.recording.apps } else { &plan.apps };
    let mut options = output::options(apps, &plan.output)?;
    options.processes.clone_from(&plan.process);
    options.threads.clone_from(&plan.thread);
    options.category = category::chosen((&plan.category, &plan.output.keeping.store), apps, saved)?;
    let next = next(&ledger);
    let beside = Beside { found: found.as_ref(), all_findings: plan.all_findings, next: &next };
    output::write_with(&ledger, beside, &options, &plan.output)?;
    if let Some(keeping) = &plan.keeping {
        keeping.keep(&ledger, recorded_facts(&plan))?;
    }
    judgement::judge(plan.strictness, &ledger.quality.errors())
}

/// The facts of the run that a recording's folder has, and the app that is asked for.
fn recorded_facts(plan: &ReportPlan) -> RunFacts {
    let mut facts = match &plan.input {
        ReportInput::Traces(traces) => match traces.paths.as_slice() {
            [path] => history::facts_of_folder(path),
            _ => RunFacts::default(),
        },
        ReportInput::Saved(..) | ReportInput::SeveralSaved(_) => RunFacts::default(),
    };
    if let [app] = plan.apps.as_slice() {
        facts.app.package.clone_from(app);
    }
    facts
}

/// Commands after a summary: flags of the same command.
fn next(ledger: &Ledger) -> Vec<String> {
    let table = if ledger.rows.components.is_empty() { "quality" } else { "threads" };
    vec![
        "--html page.html --open (page)".to_owned(),
        "--full (all tables)".to_owned(),
        format!("--view {table} (one of them)"),
    ]
}

/// The timeline of traces. Figures of their beginning are made beside the reading of all of it, so that nothing waits for them.
fn read_with_first(plan: &TracesPlan) -> Result<Timeline, Failure> {
    let read = || analysis::read_as(&plan.paths, &plan.reading, plan.quiet);
    let first = BeginningReport::new(&plan.paths, &plan.analysis).filter(|_| plan.span.is_whole());
    let Some(first) = first else { return read() };
    std::thread::scope(|scope| {
        let beside = std::thread::Builder::new().spawn_scoped(scope, || first.write());
        let read = read();
        // The report does not depend on them, whatever became of them.
        let _ = beside.map(std::thread::ScopedJoinHandle::join);
        read
    })
}

/// The ledger, and the diagnosis where a view shows it.
fn ledger_of_traces(
    plan: &TracesPlan,
    apps: &[String],
) -> Result<(Ledger, Option<Diagnosis>), Failure> {
    let mut timeline = read_with_first(plan)?;
    analysis::symbolise(&mut timeline, &plan.analysis.symbols, &plan.reading.unpacking)?;
    let window = plan.span.window(&timeline)?;
    let (power, ledger) = analysis::energy(&timeline, &plan.paths, &plan.analysis, window)?;
    let input = Input { timeline: &timeline, power: &power, ledger: &ledger };
    let found = plan.findings.find(input, apps, window, &plan.analysis.accepted)?;
    Ok((ledger, found))
}
