//! `explain` of a method.

use wattle_ledger::CallEnergies;
use wattle_report::{LineKind, LineShare, MethodRow, MethodThread, Report, ThreadRow};
use wattle_units::Nanos;

use super::recording_summary::method_row;
use super::recording_words::{answer_about, calls_text, component_title, has_method, not_found};
use crate::answer::{
    AnswerRow, NextQuestion, ToolAnswer, ToolError, clip, counted, is_named, percent, seconds,
};
use crate::opened::{EnergyQuery, GroupKind, OpenedRecording, energy_groups};

/// Callers and callees that are listed, each.
const MOST_CALLS: usize = 6;
/// Candidates that are named.
const MOST_CANDIDATES: usize = 6;

pub(super) fn method(
    opened: &OpenedRecording,
    report: &Report,
    asked: &str,
) -> Result<ToolAnswer, ToolError> {
    let methods: &[MethodRow] =
        report.software.code.as_ref().map_or(&[], |code| code.methods.as_slice());
    let (row, others) = find(methods, asked)?;
    let name = row.place.name.as_str();
    let measures = &row.measures;
    let Some(total) = measures.total.0 else {
        let calls = calls_text(measures.calls, None);
        let wall = row.times.wall.map(|wall| format!("{} in it", seconds(wall.seconds())));
        let text = format!("{name}: no energy figure; {calls} {}", wall.unwrap_or_default());
        return Ok(answer_about(opened, report, text.trim_end().to_owned()));
    };
    let share = measures.share.map(|share| {
        format!(
            ", {} of {}",
            percent(share),
            if opened.apps.is_empty() { "the total" } else { "the app" }
        )
    });
    let own = measures.own.0.map(|own| format!("; self {own}"));
    let calls = calls_text(measures.calls, measures.mean.0);
    let text = format!(
        "{} used {total} {} with what it called{}{}{}",
        clip(name, 160),
        total.provenance,
        share.unwrap_or_default(),
        own.unwrap_or_default(),
        if calls.is_empty() { String::new() } else { format!("; {calls}") },
    );
    let mut answer = answer_about(opened, report, text);
    if let Some(only) = others {
        answer.fact(only);
    }
    answer.fact(times(row));
    answer.fact(components(opened, name));
    if let Some(file) = &row.place.file {
        let line = row.place.line.map(|line| format!(":{line}")).unwrap_or_default();
        answer.fact(format!("Source: {file}{line}"));
    }
    let lines: Vec<String> = row
        .lines
        .iter()
        .filter_map(|line| Some(format!("{} {}", place(line)?, line.total.0?)))
        .take(4)
        .collect();
    let has_lines = row.lines.iter().any(|line| matches!(line.kind, LineKind::Line));
    if has_lines {
        answer.fact(format!("By line: {}", lines.join("; ")));
    }
    answer.fact(finding(opened, name));
    answer.rows = rows(opened, row);
    answer.heading = String::from("Threads, callers, callees (energy of this call):");
    let question = next(opened, report, &answer.rows);
    answer.next.push(question);
    Ok(answer)
}

/// The method of a name: the exact one, the only one with such a part, or the one with most energy where several have that method name.
fn find<'r>(
    methods: &'r [MethodRow],
    asked: &str,
) -> Result<(&'r MethodRow, Option<String>), ToolError> {
    let exact = methods.iter().find(|row| row.place.name == asked);
    let exact = exact.or_else(|| methods.iter().find(|row| is_named(&row.place.name, asked)));
    if let Some(row) = exact {
        return Ok((row, None));
    }
    let wanted = asked.to_lowercase().replace(['#', ':'], ".").replace("..", ".");
    let matching: Vec<&MethodRow> =
        methods.iter().filter(|row| row.place.name.to_lowercase().contains(&wanted)).collect();
    match matching.as_slice() {
        [] => {
            let known: Vec<&str> = methods.iter().map(|row| row.place.name.as_str()).collect();
            Err(not_found("method", asked, &known))
        }
        [row] => Ok((row, None)),
        [row, others @ ..] => {
            // Rows are in order of energy.
            let named: Vec<String> =
                others.iter().take(MOST_CANDIDATES).map(|row| clip(&row.place.name, 80)).collect();
            let text = format!(
                "{} match {}; this is the one with most energy. Others: {}",
                counted(matching.len() as u64, "method"),
                clip(asked, 60),
                named.join(", ")
            );
            Ok((row, Some(text)))
        }
    }
}

/// A line, or several of which it is one.
fn place(line: &LineShare) -> Option<String> {
    match line.kind {
        LineKind::Line => {
            let numbers: Vec<String> = line.lines.iter().take(3).map(u32::to_string).collect();
            Some(format!("line {}", numbers.join(" or ")))
        }
        LineKind::Itself => Some("the method's own code".to_owned()),
        LineKind::Unknown => None,
    }
}

