//! Two runs as collapsed stacks: `stack before after`.

use std::fmt::Write as _;

use wattle_ledger::Ledger;
use wattle_power::ErrorBasis;

use super::forest::{AddedRun, Forest};
use super::{FlameKind, FlameOptions, PerUnit};
use crate::clean::clean;

/// Collapsed stacks of two runs, a line each: `process;thread;a;b 1200 1350`, in microjoules (per unit of `per`), as
/// `difffolded.pl` writes and `flamegraph.pl` reads them. In order of the stacks' names.
///
/// The rounding error of one stack is added to the next, so that each column's sum is right to one microjoule.
pub fn folded_diff(ledgers: [&Ledger; 2], per: &PerUnit, options: &FlameOptions) -> String {
    let mut forest = Forest::new(super::diff_report::common_components(ledgers));
    let totals = ledgers.map(Ledger::source_totals);
    // Stacks have no intervals, so that nothing needs to be known of errors in common.
    let basis = ErrorBasis::new(
        [(&ledgers[0].power.errors, &totals[0]), (&ledgers[1].power.errors, &totals[1])],
        false,
    );
    for run in wattle_power::ComparedRun::BOTH {
        let factor = per.factors()[run.index()];
        forest.add(&AddedRun { ledger: ledgers[run.index()], run, basis: &basis, factor }, options);
    }
    let mut stacks: Vec<(String, [f64; 2])> = Vec::new();
    let mut names: Vec<String> = Vec::with_capacity(forest.nodes.len());
    for node in &forest.nodes {
        let own = frame(node.kind, &node.name);
        let stack = match names.get(node.parent) {
            Some(parent) if !parent.is_empty() => format!("{parent};{own}"),
            _ => own,
        };
        let joules =
            [0, 1].map(|run: usize| node.runs[run].as_ref().map_or(0.0, |run| run.own.joules()));
        if joules != [0.0; 2] {
            stacks.push((stack.clone(), joules));
        }
        names.push(stack);
    }
    stacks.sort_by(|a, b| a.0.cmp(&b.0));
    let mut text = String::new();
    let mut owed = [0.0; 2];
    for (stack, joules) in stacks {
        let units = [0, 1].map(|run: usize| {
            let exact = joules[run] * 1e6 + owed[run];
            let units = exact.round().max(0.0);
            owed[run] = exact - units;
            units as u64
        });
        if units != [0; 2] {
            // Writing to a String does not fail.
            let _ = writeln!(text, "{stack} {} {}", units[0], units[1]);
        }
    }
    text
}

/// A name as a frame: semicolons part frames, lines part stacks.
fn frame(kind: FlameKind, name: &str) -> String {
    if kind == FlameKind::Root {
        return String::new();
    }
    let name = clean(name).replace(';', ":");
    let name = name.trim();
    match (name.is_empty(), kind) {
        (true, _) => "(no name)".to_owned(),
        (false, FlameKind::Account) => format!("[{name}]"),
        (false, _) => name.to_owned(),
    }
}
