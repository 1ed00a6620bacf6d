//! Methods of a flame graph: all calls of one name in a process.

use std::collections::HashMap;

use wattle_compare::{Change, Dependence, adjusted};
use wattle_ledger::{FrameClass, Ledger};
use wattle_power::{ComparedRun, ErrorBasis, ErrorModel, SourceTotals};
use wattle_table::{Column, Row, describe};
use wattle_units::Nanos;

use super::component_tally::ComponentTally;
use super::forest::{AddedRun, Forest};
use super::graph::{FRAME_CLASSES, Figures, watched};
use super::{Compared, FlameKind, FlameOptions};
use crate::series::SeriesPart;

/// Counts of a method in one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MethodRun {
    /// Calls.
    pub calls: u64,
    /// Samples that found it innermost.
    pub samples: u64,
    /// Time on a CPU while it was innermost.
    pub cpu: Nanos,
}

/// A method, a slice or a frame by its name, in all processes of one name.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedMethodRow {
    /// The processes.
    pub process: String,
    /// Its name.
    pub name: String,
    /// Class of its frames; `None` if no sample found it.
    pub class: Option<FrameClass>,
    /// In the first run; `None` where that did not see it.
    pub before: Option<MethodRun>,
    /// In the second.
    pub after: Option<MethodRun>,
    /// Energy while it was innermost.
    pub own: Compared,
    /// Energy with all that it called, once where it calls itself.
    pub total: Compared,
}

describe!(
    MethodRun,
    "method_run",
    "counts of a method in one run",
    [
        Column::count("calls", "calls", |row: &MethodRun| row.calls),
        Column::count("samples", "samples that found it innermost", |row: &MethodRun| row.samples),
        Column::time("self_cpu_s", "time on a CPU while it was innermost", |row: &MethodRun| row
            .cpu),
    ]
);

describe!(
    ChangedMethodRow,
    "method",
    "a method, slice or frame by its name, in all processes of one name",
    [
        Column::text("process", "name of the processes", |row: &ChangedMethodRow| &row.process),
        Column::text("name", "its name", |row: &ChangedMethodRow| &row.name),
        Column::maybe_text(
            "class",
            "class of its frames; null if no sample found it",
            |row: &ChangedMethodRow| row.class.map(FrameClass::name)
        )
        .words(FRAME_CLASSES),
        Column::maybe_object::<MethodRun>(
            "before",
            "counts in the first run; null if it is not in it",
            |row: &ChangedMethodRow| row.before.as_ref().map(|it| it as &dyn Row)
        ),
        Column::maybe_object::<MethodRun>(
            "after",
            "counts in the second run; null if it is not in it",
            |row: &ChangedMethodRow| row.after.as_ref().map(|it| it as &dyn Row)
        ),
        Column::object::<Compared>(
            "self",
            "energy while it was innermost",
            |row: &ChangedMethodRow| &row.own
        ),
        Column::object::<Compared>(
            "total",
            "energy with all that it called, once where it calls itself",
            |row: &ChangedMethodRow| &row.total
        ),
    ]
);

/// Intermediate sums of a method.
#[derive(Default)]
struct Sums {
    class: Option<(FrameClass, u64)>,
    runs: [Option<MethodRun>; 2],
    own: [ComponentTally; 2],
    total: [ComponentTally; 2],
}

