//! `explain` of a thread, and of an app or process.

use wattle_report::{ConsumerRow, Report, ThreadRow};

use super::explain_code::methods_on;
use super::recording_summary::method_rows;
use super::recording_words::has_method;
use super::recording_words::{answer_about, component_title, mean_power, not_found};
use super::thread_choice::ThreadChoice;
use crate::answer::{
    AnswerRow, NextQuestion, ToolAnswer, ToolError, clip, is_named, percent, seconds,
};
use crate::opened::{
    EnergyQuery, GroupKind, OpenedRecording, energy_groups, process_title, thread_title,
};

/// Rows of each kind.
const MOST_ROWS: usize = 6;

/// Explains a thread.
pub(super) fn thread(
    opened: &OpenedRecording,
    report: &Report,
    asked: &str,
) -> Result<ToolAnswer, ToolError> {
    let ThreadChoice { row, title, others } = ThreadChoice::find(report, asked)?;
    let energy = row.energy.0;
    let used = energy.map_or("no energy figure".to_owned(), |it| format!("{it} {}", it.provenance));
    let cpu = row.cpu.map(|cpu| format!("; {} on a CPU", seconds(cpu.seconds())));
    let mut answer = answer_about(
        opened,
        report,
        format!("Thread {} used {used}{}.", clip(&title, 200), cpu.unwrap_or_default()),
    );
    answer.fact(others.unwrap_or_default());
    answer.fact(components(
        opened,
        EnergyQuery { thread: Some((row.pid, row.tid)), ..EnergyQuery::default() },
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
    answer.rows = methods_on(report, row).into_iter().take(2 * MOST_ROWS).collect();
    answer.heading =
        String::from("Methods that ran on it (energy on all threads, with what they called):");
    let whole = opened.report(None);
    let mut names = answer.rows.iter().map(|row| row.name.clone());
    let first = names.find(|name| has_method(&whole, name));
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

/// The app or program of a name: its own, or the name or title of one of its processes.
fn known_app<'r>(report: &'r Report, asked: &str) -> Option<&'r ConsumerRow> {
    let consumers = &report.software.consumers;
    let own = consumers.iter().find(|row| row.name == asked);
    let own = own.or_else(|| consumers.iter().find(|row| is_named(&row.name, asked)));
    own.or_else(|| {
        let mut processes = report.software.processes.iter();
        let process = processes.find(|row| {
            is_named(&row.title(), asked) || is_named(&process_title(&row.name, row.pid), asked)
        })?;
        let base = process.name.split(':').next().unwrap_or(&process.name);
        let title = process.title();
        let names = [process.package.as_deref(), Some(&*title), Some(base)];
        let mut names = names.into_iter().flatten();
        names.find_map(|name| consumers.iter().find(|row| row.name == name))
    })
}

/// Whether an app or process can be explained by that name.
pub(super) fn is_known_app(report: &Report, name: &str) -> bool {
    known_app(report, name).is_some()
}

/// Explains an app, or a process.
pub(super) fn app(opened: &OpenedRecording, asked: &str) -> Result<ToolAnswer, ToolError> {
    let whole = opened.report(None);
    let consumers = &whole.software.consumers;
    let lower = asked.to_lowercase();
    let row = known_app(&whole, asked)
        .or_else(|| consumers.iter().find(|row| row.name.to_lowercase().contains(&lower)));
    let Some(row) = row else {
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
            AnswerRow::new("thread", thread_title(&thread.name, thread.tid, &thread.process))
                .with_energy(thread.energy.0)
                .with_note(cpu.unwrap_or_default())
        })
        .collect();
    let methods: Vec<AnswerRow> = if row.is_app { method_rows(&report) } else { Vec::new() };
    let first = methods.iter().map(|row| &row.name).find(|name| has_method(&whole, name)).cloned();
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
