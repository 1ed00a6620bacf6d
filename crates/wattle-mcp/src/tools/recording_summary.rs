//! `summary`: the recording in one answer.

use wattle_diagnose::Diagnosis;
use wattle_report::{MethodRow, Report};

use super::recording_words::has_method;
use super::recording_words::{
    answer_about, calls_text, check_app, component_title, consumer_rows, headline, quality_line,
};
use super::shared_parameters::RECORDING;
use super::{ParameterKind, ToolArguments, ToolContext, ToolEntry, ToolParameter};
use crate::answer::{
    AnswerRow, NextQuestion, ToolAnswer, ToolError, clip, counted, percent, period, seconds,
};
use crate::opened::OpenedRecording;

/// Rows of each kind.
const MOST_ROWS: usize = 5;

pub(super) const TOOL: ToolEntry = ToolEntry {
    name: "summary",
    title: "Summarise a recording",
    description: "Total energy with its 90 % interval, the split by component, the programs and methods that spent most, the most severe findings, data quality.",
    parameters: &[
        RECORDING,
        ToolParameter::new("app", ParameterKind::Text, "Package name of the app that it is about"),
        ToolParameter::new(
            "picture",
            ParameterKind::Flag,
            "Also link a chart of power over time (SVG resource)",
        ),
    ],
    uses_device: false,
    function: run,
};

fn run(context: &ToolContext<'_>, arguments: &ToolArguments) -> Result<ToolAnswer, ToolError> {
    let opened = context.shelf.get(arguments.text("recording"), context.job)?;
    let report = opened.report(arguments.text("app"));
    check_app(&report, arguments)?;
    let mut answer = summarise(&opened, &report);
    if arguments.flag("picture") {
        let address = format!("wattle://recording/{}/power.svg", opened.handle);
        answer.links.push((address, "Power over time".to_owned()));
    }
    Ok(answer)
}

/// The summary of a recording.
pub(super) fn summarise(opened: &OpenedRecording, report: &Report) -> ToolAnswer {
    let mut answer = answer_about(opened, report, headline(opened, report));
    answer.fact(components_line(report));
    if let Some(assumption) = &report.energy.assumption {
        answer.fact(format!("Assumed: {assumption}"));
    }
    answer.fact(peak_line(opened, report));
    for statement in report.energy.statements.iter().take(2) {
        answer.fact(format!("The input states: {}", statement.text()));
    }
    answer.fact(opened.diagnosis.as_ref().map_or_else(
        || "Findings: unknown, because a kept run or saved ledger has no events; open its recording".to_owned(),
        findings_line,
    ));
    answer.fact(quality_line(report));
    let rows = consumer_rows(opened, report);
    let mut methods = method_rows(report);
    let all = rows.len() + methods.len();
    // What no program used may be most of the energy: it is always shown.
    let (nobody, mut programs): (Vec<AnswerRow>, Vec<AnswerRow>) =
        rows.into_iter().partition(|row| row.kind == "account");
    programs.truncate(MOST_ROWS);
    let mut rows = [programs, nobody].concat();
    methods.truncate(MOST_ROWS);
    let whole = opened.report(None);
    let first_method =
        methods.iter().map(|row| &row.name).find(|name| has_method(&whole, name)).cloned();
    rows.extend(methods);
    answer.heading = format!(
        "Programs (shares of the total), then methods (with what they called; shares of {}):",
        share_whole(opened, report)
    );
    answer.total_rows = all;
    answer.rest = "Ask top with by: app or by: method for all.";
    answer.rows = rows;
    answer.next = next(opened, first_method, report.energy.total.0.is_some());
    answer
}

fn next(
    opened: &OpenedRecording,
    first_method: Option<String>,
    has_energy: bool,
) -> Vec<NextQuestion> {
    let mut next = Vec::new();
    let has_findings = opened.diagnosis.as_ref().is_some_and(|it| !it.findings.is_empty());
    if has_findings {
        let why = "defects with their potential saving and the fix";
        next.push(NextQuestion::new("findings", why).with("recording", opened.handle.as_str()));
    }
    if let Some(method) = first_method {
        let why = "callers, callees, threads and components of the most expensive method";
        next.push(
            NextQuestion::new("explain", why)
                .with("recording", opened.handle.as_str())
                .with("method", method),
        );
    } else if has_energy {
        let top =
            NextQuestion::new("top", "who used most").with("recording", opened.handle.as_str());
        let has_threads =
            opened.ledger.rows.accounts.iter().any(|account| account.path().is_some());
        next.push(top.with("by", if has_threads { "thread" } else { "component" }));
    } else {
        let model = NextQuestion::new("model", "what is missing for energies");
        next.push(model.with("recording", opened.handle.as_str()));
    }
    next
}

