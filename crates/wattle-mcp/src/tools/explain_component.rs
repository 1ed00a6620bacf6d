//! `explain` of a component.

use wattle_report::Report;

use super::ToolArguments;
use super::greatest_consumers::component as asked_component;
use super::recording_words::{answer_about, component_title, share};
use crate::answer::{AnswerRow, NextQuestion, ToolAnswer, ToolError, percent, seconds};
use crate::opened::{EnergyQuery, GroupKind, OpenedRecording, energy_groups};

/// Rows of its users.
const MOST_ROWS: usize = 12;

pub(super) fn component(
    opened: &OpenedRecording,
    report: &Report,
    arguments: &ToolArguments,
) -> Result<ToolAnswer, ToolError> {
    let Some(component) = asked_component(report, arguments)? else {
        return Err(ToolError::new("component: expected a name"));
    };
    let rows = &report.hardware.components;
    let row = rows.iter().find(|row| row.name == component.name());
    let energy = row.and_then(|row| row.energy.0);
    let title = component_title(component.name());
    let used = energy
        .map_or("has no energy figure".to_owned(), |it| format!("used {it} {}", it.provenance));
    let part =
        row.and_then(|row| row.share).map(|share| format!(", {} of the total", percent(share)));
    let mean = row
        .and_then(|row| row.mean_mw)
        .map(|mw| format!("; mean power {}", wattle_units::Watts::new(mw / 1e3)));
    let text = format!("{title} {used}{}{}.", part.unwrap_or_default(), mean.unwrap_or_default());
    let mut answer = answer_about(opened, report, text);
    answer.fact(known_from(report, component.name()));
    for rail in
        report.hardware.rails.iter().filter(|rail| rail.component == component.name()).take(3)
    {
        let off = rail.disagreement.map(|off| format!(", {:+.0} % against the rail", off * 100.0));
        let model = rail
            .modelled
            .0
            .map(|it| format!("; the model alone says {it}{}", off.unwrap_or_default()));
        answer.fact(format!(
            "Power rail {}: {} in {}{}",
            rail.title,
            rail.energy.0.map_or("no figure".to_owned(), |it| it.to_string()),
            seconds(rail.covered_s),
            model.unwrap_or_default()
        ));
    }
    let query = EnergyQuery { component: Some(&component), ..EnergyQuery::default() };
    let users = energy_groups(&opened.ledger, GroupKind::App, query);
    let rows = users.into_iter().map(|group| {
        let part = share(group.energy, energy);
        AnswerRow::new(if group.is_of_programs { "user" } else { "account" }, group.name)
            .with_energy(Some(group.energy))
            .with_share(part)
    });
    answer.rows = rows.collect();
    answer.total_rows = answer.rows.len();
    answer.rows.truncate(MOST_ROWS);
    answer.rest = "Ask top with by: app and this component for all.";
    answer.heading = format!("Users of {title}, shares of its energy:");
    let kinds = [(GroupKind::Method, "method"), (GroupKind::Thread, "thread")];
    let known =
        kinds.into_iter().find(|(kind, _)| !energy_groups(&opened.ledger, *kind, query).is_empty());
    let next = NextQuestion::new("top", "who used it").with("recording", opened.handle.as_str());
    answer.next.push(match known {
        Some((_, by)) => next.with("by", by).with("component", component.name()),
        None => next.with("by", "app").with("component", component.name()),
    });
    Ok(answer)
}

/// The data that its energy was estimated from.
fn known_from(report: &Report, name: &str) -> String {
    let Some(coverage) = &report.energy.coverage else { return String::new() };
    let Some(row) = coverage.components.iter().find(|row| row.name == name) else {
        return String::new();
    };
    let parts: Vec<String> = row
        .parts
        .iter()
        .map(|part| {
            format!(
                "{} ({}) for {}",
                part.from.title(),
                part.provenance,
                seconds(part.covered.seconds())
            )
        })
        .collect();
    if parts.is_empty() { String::new() } else { format!("Known from {}", parts.join("; ")) }
}
