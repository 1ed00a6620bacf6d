//! A flame graph: nodes with their figures.

use wattle_compare::{Change, ModelDifference, Threshold};
use wattle_ledger::{FrameClass, Ledger};
use wattle_power::{ComparedRun, Component, ErrorBasis, ErrorModel, SourceTotals};
use wattle_table::{Column, Row, describe};
use wattle_units::{Interval, Joules, Nanos, Provenance};

use super::component_tally::ComponentTally;
use super::flame_kind::KINDS;
use super::forest::{AddedRun, Forest, Node, NodeRun};
use super::prune::Pruned;
use super::{Compared, FlameKind, FlameOptions};
use crate::Figure;
use crate::model::{Doubt, Tally};

/// Words of [`FrameClass`] in JSON.
pub(super) const FRAME_CLASSES: &[&str] =
    &["native", "kernel", "java", "jit", "unknown", "truncated", "unsampled"];

/// The energy of a node through one component.
#[derive(Clone, Debug, PartialEq)]
pub struct FlameComponent {
    /// Which.
    pub name: Component,
    /// While the node was innermost.
    pub own: Compared,
    /// With all below it.
    pub total: Compared,
}

/// Counts of a node in one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlameRun {
    /// Calls; of a rest the number of nodes that were left out.
    pub calls: u64,
    /// Samples that found it innermost.
    pub samples: u64,
    /// Time on a CPU while it was innermost.
    pub cpu: Nanos,
    /// With all below it.
    pub total_cpu: Nanos,
}

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub struct FlameNode {
    /// Its parent, an index into [`FlameGraph::nodes`] that is smaller than its own; `None` for the root.
    pub parent: Option<usize>,
    /// Its kind.
    pub kind: FlameKind,
    /// Its name, without numbers that differ from run to run.
    pub name: String,
    /// Class of its frames; `None` if no sample found it.
    pub class: Option<FrameClass>,
    /// In the first run; `None` where that has no such node.
    pub before: Option<FlameRun>,
    /// In the second.
    pub after: Option<FlameRun>,
    /// Energy while it was innermost.
    pub own: Compared,
    /// Energy with all below it.
    pub total: Compared,
    /// The same by component: those through which something was drawn.
    pub components: Vec<FlameComponent>,
}

/// A call tree merged over threads, of one ledger or of two side by side. Its sums are the ledgers' totals: what is no thread's
/// has nodes, too.
#[derive(Clone, Debug, PartialEq)]
pub struct FlameGraph {
    /// Nodes, parents before their children.
    pub nodes: Vec<FlameNode>,
    /// Nodes that stand in a rest.
    pub left_out: u64,
    /// None of those has more in either run; `None` where none was left out, or no energy is known.
    pub left_out_below_joules: Option<Joules>,
}

describe!(
    FlameComponent,
    "component",
    "energy of a node through one component",
    [
        Column::text("name", "the component", |row: &FlameComponent| row.name.name()),
        Column::object::<Compared>(
            "self",
            "energy while the node was innermost",
            |row: &FlameComponent| &row.own
        ),
        Column::object::<Compared>("total", "energy with all below it", |row: &FlameComponent| {
            &row.total
        }),
    ]
);

describe!(
    FlameRun,
    "node_run",
    "counts of a node in one run",
    [
        Column::count(
            "calls",
            "calls; of a rest the number of nodes that were left out",
            |row: &FlameRun| row.calls
        ),
        Column::count("samples", "samples that found it innermost", |row: &FlameRun| row.samples),
        Column::time("self_cpu_s", "time on a CPU while it was innermost", |row: &FlameRun| row
            .cpu),
        Column::time("total_cpu_s", "time on a CPU with all below it", |row: &FlameRun| row
            .total_cpu),
    ]
);

describe!(
    FlameNode,
    "node",
    "a node of the merged call tree",
    [
        Column::maybe_count(
            "parent",
            "an index into nodes; null for the root",
            |row: &FlameNode| row.parent.map(|it| it as u64)
        ),
        Column::word("kind", "its kind", KINDS, |row: &FlameNode| Some(&row.kind)),
        Column::text(
            "name",
            "its name, without numbers that differ from run to run",
            |row: &FlameNode| { &row.name }
        ),
        Column::maybe_text(
            "class",
            "class of its frames; null if no sample found it",
            |row: &FlameNode| row.class.map(FrameClass::name)
        )
        .words(FRAME_CLASSES),
        Column::maybe_object::<FlameRun>(
            "before",
            "counts in the first run; null if it is not in it",
            |row: &FlameNode| row.before.as_ref().map(|it| it as &dyn Row)
        ),
        Column::maybe_object::<FlameRun>(
            "after",
            "counts in the second run; null if it is not in it",
            |row: &FlameNode| row.after.as_ref().map(|it| it as &dyn Row)
        ),
        Column::object::<Compared>("self", "energy while it was innermost", |row: &FlameNode| &row
            .own),
        Column::object::<Compared>("total", "energy with all below it", |row: &FlameNode| &row
            .total),
        Column::list::<FlameComponent>(
            "components",
            "the same by component: those through which something was drawn",
            |row: &FlameNode| &row.components
        ),
    ]
);