fn components_line(report: &Report) -> String {
    let parts = report.hardware.components.iter().filter_map(|row| {
        let energy = row.energy.0?;
        let share = row.share.map(|share| format!(", {}", percent(share)));
        Some(format!(
            "{} {}{}",
            component_title(&row.name),
            energy.joules,
            share.unwrap_or_default()
        ))
    });
    let parts: Vec<String> = parts.take(8).collect();
    if parts.is_empty() { String::new() } else { format!("By component: {}", parts.join("; ")) }
}

/// The step of time with the highest mean power: the steps are those of periods, so that `explain` of it gives the same figure.
fn peak_line(opened: &OpenedRecording, report: &Report) -> String {
    /// The part of the energy that counts as all of it.
    const ALL: f64 = 0.9;
    let sums = opened.joules_over_time();
    let most = sums.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
    let Some((bin, joules)) = most.filter(|(_, joules)| *joules > 0.0) else {
        return String::new();
    };
    let bin = bin as u32;
    let Some(step) = opened.steps(bin, bin + 1) else { return String::new() };
    let power = wattle_units::Watts::new(joules / (step.to - step.from));
    let drawn = sums.iter().sum::<f64>();
    let total = report.energy.total.joules().map_or(0.0, wattle_units::Joules::value);
    let part = if total > 0.0 && drawn < ALL * total {
        format!(" of the {:.0} % of the energy whose time is known", drawn / total * 100.0)
    } else {
        String::new()
    };
    format!(
        "Highest mean power{part}: {power} from {} (in steps of {})",
        period(step.from, step.to),
        seconds(step.to - step.from)
    )
}

fn findings_line(diagnosis: &Diagnosis) -> String {
    let accepted = match diagnosis.accepted.len() {
        0 => String::new(),
        count => format!("; {count} accepted by the project are not counted"),
    };
    let Some(first) = diagnosis.findings.first() else {
        return format!("Findings: none by the rules that had data{accepted}");
    };
    let saving = first.at_stake.map(|it| format!(" (potential saving up to {})", it.joules));
    format!(
        "{}; first: {}{}{accepted}",
        counted(diagnosis.findings.len() as u64, "finding"),
        clip(&first.title, 200),
        saving.unwrap_or_default()
    )
}

/// The whole that shares of methods are of.
pub(super) fn share_whole(opened: &OpenedRecording, report: &Report) -> &'static str {
    let app = report.software.app.as_ref();
    if app.is_some_and(|app| app.energy.0.is_some()) && !opened.ledger.rows.paths.is_empty() {
        "the app"
    } else {
        "the total"
    }
}

/// Methods by total energy.
pub(super) fn method_rows(report: &Report) -> Vec<AnswerRow> {
    let Some(code) = &report.software.code else { return Vec::new() };
    let has_energy =
        |row: &&MethodRow| row.measures.total.joules().is_some_and(|joules| joules.value() > 0.0);
    code.methods.iter().filter(has_energy).map(method_row).collect()
}

/// A method as a row.
pub(super) fn method_row(row: &MethodRow) -> AnswerRow {
    let measures = &row.measures;
    let mut notes = vec![calls_text(measures.calls, measures.mean.0)];
    if let [thread] = row.threads.as_slice() {
        notes.push(format!("on thread {}", clip(&thread.name, 60)));
    } else if row.threads.len() > 1 {
        notes.push(format!("on {} threads", row.threads.len() + row.threads_left_out));
    }
    notes.retain(|note| !note.is_empty());
    let mut answer = AnswerRow::new("method", row.place.name.as_str())
        .with_energy(measures.total.0)
        .with_share(measures.share)
        .with_note(notes.join("; "));
    answer.own = measures.own.0;
    answer
}
