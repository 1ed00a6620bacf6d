//! Items of call hierarchies, weighed in joules.

use serde_json::{Value, json};
use wattle_units::Estimate;

use super::document_state::DocumentState;
use super::energy_symbols::detail;
use super::figure_text;
use crate::documents::PlacedMethod;

/// An item for a method at its place in a file.
pub(super) fn item(
    state: &DocumentState,
    placed: &PlacedMethod,
    (uri, name): (&str, &str),
    (energy, calls): (&Estimate, f64),
) -> Option<Value> {
    let method = state.versions().now.all.get(placed.method)?;
    let start = method.name_start;
    let rest = state.document.text().get(start..)?;
    let length = rest.split(|it: char| !it.is_alphanumeric() && it != '_').next()?.len();
    let class = method.class.rsplit('.').next().unwrap_or(&method.class);
    let mark = placed.freshness.mark();
    let mark = if mark.is_empty() { String::new() } else { format!(" · {mark}") };
    Some(json!({
        "name": format!("{class}.{}", method.name),
        "kind": 6,
        "detail": detail(&figure_text::energy(energy), figure_text::calls(calls)) + &mark,
        "uri": uri,
        "range": state.document.range(method.span.clone()),
        "selectionRange": state.document.range(start..start + length),
        "data": { "method": name },
    }))
}
