//! Methods of the whole project by energy.

use serde_json::{Value, json};

use super::figure_text;
use crate::energy::{GroupEnergies, MethodRow};
use crate::source::Declaration;

/// The most symbols of an answer.
pub(super) const MOST_SYMBOLS: usize = 50;
/// The most methods whose files are looked for.
pub(super) const MOST_LOOKED_AT: usize = 400;

/// The rows whose names contain a text, those of most own energy first.
pub(super) fn rows(group: &GroupEnergies, query: &str) -> Vec<usize> {
    let query = query.to_lowercase();
    let is_meant = |at: &usize| group.methods.name(*at).to_lowercase().contains(&query);
    let places = group.methods.by_energy().into_iter().map(|at| at as usize);
    places.filter(is_meant).take(MOST_LOOKED_AT).collect()
}

/// A symbol at a place; the name has the energy, because lists of symbols show little else.
pub(super) fn symbol(
    group: &GroupEnergies,
    row: &MethodRow,
    method: &Declaration,
    place: &Value,
) -> Value {
    let class = method.class.rsplit('.').next().unwrap_or(&method.class);
    let share =
        figure_text::share(group, row.own.joules).map(|it| format!(", {it}")).unwrap_or_default();
    json!({
        "name": format!("{class}.{} — self {}{share}", method.name, figure_text::energy(&row.own)),
        "kind": 6,
        "containerName": method.class,
        "location": place,
    })
}

/// The detail of an item of a call tree.
pub(super) fn detail(words: &str, calls: Option<String>) -> String {
    calls.map_or_else(|| words.to_owned(), |calls| format!("{words} · {calls}"))
}
