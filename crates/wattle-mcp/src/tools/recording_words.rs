//! Sentences about a recording that several tools say.

use wattle_power::Component;
use wattle_report::{ConsumerRow, Report};
use wattle_timeline::Severity;
use wattle_units::{Estimate, Nanos};

use super::ToolArguments;
use crate::answer::{AnswerRow, ToolAnswer, ToolError, clip, counted, percent, seconds};
use crate::opened::{EnergyQuery, GroupKind, OpenedRecording, energy_groups};

/// Names that are listed where one was not found.
const MOST_SUGGESTIONS: usize = 8;

/// The name of processes that nothing names.
const UNKNOWN_PROCESS: &str = "(unknown process)";

/// Whether a report has a method of this name, so that it can be explained.
pub fn has_method(report: &Report, name: &str) -> bool {
    let methods = report.software.code.iter().flat_map(|code| &code.methods);
    methods.into_iter().any(|row| row.place.name == name)
}

/// An answer about a recording, with what its figures cover.
pub fn answer_about(opened: &OpenedRecording, report: &Report, text: String) -> ToolAnswer {
    let mut answer = ToolAnswer::new(text);
    answer.recording = Some(opened.handle.clone());
    answer.coverage = coverage(report);
    answer
}

/// The components and the time of the total, and how its parts are known.
pub fn coverage(report: &Report) -> String {
    let energy = &report.energy;
    if energy.total.0.is_none() {
        return "no energy is known, which is not 0 J".to_owned();
    }
    let text = energy.coverage.as_ref().map_or_else(
        || "the ledger does not say which components it covers".to_owned(),
        |coverage| coverage.text.clone(),
    );
    match provenance_shares(report) {
        Some(shares) => format!("{text}; the total is {shares}"),
        None => text,
    }
}

/// The parts of the total that are measured, modelled and assumed, in percent.
pub fn provenance_shares(report: &Report) -> Option<String> {
    let shares = report.energy.provenance_shares?;
    let parts =
        [(shares.measured, "measured"), (shares.modelled, "modelled"), (shares.assumed, "assumed")];
    let words: Vec<String> = parts
        .into_iter()
        .filter(|(share, _)| *share >= 0.005)
        .map(|(share, word)| format!("{:.0} % {word}", share * 100.0))
        .collect();
    Some(words.join(", "))
}

/// The energy of the app that it is about, or of the device, in a sentence.
pub fn headline(opened: &OpenedRecording, report: &Report) -> String {
    let energy = &report.energy;
    let title = opened.title();
    let Some(total) = energy.total.0 else {
        let reason =
            energy.no_energy_reason.as_deref().unwrap_or("nothing was metered or modelled");
        let cpu = report.software.app.as_ref().and_then(|app| app.cpu);
        let cpu = cpu.map(|cpu| format!(" The app ran {} on a CPU.", seconds(cpu.seconds())));
        return format!("No energy figure for {title}: {reason}.{}", cpu.unwrap_or_default());
    };
    let part = energy.coverage.as_ref().map(|it| it.heading.as_str()).filter(|it| *it != "Total");
    let whole = match part {
        Some(part) => format!("of all {part} energy"),
        None => "of the total".to_owned(),
    };
    let of_all = format!("{total} {} in {title}", total.provenance);
    if let Some(app) = &report.software.app
        && let Some(used) = app.energy.0
    {
        let share = app.share.map(|share| format!(", {} {whole}", percent(share)));
        return format!(
            "{} used {used} {}{}: {of_all}.",
            clip(&app.packages.join(", "), 100),
            used.provenance,
            share.unwrap_or_default(),
        );
    }
    let is_program = |row: &&ConsumerRow| {
        row.energy.0.is_some() && !row.is_recorder && row.name != UNKNOWN_PROCESS
    };
    let first = report.software.consumers.iter().find(is_program);
    let first = first.and_then(|row| {
        let used = row.energy.0?;
        let share = row.share.map(|share| format!(", {}", percent(share)));
        Some(format!(
            " Most by a program: {}, {used}{}.",
            clip(&row.name, 100),
            share.unwrap_or_default()
        ))
    });
    let subject = match part {
        Some(part) => format!("The device's {part} energy (no other component is covered) was"),
        None => "The device used".to_owned(),
    };
    format!("{subject} {of_all}.{}", first.unwrap_or_default())
}

/// Refuses an app that is not in the recording.
pub fn check_app(report: &Report, arguments: &ToolArguments) -> Result<(), ToolError> {
    let Some(asked) = arguments.text("app") else { return Ok(()) };
    let Some(app) = &report.software.app else { return Ok(()) };
    if app.missing.is_empty() {
        return Ok(());
    }
    let known: Vec<&str> = if app.similar.is_empty() {
        report.software.consumers.iter().map(|row| row.name.as_str()).collect()
    } else {
        app.similar.iter().map(String::as_str).collect()
    };
    Err(not_found("app", asked, &known))
}

/// The error for a name that is not in a recording, with names that are.
pub fn not_found(kind: &str, asked: &str, known: &[&str]) -> ToolError {
    let asked = clip(asked, 120);
    if known.is_empty() {
        return ToolError::new(format!("no {kind} {asked}: this recording knows no {kind}"));
    }
    let lower = asked.to_lowercase();
    let near = |name: &&&str| {
        let name = name.to_lowercase();
        lower.split(['.', '$', ' ', '/']).any(|word| word.len() > 2 && name.contains(word))
    };
    let mut names: Vec<String> =
        known.iter().filter(near).take(MOST_SUGGESTIONS).map(|name| clip(name, 100)).collect();
    if names.is_empty() {
        names = known.iter().take(MOST_SUGGESTIONS).map(|name| clip(name, 100)).collect();
    }
    ToolError::new(format!(
        "no {kind} {asked} in this recording; expected one such as: {}",
        names.join(", ")
    ))
}

