//! Methods that are probably one method under two names.

use std::collections::{BTreeMap, BTreeSet};

use wattle_compare::{Confidence, MethodShape, renames};
use wattle_table::{Column, describe};
use wattle_units::Joules;

use super::forest::Forest;
use super::{ChangedMethodRow, FlameKind};

/// A method that is gone and a new one that are probably the same: what encloses them, their callers and their callees agree, and those of no other do.
#[derive(Clone, Debug, PartialEq)]
pub struct RenamedMethodRow {
    /// The processes.
    pub process: String,
    /// The name in the first run.
    pub before: String,
    /// The name in the second.
    pub after: String,
    /// Confidence that both are one method.
    pub confidence: Confidence,
    /// The difference of the self energies, if they are.
    pub joules: Joules,
}

describe!(
    RenamedMethodRow,
    "renamed_method",
    "a removed method and a new one that are probably the same",
    [
        Column::text("process", "name of the processes", |row: &RenamedMethodRow| &row.process),
        Column::text("before", "name in the first run", |row: &RenamedMethodRow| &row.before),
        Column::text("after", "name in the second run", |row: &RenamedMethodRow| &row.after),
        Column::text(
            "confidence",
            "high: callers, callees and class agree; moderate: callers and callees",
            |row: &RenamedMethodRow| row.confidence.name()
        )
        .words(Confidence::NAMES),
        Column::joules(
            "difference_joules",
            "difference of the self energies, if both are one method",
            |row: &RenamedMethodRow| row.joules.value()
        ),
    ]
);

/// Names of callers and of callees.
#[derive(Default)]
struct Surroundings<'a> {
    callers: BTreeSet<&'a str>,
    callees: BTreeSet<&'a str>,
}

/// Pairs removed methods with new ones of the same process, largest change first.
pub(super) fn renamed(forest: &Forest, rows: &[ChangedMethodRow]) -> Vec<RenamedMethodRow> {
    let mut of_process: BTreeMap<&str, [Vec<&ChangedMethodRow>; 2]> = BTreeMap::new();
    let mut common: BTreeSet<(&str, &str)> = BTreeSet::new();
    for row in rows {
        let of = of_process.entry(&row.process).or_default();
        match (row.before, row.after) {
            (Some(_), None) => of[0].push(row),
            (None, Some(_)) => of[1].push(row),
            _ => {
                common.insert((&row.process, &row.name));
            }
        }
    }
    of_process.retain(|_, of| of.iter().all(|rows| !rows.is_empty()));
    if of_process.is_empty() {
        return Vec::new();
    }
    let surroundings = surroundings(forest, &common);
    let mut found = Vec::new();
    for (process, of) in of_process {
        let shapes = of.each_ref().map(|rows| {
            let shapes = rows.iter().copied().map(|row| {
                let around = surroundings.get(&(process, row.name.as_str()));
                MethodShape {
                    class: class(&row.name),
                    descriptor: None,
                    callers: around.map_or_else(BTreeSet::new, |it| it.callers.clone()),
                    callees: around.map_or_else(BTreeSet::new, |it| it.callees.clone()),
                }
            });
            shapes.collect::<Vec<_>>()
        });
        let pairs = renames(&shapes[0], &shapes[1]).into_iter();
        found.extend(pairs.map(|pair| {
            let (before, after) = (of[0][pair.before], of[1][pair.after]);
            RenamedMethodRow {
                process: process.to_owned(),
                before: before.name.clone(),
                after: after.name.clone(),
                confidence: pair.confidence,
                joules: before.own.joules() + after.own.joules(),
            }
        }));
    }
    found.sort_by(|a, b| b.joules.abs().value().total_cmp(&a.joules.abs().value()));
    found
}

/// Callers and callees of all methods, by process and name: those that both runs have.
fn surroundings<'a>(
    forest: &'a Forest,
    common: &BTreeSet<(&str, &str)>,
) -> BTreeMap<(&'a str, &'a str), Surroundings<'a>> {
    let mut found: BTreeMap<(&str, &str), Surroundings<'_>> = BTreeMap::new();
    let mut process = vec![0; forest.nodes.len()];
    for (at, node) in forest.nodes.iter().enumerate() {
        let parent = &forest.nodes[node.parent];
        process[at] = if parent.kind == FlameKind::Root { at } else { process[node.parent] };
        if node.kind != FlameKind::Call || parent.kind != FlameKind::Call {
            continue;
        }
        let process = forest.nodes[process[at]].name.as_str();
        let (caller, callee) = (parent.name.as_str(), node.name.as_str());
        if common.contains(&(process, callee)) {
            found.entry((process, caller)).or_default().callees.insert(callee);
        }
        if common.contains(&(process, caller)) {
            found.entry((process, callee)).or_default().callers.insert(caller);
        }
    }
    found
}

/// The class of a method's name; empty without one.
fn class(name: &str) -> &str {
    let name = name.split_once('(').map_or(name, |(name, _)| name);
    name.rsplit_once(['.', '#']).map_or("", |(class, _)| class)
}
