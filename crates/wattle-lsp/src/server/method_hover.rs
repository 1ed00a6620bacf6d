//! Hovers over methods.

use std::fmt::Write as _;
use std::sync::Arc;

use super::document_state::{DocumentState, FigureForm};
use super::figure_text;
use crate::energy::{GroupEnergies, MethodRow};

/// The most lambdas that are listed.
const MOST_INNER: usize = 8;

/// The figures of a method in all groups, as Markdown; empty where there are none.
pub(super) fn method_text(
    state: &DocumentState,
    groups: &[Arc<GroupEnergies>],
    method: usize,
) -> String {
    let mut parts = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        let annotated = state.annotated(number);
        if let Some(placed) = annotated.of_method(method) {
            let Some(row) = group.methods.row(placed.row) else { continue };
            let figures = state.figure_text(FigureForm::Hover, (number, placed.row), || {
                figures(group, group.methods.name(placed.row), row)
            });
            let mut text = figures.to_string();
            for row in placed.inner.iter().take(MOST_INNER) {
                if let Some(inner) = group.methods.row(*row) {
                    let (name, energy) =
                        (code(group.methods.name(*row)), figure_text::energy(&inner.total));
                    let _ = write!(text, "\nCode in it: {name} {energy}\n");
                }
            }
            if let Some(was) = &placed.was {
                let _ = write!(text, "\nWas {} when it ran.\n", code(was));
            }
            if let Some(explanation) = placed.freshness.explanation() {
                let _ = write!(text, "\n{explanation}\n");
            }
            parts.push(text);
        }
    }
    parts.join("\n")
}

/// The figures of a row, as Markdown.
fn figures(group: &GroupEnergies, name: &str, row: &MethodRow) -> String {
    let mut text = format!("**{}** — {}\n\n", code(name), plain(&group.title()));
    text.push_str("| | a run | 90 % interval | share |\n|---|---|---|---|\n");
    for (word, energy) in [("self", &row.own), ("total", &row.total)] {
        let interval = format!(
            "{} – {}",
            figure_text::joules(energy.interval.low),
            figure_text::joules(energy.interval.high)
        );
        let share = figure_text::share(group, energy.joules).unwrap_or_else(|| "–".to_owned());
        let value = figure_text::joules(energy.joules);
        let _ = writeln!(text, "| {word} | {value} | {interval} | {share} |");
    }
    let mut facts = Vec::new();
    match (figure_text::calls(row.calls), figure_text::per_call(row)) {
        (Some(calls), Some(each)) => facts.push(format!("{calls} a run, {each}")),
        _ => facts.push("calls not counted (known from samples)".to_owned()),
    }
    facts.push(row.total.provenance.to_string());
    let all = group.runs.runs.len();
    if all > 1 {
        facts.push(format!("occurred in {} of {all} runs", row.runs));
    }
    let _ = write!(text, "\n{}\n", facts.join(" · "));
    if let Some(changes) = &row.changes {
        let verdict = match changes[1].verdict {
            Some(0) => "no change that matters",
            Some(1..) => "higher",
            Some(_) => "lower",
            None => "inconclusive",
        };
        let _ = write!(
            text,
            "\nAgainst {} ({}): total {}, self {}: {verdict}\n",
            plain(&group.runs.before_name),
            match group.runs.before.len() {
                1 => "1 run".to_owned(),
                count => format!("{count} runs"),
            },
            figure_text::change(&changes[1]),
            figure_text::change(&changes[0]),
        );
    }
    text
}

/// A name as code: whatever it contains, it is no markup.
pub(super) fn code(name: &str) -> String {
    let name: String = name.chars().filter(|it| !it.is_control()).collect();
    format!("`{}`", name.replace('`', "'"))
}

/// A text of others without markup.
pub(super) fn plain(text: &str) -> String {
    let is_markup = |letter: char| "\\`*_{}[]<>()#+!|~".contains(letter);
    text.chars()
        .filter(|it| !it.is_control())
        .flat_map(|it| is_markup(it).then_some('\\').into_iter().chain([it]))
        .collect()
}