describe!(
    FlameGraph,
    "graph",
    "a merged call tree",
    [
        Column::list::<FlameNode>(
            "nodes",
            "parents before their children, the root first; the self differences sum to the difference of the total",
            |row: &FlameGraph| &row.nodes
        ),
        Column::count("left_out", "nodes that are part of a rest", |row: &FlameGraph| row.left_out),
        Column::maybe_joules(
            "left_out_below_joules",
            "none of those has more in either run; null where none was left out or no energy is known",
            |row: &FlameGraph| row.left_out_below_joules.map(Joules::value)
        ),
    ]
);

impl FlameGraph {
    /// Of one ledger, as the run after nothing, with at most that many nodes besides rests.
    pub fn new(ledger: &Ledger, options: &FlameOptions, most: usize) -> Self {
        let components: Vec<_> =
            ledger.rows.components.iter().map(|entry| entry.name.clone()).collect();
        let totals = ledger.source_totals();
        let (none, nothing) = (ErrorModel::default(), SourceTotals::default());
        let basis = ErrorBasis::new([(&none, &nothing), (&ledger.power.errors, &totals)], false);
        let mut forest = Forest::new(components);
        let run = ComparedRun::After;
        forest.add(&AddedRun { ledger, run, basis: &basis, factor: 1.0 }, options);
        let (forest, pruned) = forest.pruned(most);
        let watched = watched(&forest, [None, Some(ledger)]);
        let figures = Figures { basis: &basis, watched, threshold: options.threshold };
        figures.graph(&forest, pruned)
    }
}

/// With what provenance each component is watched by run; `None` where the run does not know it.
pub(super) fn watched(
    forest: &Forest,
    ledgers: [Option<&Ledger>; 2],
) -> Vec<[Option<Provenance>; 2]> {
    let of = |component: &Component| {
        ledgers.map(|ledger| {
            let entry = ledger?.rows.components.iter().find(|entry| entry.name == *component)?;
            Some(entry.provenance)
        })
    };
    forest.components.iter().map(of).collect()
}

impl Forest {
    /// Calls for each node, the last one first, with what it has with all below it.
    pub fn visit(&self, mut to: impl FnMut(usize, &[ComponentTally; 2], [Nanos; 2])) {
        let forest = self;
        let own = |node: &Node, run: usize| {
            node.runs[run].as_ref().map_or_else(ComponentTally::default, |run| run.own.clone())
        };
        let cpu = |node: &Node, run: usize| {
            node.runs[run].as_ref().map_or(Nanos::ZERO, |run: &NodeRun| run.cpu)
        };
        let mut totals: Vec<[ComponentTally; 2]> =
            forest.nodes.iter().map(|node| [own(node, 0), own(node, 1)]).collect();
        let mut times: Vec<[Nanos; 2]> =
            forest.nodes.iter().map(|node| [cpu(node, 0), cpu(node, 1)]).collect();
        // Parents come before their children: backwards, each hands its sums on.
        for at in (0..forest.nodes.len()).rev() {
            let mut sums = std::mem::take(&mut totals[at]);
            if at == 0 {
                // What one account may have too much because of probes, another has too little.
                sums.iter_mut().for_each(ComponentTally::settle);
            }
            to(at, &sums, times[at]);
            if at > 0 {
                let parent = forest.nodes[at].parent;
                let [before, after] = sums;
                totals[parent][0].absorb(before);
                totals[parent][1].absorb(after);
                let [before, after] = times[at];
                times[parent][0] += before;
                times[parent][1] += after;
            }
        }
    }
}

/// Makes figures of energies.
pub(super) struct Figures<'a> {
    pub basis: &'a ErrorBasis,
    /// By component and run.
    pub watched: Vec<[Option<Provenance>; 2]>,
    pub threshold: Threshold,
}