/// Methods, those that changed by most in sum first.
pub(super) fn methods(forest: &Forest, figures: &Figures<'_>) -> Vec<ChangedMethodRow> {
    let mut names: HashMap<(usize, &str), usize> = HashMap::new();
    let mut keys: Vec<(usize, &str)> = Vec::new();
    let mut process = vec![0; forest.nodes.len()];
    let of_node: Vec<Option<usize>> = forest
        .nodes
        .iter()
        .enumerate()
        .map(|(at, node)| {
            process[at] = if forest.nodes[node.parent].kind == FlameKind::Root {
                at
            } else {
                process[node.parent]
            };
            let key = (process[at], node.name.as_str());
            (node.kind == FlameKind::Call).then(|| {
                *names.entry(key).or_insert_with(|| {
                    keys.push(key);
                    keys.len() - 1
                })
            })
        })
        .collect();
    let is_outermost = outermost(forest, &of_node, keys.len());
    let mut sums: Vec<Sums> = (0..keys.len()).map(|_| Sums::default()).collect();
    forest.visit(|at, totals, _| {
        let Some(method) = of_node[at] else { return };
        let (node, sums) = (&forest.nodes[at], &mut sums[method]);
        if let Some((_, samples)) = node.class
            && sums.class.is_none_or(|(_, most)| most < samples)
        {
            sums.class = node.class;
        }
        for (run, of_run) in totals.iter().enumerate() {
            let Some(counted) = &node.runs[run] else { continue };
            let to = sums.runs[run].get_or_insert_default();
            to.calls += counted.calls;
            to.samples += counted.samples;
            to.cpu += counted.cpu;
            sums.own[run].merge(&counted.own);
            if is_outermost[at] {
                sums.total[run].merge(of_run);
            }
        }
    });
    let mut rows: Vec<ChangedMethodRow> = keys
        .into_iter()
        .zip(sums)
        .map(|((process, name), sums)| {
            let is_there = [0, 1].map(|run: usize| sums.runs[run].is_some());
            ChangedMethodRow {
                process: forest.nodes[process].name.clone(),
                name: name.to_owned(),
                class: sums.class.map(|(class, _)| class),
                before: sums.runs[0],
                after: sums.runs[1],
                own: figures.of_all([&sums.own[0], &sums.own[1]], is_there),
                total: figures.of_all([&sums.total[0], &sums.total[1]], is_there),
            }
        })
        .collect();
    adjust(&mut rows, |row| &mut row.own);
    adjust(&mut rows, |row| &mut row.total);
    rows.sort_by(|a, b| {
        let size = |row: &ChangedMethodRow| row.total.joules().abs().value();
        let name = |row: &ChangedMethodRow| (row.process.clone(), row.name.clone());
        size(b).total_cmp(&size(a)).then_with(|| name(a).cmp(&name(b)))
    });
    rows
}

/// Self energies of an app's methods, slices and frames by name, in order of the names.
pub fn self_energies(ledger: &Ledger, app: &str) -> Vec<SeriesPart> {
    let components: Vec<_> = ledger.rows.components.iter().map(|it| it.name.clone()).collect();
    let totals = ledger.source_totals();
    let (none, nothing) = (ErrorModel::default(), SourceTotals::default());
    let basis = ErrorBasis::new([(&none, &nothing), (&ledger.power.errors, &totals)], false);
    let mut forest = Forest::new(components);
    let run = ComparedRun::After;
    let options = FlameOptions::default();
    forest.add(&AddedRun { ledger, run, basis: &basis, factor: 1.0 }, &options);
    let watched = watched(&forest, [None, Some(ledger)]);
    let figures = Figures { basis: &basis, watched, threshold: options.threshold };
    let part = |row: ChangedMethodRow| {
        let estimate = row.own.after.0.filter(|_| row.process == app)?;
        Some(SeriesPart { name: row.name, joules: estimate.joules, interval: estimate.interval })
    };
    SeriesPart::sorted(methods(&forest, &figures).into_iter().filter_map(part))
}

/// Adjusts the p-values of one column of all methods for their number: of the definite verdicts at most one in twenty is expected to be
/// false.
fn adjust(rows: &mut [ChangedMethodRow], column: fn(&mut ChangedMethodRow) -> &mut Compared) {
    let mut changes: Vec<&mut Change> =
        rows.iter_mut().filter_map(|row| column(row).change.as_mut()).collect();
    let p_values: Vec<f64> = changes.iter().map(|change| change.p_value).collect();
    for (change, p_value) in changes.iter_mut().zip(adjusted(&p_values, Dependence::Positive)) {
        **change = change.with_p_value(p_value);
    }
}

/// For each node whether no other of its method is around it.
fn outermost(forest: &Forest, of_node: &[Option<usize>], count: usize) -> Vec<bool> {
    let children = forest.children();
    let mut open = vec![0_u32; count];
    let mut is_outermost = vec![true; forest.nodes.len()];
    // Enter and leave by hand: call stacks of a trace can be deeper than ours.
    let mut steps = vec![(0, true)];
    while let Some((at, enter)) = steps.pop() {
        if let Some(method) = of_node[at] {
            if enter {
                is_outermost[at] = open[method] == 0;
                open[method] += 1;
            } else {
                open[method] -= 1;
            }
        }
        if enter {
            steps.push((at, false));
            steps.extend(children[at].iter().map(|child| (*child, true)));
        }
    }
    is_outermost
}
