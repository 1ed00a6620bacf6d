//! Inlay hints and code lenses.

use ls_types::Position;
use serde::Serialize;
use serde_json::{Value, json};

use super::document_state::{DocumentState, FigureForm};
use super::editor_settings::EditorSettings;
use super::figure_text;
use super::method_hover::method_text;
use crate::documents::{PlacedLine, PlacedMethod};
use crate::energy::{GroupEnergies, MethodRow};

/// A hint as the protocol has it (`InlayHint`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Hint {
    position: Position,
    label: String,
    tooltip: Tooltip,
    padding_left: bool,
}

/// The text over a hint (`MarkupContent`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Tooltip {
    kind: &'static str,
    value: String,
}

/// The hints of a range of lines, complete: not every client asks for more of a hint later.
pub(super) fn hints(
    state: &DocumentState,
    (groups, shown): (&[std::sync::Arc<GroupEnergies>], usize),
    settings: &EditorSettings,
    lines: std::ops::RangeInclusive<u32>,
) -> Vec<Hint> {
    let Some(group) = groups.get(shown) else { return Vec::new() };
    let annotated = state.annotated(shown);
    let document = &state.document;
    let mut hints = Vec::new();
    let hint = |line: u32, label: String, value: String| Hint {
        position: document.line_end(line),
        label,
        tooltip: Tooltip { kind: "markdown", value },
        padding_left: true,
    };
    for (line, methods) in by_line(state, &annotated.methods).into_iter().filter(|_| settings.hints)
    {
        if !lines.contains(&line) {
            continue;
        }
        let parts: Vec<String> = methods
            .iter()
            .filter_map(|placed| {
                let row =
                    group.methods.row(placed.row).filter(|row| is_shown(group, row, settings))?;
                let name = (methods.len() > 1)
                    .then(|| format!("{}: ", state.versions().now.all[placed.method].name));
                let figures =
                    state.figure_text(FigureForm::Hint, (shown, placed.row), || figures(row));
                Some(name.unwrap_or_default() + &marked(&figures, placed.freshness.mark()))
            })
            .collect();
        if parts.is_empty() {
            continue;
        }
        let tooltips: Vec<String> =
            methods.iter().map(|placed| method_text(state, groups, placed.method)).collect();
        hints.push(hint(line, parts.join("; "), tooltips.join("\n\n---\n\n")));
    }
    for placed in annotated.lines.iter().filter(|_| settings.line_hints) {
        let joules = placed.run_line.energy.joules;
        if lines.contains(&placed.line) && is_enough(group.share(joules), settings) {
            hints.push(hint(placed.line, line_text(placed), line_tooltip(group, placed)));
        }
    }
    hints.sort_by_key(|hint| hint.position.line);
    hints
}

/// The lenses of a file, complete.
pub(super) fn lenses(
    state: &DocumentState,
    (groups, shown): (&[std::sync::Arc<GroupEnergies>], usize),
    settings: &EditorSettings,
) -> Vec<Value> {
    let Some(group) = groups.get(shown).filter(|_| settings.lenses) else { return Vec::new() };
    let annotated = state.annotated(shown);
    let lens = |placed: &PlacedMethod| {
        let row = group.methods.row(placed.row).filter(|row| is_shown(group, row, settings))?;
        let method = state.versions().now.all.get(placed.method)?;
        let start = method.name_start;
        let length = state
            .document
            .text()
            .get(start..)?
            .split(|it: char| !it.is_alphanumeric() && it != '_')
            .next()?
            .len();
        let arguments =
            json!([{ "run": group.newest(), "method": group.methods.name(placed.row) }]);
        Some(json!({
            "range": state.document.range(start..start + length),
            "command": { "title": lens_text(group, row, placed), "command": "wattle.openPage", "arguments": arguments },
        }))
    };
    annotated.methods.iter().filter_map(lens).collect()
}

/// Methods by the line of their names.
fn by_line<'p>(
    state: &DocumentState,
    methods: &'p [PlacedMethod],
) -> Vec<(u32, Vec<&'p PlacedMethod>)> {
    let mut lines: Vec<(u32, Vec<&PlacedMethod>)> = Vec::new();
    for placed in methods {
        let Some(method) = state.versions().now.all.get(placed.method) else { continue };
        match lines.last_mut().filter(|(line, _)| *line == method.line) {
            Some((_, all)) => all.push(placed),
            None => lines.push((method.line, vec![placed])),
        }
    }
    lines
}

fn is_shown(group: &GroupEnergies, row: &MethodRow, settings: &EditorSettings) -> bool {
    is_enough(group.share(row.total.joules), settings)
}

fn is_enough(share: Option<f64>, settings: &EditorSettings) -> bool {
    settings.minimum_share <= 0.0 || share.is_some_and(|share| share >= settings.minimum_share)
}

/// `stale · 45.1 mJ (38.0 mJ – 52.3 mJ), self 12.3 mJ (…) · ▲ …`.
pub(super) fn hint_text(row: &MethodRow, placed: &PlacedMethod) -> String {
    marked(&figures(row), placed.freshness.mark())
}

/// The same without the mark.
fn figures(row: &MethodRow) -> String {
    let mut text = figure_text::energy(&row.total);
    if row.own != row.total {
        text = format!("{text}, self {}", figure_text::energy(&row.own));
    }
    let change = row.changes.as_ref().and_then(|changes| figure_text::certain_change(&changes[1]));
    if let Some(change) = change {
        text = format!("{text} · {change}");
    }
    text
}

/// The mark stands before the figures: behind them it would be beyond the edge of a narrow window.
fn marked(text: &str, mark: &str) -> String {
    if mark.is_empty() { text.to_owned() } else { format!("{mark} · {text}") }
}

fn lens_text(group: &GroupEnergies, row: &MethodRow, placed: &PlacedMethod) -> String {
    let parts = [
        Some(format!("total {}", figure_text::energy(&row.total))),
        Some(format!("self {}", figure_text::energy(&row.own))),
        figure_text::share(group, row.total.joules),
        figure_text::calls(row.calls),
        Some(row.total.provenance.to_string()),
        row.changes.as_ref().and_then(|changes| figure_text::certain_change(&changes[1])),
        Some(placed.freshness.mark().to_owned()).filter(|mark| !mark.is_empty()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// `stale · calls 45.1 mJ (38.0 mJ – 52.3 mJ)`.
pub(super) fn line_text(placed: &PlacedLine) -> String {
    let text = format!("calls {}", figure_text::energy(&placed.run_line.energy));
    marked(&text, placed.freshness.mark())
}

fn line_tooltip(group: &GroupEnergies, placed: &PlacedLine) -> String {
    let line = &placed.run_line;
    let run = group.newest().map(|run| format!("run:{run}")).unwrap_or_default();
    let calls =
        figure_text::calls(line.calls as f64).map(|it| format!(", {it}")).unwrap_or_default();
    let names: Vec<String> =
        line.callees.iter().map(|name| format!("`{}`", name.replace('`', "'"))).collect();
    let stale = placed.freshness.explanation().map(|it| format!("\n\n{it}")).unwrap_or_default();
    format!(
        "Energy of what this line calls: {}, {}{calls}, in {run}: {}. Nothing measures single lines.{stale}",
        figure_text::energy(&line.energy),
        line.energy.provenance,
        names.join(", ")
    )
}
