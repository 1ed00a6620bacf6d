//! Energies by line, for clients that draw them as bars.

use serde_json::{Value, json};
use wattle_units::{Estimate, Joules};

use super::document_state::DocumentState;
use super::method_hints::{hint_text, line_text};
use crate::documents::PlacedLine;
use crate::energy::GroupEnergies;

/// The energies of all lines of a file that have one: declarations with the total of their method, lines that call something with the
/// energy of what they call. They overlap, and add up to nothing.
pub(super) fn rows(state: &DocumentState, (group, shown): (&GroupEnergies, usize)) -> Vec<Value> {
    let annotated = state.annotated(shown);
    let run = group.newest();
    let row = |line: u32, kind: &str, energy: &Estimate, text: String, mark: &str| {
        json!({
            "line": line,
            "kind": kind,
            "joules": energy.joules.value(),
            "interval_joules": [energy.interval.low.value(), energy.interval.high.value()],
            "provenance": energy.provenance.to_string(),
            "share": share(group, energy.joules),
            "text": text,
            "mark": Some(mark).filter(|mark| !mark.is_empty()),
            "run": run,
        })
    };
    let methods = annotated.methods.iter().filter_map(|placed| {
        let method = state.versions().now.all.get(placed.method)?;
        let energies = group.methods.row(placed.row)?;
        let text = hint_text(energies, placed);
        let mut row = row(method.line, "method", &energies.total, text, placed.freshness.mark());
        row["method"] = group.methods.name(placed.row).into();
        Some(row)
    });
    let calls = annotated.lines.iter().map(|placed: &PlacedLine| {
        let energy = &placed.run_line.energy;
        row(placed.line, "calls", energy, line_text(placed), placed.freshness.mark())
    });
    let mut rows: Vec<Value> = methods.chain(calls).collect();
    rows.sort_by_key(|row| row["line"].as_u64());
    rows
}

fn share(group: &GroupEnergies, joules: Joules) -> Option<f64> {
    group.share(joules).filter(|share| share.is_finite())
}
