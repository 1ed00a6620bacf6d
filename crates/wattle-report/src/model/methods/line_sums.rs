//! Energies and calls of each line of a method.

use std::collections::BTreeMap;

use wattle_ledger::Ledger;
use wattle_timeline::SiteKind;

use super::api_tally::ApiTally;
use super::outermost::Around;
use super::owners::{Method, NOBODY, Owners, site};
use super::sums::PathSums;
use crate::model::{CallTree, Tally};

/// A place in a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place<'a> {
    /// A line, or several of which it is one.
    Lines(Option<&'a str>, &'a [u32]),
    /// A line that nobody knows.
    Unknown,
    /// The method's own code.
    Itself,
}

/// A callee of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Callee {
    /// A method of the framework.
    Api(u32),
    /// A method of the app, or slices of which only the name is known.
    Method(u32),
}

/// Energies of a line.
#[derive(Clone, Debug, Default)]
pub(super) struct LineSums {
    /// Without what other methods of the app drew.
    pub own: Tally,
    /// With it.
    pub total: Tally,
    pub api_own: ApiTally,
    pub api_total: ApiTally,
    /// Calls, by what is called.
    pub callees: BTreeMap<Callee, u64>,
}

/// Call paths with their owners.
pub(super) struct LinePaths<'a, 'b> {
    pub ledger: &'a Ledger,
    pub tree: &'b CallTree,
    pub methods: &'b Owners<Method<'a>>,
    /// The API of each path.
    pub apis: &'b [u32],
    /// The outer path of the same method.
    pub around: &'b [Option<Around>],
}

type Lines<'a> = BTreeMap<Place<'a>, LineSums>;

/// The lines of each method.
///
/// Each joule of a method's total has one place in it: where its innermost open call of that method was at. Of a method that calls
/// itself it is therefore the inner call's line that counts.
pub(super) fn by_method<'a>(paths: &LinePaths<'a, '_>, sums: &PathSums<'_>) -> Vec<Lines<'a>> {
    let LinePaths { ledger, tree, methods, apis, around } = *paths;
    let mut all: Vec<Lines<'a>> = vec![BTreeMap::new(); methods.things.len()];
    let place = |at: usize, method: u32| place(ledger, methods, at, method);
    for (at, owner) in methods.of_path.iter().enumerate() {
        let Some(lines) = all.get_mut(*owner as usize) else { continue };
        let outer = around[at];
        // What goes to another line of the same method now was that of the outer call's line before.
        let was = outer.filter(|outer| is_call(ledger, outer.path) || outer.toward != at);
        if let Some(Around { path, toward }) = was {
            let from = if is_call(ledger, path) { path } else { toward };
            let line = lines.entry(place(from, *owner)).or_default();
            line.total.remove(&sums.total[at]);
            line.api_total.remove(&sums.api_total[at]);
        }
        if is_call(ledger, at) {
            let line = lines.entry(place(at, *owner)).or_default();
            line.own.merge(&sums.own[at]);
            line.api_own.merge(&sums.api_own[at]);
            line.total.merge(&sums.total[at]);
            line.api_total.merge(&sums.api_total[at]);
            let calls = line.callees.entry(Callee::Api(apis[at])).or_default();
            *calls = calls.saturating_add(ledger.rows.paths[at].calls);
            continue;
        }
        let itself = lines.entry(Place::Itself).or_default();
        itself.own.merge(&sums.own[at]);
        itself.total.merge(&sums.own[at]);
        for callee in tree.callees(at) {
            let of = methods.of_path[*callee];
            if of == NOBODY || (of == *owner && is_call(ledger, *callee)) {
                continue;
            }
            let line = lines.entry(place(*callee, *owner)).or_default();
            let calls = line.callees.entry(Callee::Method(of)).or_default();
            *calls = calls.saturating_add(ledger.rows.paths[*callee].calls);
            if of != *owner {
                line.total.merge(&sums.total[*callee]);
                line.api_total.merge(&sums.api_total[*callee]);
            }
        }
    }
    all
}

fn is_call(ledger: &Ledger, path: usize) -> bool {
    site(ledger, &ledger.rows.paths[path]).is_some_and(|site| site.kind == SiteKind::Call)
}

/// Returns the place in a method from which a path below it is called.
fn place<'a>(
    ledger: &'a Ledger,
    methods: &Owners<Method<'a>>,
    path: usize,
    method: u32,
) -> Place<'a> {
    let entry = &ledger.rows.paths[path];
    let file = methods.things.get(method as usize).and_then(|method| method.file);
    let call = site(ledger, entry).filter(|site| site.kind == SiteKind::Call);
    match call {
        // A call that stands in another method, which has no probes: from where that was called is not known.
        Some(_) if methods.of_path[path] != method => Place::Unknown,
        Some(site) if site.line.is_some() => {
            Place::Lines(site.file.as_deref().or(file), site.line.as_slice())
        }
        _ if !entry.from_lines.is_empty() => Place::Lines(file, &entry.from_lines),
        _ => Place::Unknown,
    }
}