/// The name of a component in a sentence.
pub fn component_title(name: &str) -> String {
    match name {
        "battery" => "rest of the device (battery − components)".to_owned(),
        _ => Component::from(name).title().to_owned(),
    }
}

/// Apps and programs with all components, those that were asked for first; then what no program used.
pub fn consumer_rows(opened: &OpenedRecording, report: &Report) -> Vec<AnswerRow> {
    let consumers = &report.software.consumers;
    let is_known = |row: &&ConsumerRow| row.energy.0.is_some();
    let asked = consumers.iter().filter(|row| row.is_asked).filter(is_known);
    let others = consumers.iter().filter(|row| !row.is_asked).filter(is_known);
    let mut rows: Vec<AnswerRow> = asked.chain(others).map(consumer_row).collect();
    let total = report.energy.total.0;
    rows.extend(nobody_rows(opened, total));
    rows
}

fn consumer_row(row: &ConsumerRow) -> AnswerRow {
    let mut notes = Vec::new();
    if row.is_recorder {
        notes.push("recorder: profiling overhead".to_owned());
    }
    notes.extend(row.cpu.map(|cpu| format!("{} on a CPU", seconds(cpu.seconds()))));
    AnswerRow::new(if row.is_app { "app" } else { "program" }, row.name.as_str())
        .with_energy(row.energy.0)
        .with_share(row.share)
        .with_note(notes.join("; "))
}

/// Energy that no program used: idle floor, interrupts, unmetered, no cause recorded.
pub fn nobody_rows(opened: &OpenedRecording, total: Option<Estimate>) -> Vec<AnswerRow> {
    let accounts = energy_groups(&opened.ledger, GroupKind::Account, EnergyQuery::default());
    let is_nobody = |name: &str| !matches!(name, "threads" | "apps" | "profiling overhead");
    accounts
        .into_iter()
        .filter(|group| is_nobody(&group.name))
        .map(|group| {
            let share = share(group.energy, total);
            AnswerRow::new("account", group.name).with_energy(Some(group.energy)).with_share(share)
        })
        .collect()
}

/// The part of a whole.
pub fn share(part: Estimate, whole: Option<Estimate>) -> Option<f64> {
    let whole = whole.filter(|whole| whole.joules.value() > 0.0)?;
    Some(part.joules / whole.joules)
}

/// Components with energy of which no time is known, in a sentence; empty where there are none.
pub fn timeless_line(opened: &OpenedRecording) -> String {
    let names = opened.timeless_components();
    if names.is_empty() {
        return String::new();
    }
    let names: Vec<String> = names.into_iter().map(component_title).collect();
    format!("Not in a period, because its time is not known: {}", names.join(", "))
}

/// The components with energy in a period, and those whose energy has no known time.
pub fn period_coverage(opened: &OpenedRecording, query: EnergyQuery<'_>) -> String {
    let period = EnergyQuery { time: query.time, ..EnergyQuery::default() };
    let groups = energy_groups(&opened.ledger, GroupKind::Component, period);
    let known: Vec<String> = groups.iter().map(|group| component_title(&group.name)).collect();
    let missing: Vec<String> =
        opened.timeless_components().into_iter().map(component_title).collect();
    let known = if known.is_empty() { "no component".to_owned() } else { known.join(", ") };
    if missing.is_empty() {
        return format!("of this period: {known}");
    }
    format!(
        "of this period: {known}; not in it, because its time is not known: {}",
        missing.join(", ")
    )
}

/// The energy of a method by its calls, in words: `29 calls, 484 mJ (…) each`.
pub fn calls_text(calls: Option<u64>, mean: Option<Estimate>) -> String {
    match (calls.filter(|calls| *calls > 0), mean) {
        (Some(calls), Some(mean)) => format!("{}, {mean} each", counted(calls, "call")),
        (Some(calls), None) => counted(calls, "call"),
        (None, _) => String::new(),
    }
}

/// The mean power over a time, `215 mW`.
pub fn mean_power(energy: Estimate, time: Nanos) -> Option<String> {
    (time > Nanos::ZERO).then(|| (energy.joules / time).to_string())
}

/// Dropped events and warnings about the data, in a line; empty where there are none.
pub fn quality_line(report: &Report) -> String {
    let quality = &report.trust.quality;
    let mut parts = Vec::new();
    if quality.lost_events > 0 {
        parts.push(format!("{} dropped while recording", counted(quality.lost_events, "event")));
    }
    let notes = quality.quality.artifacts.iter().flat_map(|it| &it.notes);
    let notes = notes.chain(&quality.quality.notes);
    let worse = notes.filter(|note| note.severity > Severity::Info);
    let mut worse: Vec<String> = worse.map(|note| clip(&note.text, 160)).collect();
    let all = worse.len();
    worse.truncate(2);
    parts.append(&mut worse);
    if all > 2 {
        parts.push(format!("{} more in the report", counted((all - 2) as u64, "note")));
    }
    if parts.is_empty() { String::new() } else { format!("Data quality: {}", parts.join("; ")) }
}
