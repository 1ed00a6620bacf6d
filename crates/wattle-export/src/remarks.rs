//! Remarks on the figures of an export that its reader must know, as sentences: for formats that have room for
//! comments.

use wattle_ledger::Ledger;
use wattle_power::Component;
use wattle_timeline::Severity;

use crate::Extract;

/// The most warnings that are repeated.
const MOST_WARNINGS: usize = 20;

/// Model, provenance, total with its interval, and what the recording lacks.
pub fn remarks(extract: &Extract<'_>) -> Vec<String> {
    let ledger = extract.ledger();
    let mut remarks = vec![format!("Energy by Wattle {}.", env!("CARGO_PKG_VERSION"))];
    if let Some(total) = extract.total() {
        let (low, high) = (total.interval.low.value(), total.interval.high.value());
        remarks.push(format!(
            "Total {} J, 90 % interval {low} J to {high} J, {}.",
            total.joules.value(),
            total.provenance
        ));
    } else {
        remarks.push("No energy is known: nothing that draws power was recorded.".to_owned());
    }
    if let Some(coverage) = &ledger.power.coverage
        && !coverage.missing.is_empty()
    {
        let missing: Vec<&str> = coverage.missing.iter().map(Component::title).collect();
        remarks.push(format!("Not estimated and in no total: {}.", missing.join(", ")));
    }
    if extract.is_part() {
        remarks.push("A part of the ledger: threads and apps that were asked for.".to_owned());
    }
    if let Some(model) = &ledger.power.model {
        remarks.push(format!(
            "Model {} ({}), {}, chosen by {}; source: {}.",
            model.name, model.kind, model.provenance, model.chosen, model.source
        ));
    }
    for component in &ledger.rows.components {
        remarks.push(format!("Component {}: {}.", component.name, component.provenance));
    }
    remarks.push(format!("Shared power is divided: {}.", ledger.power.shared_policy));
    if !ledger.recording.has_scheduler {
        remarks.push("No scheduler was recorded.".to_owned());
    }
    if let Some(sampling) = &ledger.sheets.sampling {
        remarks.push(sampled(sampling));
    }
    let warnings = ledger.quality.notes.iter().filter(|note| note.severity != Severity::Info);
    remarks.extend(warnings.take(MOST_WARNINGS).map(|note| format!("Warning: {}.", note.text)));
    remarks
}

fn sampled(sampling: &wattle_ledger::Sampling) -> String {
    let inferred = if sampling.is_schedule_inferred { "inferred from them" } else { "recorded" };
    format!(
        "Stacks of {} samples of {}; {} end early, {} have none; time on CPUs is {inferred}, {} ns of it without a sample.",
        sampling.samples,
        sampling.event,
        sampling.truncated,
        sampling.without_stack,
        sampling.unsampled.value()
    )
}

/// The device and the apps, in one line.
pub fn title(ledger: &Ledger) -> String {
    let device: Vec<&str> =
        [ledger.recording.device.manufacturer.as_deref(), ledger.recording.device.model.as_deref()]
            .into_iter()
            .flatten()
            .collect();
    let mut parts: Vec<String> = ledger.recording.apps.clone();
    if !device.is_empty() {
        parts.push(device.join(" "));
    }
    if parts.is_empty() { "Wattle".to_owned() } else { parts.join(", ") }
}