impl Figures<'_> {
    pub fn graph(&self, forest: &Forest, pruned: Pruned) -> FlameGraph {
        let mut nodes: Vec<FlameNode> = Vec::with_capacity(forest.nodes.len());
        forest.visit(|node, totals, cpu| nodes.push(self.node(forest, node, totals, cpu)));
        nodes.reverse();
        let Pruned { nodes: left_out, most } = pruned;
        FlameGraph { nodes, left_out, left_out_below_joules: most }
    }

    fn node(
        &self,
        forest: &Forest,
        at: usize,
        totals: &[ComponentTally; 2],
        cpu: [Nanos; 2],
    ) -> FlameNode {
        let node = &forest.nodes[at];
        let nothing = ComponentTally::default();
        let own = [0, 1].map(|run: usize| node.runs[run].as_ref().map_or(&nothing, |run| &run.own));
        let is_there = [0, 1].map(|run: usize| node.runs[run].is_some());
        let run = |run: usize| {
            let NodeRun { calls, samples, cpu: own, .. } = node.runs[run].as_ref()?;
            Some(FlameRun { calls: *calls, samples: *samples, cpu: *own, total_cpu: cpu[run] })
        };
        let mut used: Vec<usize> = totals.iter().flat_map(ComponentTally::components).collect();
        used.sort_unstable();
        used.dedup();
        let component = |at: usize| FlameComponent {
            name: forest.components[at].clone(),
            own: self.of_component(at, own, is_there),
            total: self.of_component(at, [&totals[0], &totals[1]], is_there),
        };
        FlameNode {
            parent: (at > 0).then_some(node.parent),
            kind: node.kind,
            name: node.name.clone(),
            class: node.class.map(|(class, _)| class),
            before: run(0),
            after: run(1),
            own: self.of_all(own, is_there),
            total: self.of_all([&totals[0], &totals[1]], is_there),
            components: used.into_iter().map(component).collect(),
        }
    }

    /// The figures of all components together.
    pub fn of_all(&self, runs: [&ComponentTally; 2], is_there: [bool; 2]) -> Compared {
        let watched = |run: usize| {
            let of_run = self.watched.iter().filter_map(|watched| watched[run]);
            of_run.reduce(Provenance::weakest).filter(|_| is_there[run])
        };
        self.compared([&runs[0].all(), &runs[1].all()], [watched(0), watched(1)])
    }

    /// The figures of one component.
    pub fn of_component(
        &self,
        component: usize,
        runs: [&ComponentTally; 2],
        is_there: [bool; 2],
    ) -> Compared {
        let nothing = Tally::default();
        let of = runs.map(|run| run.of(component).unwrap_or(&nothing));
        let watched = self.watched[component];
        self.compared(of, [0, 1].map(|run: usize| watched[run].filter(|_| is_there[run])))
    }

    /// The figures of two sums. Where nothing was booked and something was watching, that is 0 J.
    pub fn compared(&self, runs: [&Tally; 2], watched: [Option<Provenance>; 2]) -> Compared {
        let energies = runs.map(|tally| tally.by_source().collect::<Vec<_>>());
        let figure = |run: ComparedRun| {
            let at = run.index();
            if runs[at].is_empty() {
                return watched[at].map_or(Figure::NO_DATA, Figure::zero);
            }
            let mut estimate = self.basis.estimate(run, &energies[at]);
            let interval = wide(estimate.joules, estimate.interval, runs[at].doubts());
            estimate.interval =
                Interval { low: interval.low.max(Joules::ZERO).min(estimate.joules), ..interval };
            Figure(Some(estimate))
        };
        let (before, after) = (figure(ComparedRun::Before), figure(ComparedRun::After));
        let is_known = before != Figure::NO_DATA || after != Figure::NO_DATA;
        let change = is_known.then(|| {
            let found = self.basis.difference(&energies[0], &energies[1]);
            let [of_before, of_after] = runs.map(Tally::doubts);
            // Probes were timed in each run on its own.
            let apart = |a: Joules, b: Joules| Joules::new(a.value().hypot(b.value()));
            let doubt = Doubt {
                less: apart(of_after.less, of_before.more),
                more: apart(of_after.more, of_before.less),
            };
            let [a, b] = [before, after].map(|of: Figure| of.joules().unwrap_or_default());
            let joules = found.joules;
            let wide = wide(joules, found.interval, doubt);
            let interval = within(wide, joules, before, after);
            let is_less = joules < Joules::ZERO;
            let turning = match found.is_one_way {
                // Only what probes put in doubt.
                true if is_less => doubt.more,
                true => doubt.less,
                false if is_less => wide.high - joules,
                false => joules - wide.low,
            };
            let difference = ModelDifference { joules, interval, turning };
            Change::from_model(difference, self.threshold.between(a, b))
        });
        Compared { before, after, change }
    }
}

/// The part of a difference's interval that both energies allow: nothing falls by more than there was.
fn within(interval: Interval, joules: Joules, before: Figure, after: Figure) -> Interval {
    let bounds = |figure: Figure| figure.interval().unwrap_or(Interval::exact(Joules::ZERO));
    let (before, after) = (bounds(before), bounds(after));
    Interval {
        low: interval.low.max((after.low - before.high).min(joules)),
        high: interval.high.min((after.high - before.low).max(joules)),
    }
}

/// The interval with what probes put in doubt. That has nothing to do with the model's errors, so widths add in quadrature.
fn wide(joules: Joules, interval: Interval, doubt: Doubt) -> Interval {
    if doubt == Doubt::default() {
        return interval;
    }
    let width =
        |bound: Joules, doubt: Joules| Joules::new((bound - joules).value().hypot(doubt.value()));
    Interval {
        low: joules - width(interval.low, doubt.less),
        high: joules + width(interval.high, doubt.more),
    }
}
