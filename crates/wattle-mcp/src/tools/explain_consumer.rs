//! `explain` of a thread, and of an app or process.

use wattle_report::{Report, ThreadRow};

use super::explain_code::methods_on;
use super::recording_summary::method_rows;
use super::recording_words::{answer_about, component_title, mean_power, not_found};
use crate::answer::{AnswerRow, NextQuestion, ToolAnswer, ToolError, clip, percent, seconds};
use crate::opened::{EnergyQuery, GroupKind, OpenedRecording, energy_groups};

/// Rows of each kind.
const MOST_ROWS: usize = 6;

/// Explains a thread.
pub(super) fn thread(
    opened: &OpenedRecording,
    report: &Report,
    asked: &str,
) -> Result<ToolAnswer, ToolError> {
    let threads: Vec<&ThreadRow> =
        report.software.processes.iter().flat_map(|process| &process.threads).collect();
    let is_number =
        |row: &ThreadRow| asked.strip_prefix("tid ").unwrap_or(asked).parse() == Ok(row.tid);
    let mut meant: Vec<&&ThreadRow> = threads.iter().filter(|row| row.name == asked).collect();
    if meant.is_empty() {
        meant = threads.iter().filter(|row| is_number(row)).collect();
    }
    if meant.is_empty() {
        let lower = asked.to_lowercase();
        meant = threads.iter().filter(|row| row.name.to_lowercase().contains(&lower)).collect();
    }
    meant.sort_by(|a, b| joules(b).total_cmp(&joules(a)));
    let Some(row) = meant.first() else {
        let known: Vec<&str> = threads.iter().map(|row| row.name.as_str()).collect();
        return Err(not_found("thread", asked, &known));
    };
    let energy = row.energy.0;
    let used = energy.map_or("no energy figure".to_owned(), |it| format!("{it} {}", it.provenance));
    let cpu = row.cpu.map(|cpu| format!("; {} on a CPU", seconds(cpu.seconds())));
    let mut answer = answer_about(
        opened,
        report,
        format!(
            "Thread {} (tid {}) of {} used {used}{}.",
            clip(&row.name, 80),
            row.tid,
            clip(&row.process, 100),
            cpu.unwrap_or_default()
        ),
    );
    if meant.len() > 1 {
        answer.fact(format!("{} threads match; this is the one with most energy", meant.len()));
    }
    answer.fact(components(
        opened,
        EnergyQuery {
            thread: Some(&row.name),
            process: Some(&row.process),
            ..EnergyQuery::default()
        },
    ));
    let parts = [
        ("its own core power", row.cpu_core.0),
        ("its part of shared CPU power", row.cpu_shared.0),
        ("waking the CPU", row.wake_transition.0),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter_map(|(word, energy)| Some(format!("{word} {}", energy?)))
        .collect();
    if !parts.is_empty() {
        answer.fact(format!("Of its CPU energy: {}", parts.join("; ")));
    }
    answer.rows = methods_on(report, &row.name).into_iter().take(2 * MOST_ROWS).collect();
    answer.heading =
        String::from("Methods that ran on it (energy on all threads, with what they called):");
    let first = answer.rows.first().map(|row| row.name.clone());
    answer.next.push(match first {
        Some(method) => NextQuestion::new("explain", "the method with most energy on it")
            .with("recording", opened.handle.as_str())
            .with("method", method),
        None => NextQuestion::new("findings", "defects, such as a thread that wakes too often")
            .with("recording", opened.handle.as_str()),
    });
    Ok(answer)
}

fn joules(row: &ThreadRow) -> f64 {
    row.energy.joules().map_or(f64::NEG_INFINITY, wattle_units::Joules::value)
}

/// Explains an app, or a process.
pub(super) fn app(opened: &OpenedRecording, asked: &str) -> Result<ToolAnswer, ToolError> {
    let whole = opened.report(None);
    let consumers = &whole.software.consumers;
    let lower = asked.to_lowercase();
    let row = consumers
        .iter()
        .find(|row| row.name == asked)
        .or_else(|| consumers.iter().find(|row| row.name.to_lowercase().contains(&lower)));
    let process = whole.software.processes.iter().find(|row| row.title() == asked);
    let Some(row) = row else {
        if let Some(process) = process
            && let Some(package) = process.package.as_deref().filter(|package| *package != asked)
        {
            return app(opened, package);
        }
        let names = consumers.iter().map(|row| row.name.as_str());
        let names = names.chain(whole.software.processes.iter().map(|row| row.name.as_str()));
        let known: Vec<&str> = names.collect();
        return Err(not_found("app or process", asked, &known));
    };
    // Methods and shares of this app alone, where it is an app.
    let report = if row.is_app { opened.report(Some(&row.name)) } else { whole.clone() };
    let share = row.share.map(|share| format!(", {} of the total", percent(share)));
    let used =
        row.energy.0.map_or("no energy figure".to_owned(), |it| format!("{it} {}", it.provenance));
    let cpu = row.cpu.map(|cpu| format!("; {} on a CPU", seconds(cpu.seconds())));
    let power = row.energy.0.and_then(|energy| mean_power(energy, opened.duration()));
    let power = power
        .map(|power| format!("; mean power {power} in {}", seconds(opened.duration().seconds())));
    let mut answer = answer_about(
        opened,
        &report,
        format!(
            "{} used {used}{}{}{}.",
            clip(&row.name, 120),
            share.unwrap_or_default(),
            cpu.unwrap_or_default(),
            power.unwrap_or_default()
        ),
    );
    let parts: Vec<String> = row
        .components
        .iter()
        .filter_map(|part| {
            let share = part.share.map(|share| format!(", {}", percent(share)));
            Some(format!(
                "{} {}{}",
                component_title(&part.name),
                part.energy.0?,
                share.unwrap_or_default()
            ))
        })
        .collect();
    if !parts.is_empty() {
        answer.fact(format!("By component: {}", parts.join("; ")));
    }
    if let Some(diagnosis) = &opened.diagnosis {
        let mine =
            diagnosis.findings.iter().filter(|it| it.who.as_deref() == Some(row.name.as_str()));
        for finding in mine.take(2) {
            answer.fact(format!("Finding: {}", clip(&finding.title, 200)));
        }
    }
    let of_app = whole.software.processes.iter().filter(|process| {
        process.package.as_deref() == Some(row.name.as_str()) || process.name == row.name
    });
    let mut threads: Vec<&ThreadRow> = of_app.flat_map(|process| &process.threads).collect();
    threads.sort_by(|a, b| joules(b).total_cmp(&joules(a)));
    answer.rows = threads
        .iter()
        .filter(|thread| thread.energy.0.is_some())
        .take(MOST_ROWS)
        .map(|thread| {
            let cpu = thread.cpu.map(|cpu| format!("{} on a CPU", seconds(cpu.seconds())));
            AnswerRow::new("thread", thread.name.as_str())
                .with_energy(thread.energy.0)
                .with_note(cpu.unwrap_or_default())
        })
        .collect();
    let methods: Vec<AnswerRow> = if row.is_app { method_rows(&report) } else { Vec::new() };
    let first = methods.first().map(|row| row.name.clone());
    answer.rows.extend(methods.into_iter().take(MOST_ROWS));
    answer.heading =
        String::from("Threads, then methods (with what they called; shares of the app):");
    if let Some(method) = first {
        let why = "its most expensive method";
        answer.next.push(
            NextQuestion::new("explain", why)
                .with("recording", opened.handle.as_str())
                .with("method", method),
        );
    }
    answer.next.push(
        NextQuestion::new("findings", "defects with the fix")
            .with("recording", opened.handle.as_str()),
    );
    Ok(answer)
}

/// The split of a part of the ledger by component.
pub(super) fn components(opened: &OpenedRecording, query: EnergyQuery<'_>) -> String {
    let groups = energy_groups(&opened.ledger, GroupKind::Component, query);
    let parts: Vec<String> = groups
        .iter()
        .filter(|group| group.energy.joules.value() != 0.0)
        .take(8)
        .map(|group| format!("{} {}", component_title(&group.name), group.energy))
        .collect();
    if parts.is_empty() { String::new() } else { format!("By component: {}", parts.join("; ")) }
}