fn times(row: &MethodRow) -> String {
    let mut parts = Vec::new();
    // Samples know no times from entry to exit.
    let some = |time: Option<Nanos>| time.filter(|time| *time > Nanos::ZERO);
    parts.extend(some(row.times.wall).map(|wall| format!("wall time {}", seconds(wall.seconds()))));
    parts.extend(some(row.times.own_wall).map(|wall| format!("self {}", seconds(wall.seconds()))));
    if let Some(per_call) = &row.per_call {
        parts.push(format!(
            "single calls on the CPU: median {}, 95th percentile {}",
            per_call.p50_joules, per_call.p95_joules
        ));
    }
    parts.join("; ")
}

/// The split of its own energy by component.
fn components(opened: &OpenedRecording, name: &str) -> String {
    let query = EnergyQuery { method: Some(name), ..EnergyQuery::default() };
    let groups = energy_groups(&opened.ledger, GroupKind::Component, query);
    let parts: Vec<String> = groups
        .iter()
        .filter(|group| group.energy.joules.value() > 0.0)
        .take(6)
        .map(|group| format!("{} {}", component_title(&group.name), group.energy))
        .collect();
    if parts.is_empty() {
        String::new()
    } else {
        format!("Self by component: {}", parts.join("; "))
    }
}

/// The first finding at this method.
fn finding(opened: &OpenedRecording, name: &str) -> String {
    let findings = opened.diagnosis.iter().flat_map(|diagnosis| &diagnosis.findings);
    let at = |place: &wattle_diagnose::CodePlace| {
        place.function == name || place.stack.iter().any(|frame| frame == name)
    };
    let mut here = findings.filter(|finding| finding.place.as_ref().is_some_and(at));
    here.next().map(|it| format!("Finding here: {}", clip(&it.title, 200))).unwrap_or_default()
}

fn rows(opened: &OpenedRecording, row: &MethodRow) -> Vec<AnswerRow> {
    let mut rows: Vec<AnswerRow> = row
        .threads
        .iter()
        .take(4)
        .map(|it| {
            let note = it.calls.filter(|calls| *calls > 0).map(|calls| counted(calls, "call"));
            let thread =
                if it.name.is_empty() { format!("tid {}", it.tid) } else { it.name.clone() };
            let process = if it.process.is_empty() { "an unknown process" } else { &it.process };
            AnswerRow::new("thread", format!("on {thread} of {process}"))
                .with_energy(it.energy.0)
                .with_note(note.unwrap_or_default())
        })
        .collect();
    let calls = CallEnergies::new(&opened.ledger);
    let name = row.place.name.as_str();
    let edge = |kind: &'static str, word: &str, other: &str, calls: u64, energy| {
        let note = if calls > 0 { counted(calls, "call") } else { String::new() };
        AnswerRow::new(kind, format!("{word} {other}")).with_energy(Some(energy)).with_note(note)
    };
    let callers = calls.edges.iter().filter(|it| it.callee == name).take(MOST_CALLS);
    rows.extend(callers.map(|it| edge("caller", "called by", &it.caller, it.calls, it.energy)));
    let callees = calls.edges.iter().filter(|it| it.caller == name).take(MOST_CALLS);
    rows.extend(callees.map(|it| edge("callee", "calls", &it.callee, it.calls, it.energy)));
    rows
}

fn next(opened: &OpenedRecording, report: &Report, rows: &[AnswerRow]) -> NextQuestion {
    let handle = opened.handle.as_str();
    let named = |kind: &str, word: &str| {
        let mut rows = rows.iter().filter(|row| row.kind == kind);
        rows.find_map(|row| row.name.strip_prefix(word).filter(|name| has_method(report, name)))
    };
    if let Some(callee) = named("callee", "calls ") {
        let why = "the call below it with most energy";
        return NextQuestion::new("explain", why).with("recording", handle).with("method", callee);
    }
    if let Some(caller) = named("caller", "called by ") {
        let why = "who asks for it, and how often";
        return NextQuestion::new("explain", why).with("recording", handle).with("method", caller);
    }
    if opened.diagnosis.is_some() {
        let why = "defects, with the fix";
        return NextQuestion::new("findings", why).with("recording", handle);
    }
    NextQuestion::new("top", "the other methods").with("recording", handle)
}

/// The rows of methods of a thread, for other explanations.
pub(super) fn methods_on(report: &Report, thread: &ThreadRow) -> Vec<AnswerRow> {
    let methods = report.software.code.iter().flat_map(|code| &code.methods);
    let is_it = |it: &MethodThread| it.tid == thread.tid && it.name == thread.name;
    let on = |row: &&MethodRow| row.threads.iter().any(is_it);
    methods.filter(on).filter(|row| row.measures.total.0.is_some()).map(method_row).collect()
}
