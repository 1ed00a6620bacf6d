//! Values of a node of a forest in each column.

use wattle_ledger::ComponentId;
use wattle_units::Nanos;

use super::energy_forest::Member;
use super::{EnergyForest, EnergyPaths, ForestColumn, ForestKind, ForestNode, ForestView};
use crate::Figure;
use crate::model::Tally;

impl EnergyForest {
    /// Returns the energy of a node with all below it.
    pub fn figure(&self, paths: &EnergyPaths<'_>, node: ForestNode) -> Figure {
        self.figure_of_all(paths, &[node])
    }

    /// Returns the total energy of nodes, none of which is below another.
    pub fn figure_of_all(&self, paths: &EnergyPaths<'_>, nodes: &[ForestNode]) -> Figure {
        let mut tally = Tally::default();
        for node in nodes {
            let node = self.node(*node);
            let members = node.members.iter();
            match (self.view(), node.kind) {
                (_, ForestKind::Others(at)) => {
                    let entries = &paths.others[at as usize].entries;
                    for (source, joules) in entries {
                        tally.add(*source, *joules);
                    }
                }
                (ForestView::Calls, _) => {
                    paths.gather(members.map(|it| paths.subtree(it.at)), &mut tally);
                }
                (ForestView::Callers, _) => {
                    paths.gather(members.map(|it| it.leaf..it.leaf + 1), &mut tally);
                }
                (ForestView::Functions, kind) => {
                    paths.gather(outermost(paths, kind, &node.members), &mut tally);
                }
            }
        }
        paths.figure(&tally)
    }

    /// The number in a column; `None` where there is none (no energy, no scheduler), and for names.
    pub fn value(
        &self,
        paths: &EnergyPaths<'_>,
        node: ForestNode,
        column: ForestColumn,
    ) -> Option<f64> {
        let energy = |value: f64| paths.has_energy().then_some(value);
        match column {
            ForestColumn::Name => None,
            ForestColumn::Total => energy(self.total(paths, node, None)),
            ForestColumn::Component(component) => energy(self.total(paths, node, Some(component))),
            ForestColumn::Own => energy(self.own(paths, node, None)),
            ForestColumn::Share => {
                let whole = paths.everything().joules()?.value();
                (whole != 0.0).then(|| self.total(paths, node, None) / whole)
            }
            ForestColumn::Cpu => self.cpu(paths, node),
            ForestColumn::Calls => Some(self.calls(paths, node) as f64),
            ForestColumn::Samples => Some(self.samples(paths, node) as f64),
        }
    }

    /// Returns its energy with all below it, through one component or all.
    pub fn total(
        &self,
        paths: &EnergyPaths<'_>,
        node: ForestNode,
        through: Option<ComponentId>,
    ) -> f64 {
        let node = self.node(node);
        let members = node.members.iter();
        match (self.view(), node.kind) {
            (_, ForestKind::Others(at)) => paths.others[at as usize].joules(through),
            (ForestView::Calls, _) => members.map(|it| paths.total(it.at, through)).sum(),
            (ForestView::Callers, _) => members.map(|it| paths.own(it.leaf, through)).sum(),
            (ForestView::Functions, ForestKind::Thread(_)) => {
                members.map(|it| paths.own(it.at, through)).sum()
            }
            (ForestView::Functions, kind) => outermost(paths, kind, &node.members)
                .map(|range| paths.total(range.start, through))
                .sum(),
        }
    }

    /// Returns its own energy, without all below it, through one component or all.
    pub fn own(
        &self,
        paths: &EnergyPaths<'_>,
        node: ForestNode,
        through: Option<ComponentId>,
    ) -> f64 {
        let at = self.node(node);
        let own = |of: &dyn Fn(u32) -> bool| {
            let members = at.members.iter().filter(|member| of(member.at));
            members.map(|member| paths.own(member.leaf, through)).sum()
        };
        match (self.view(), at.kind) {
            (_, ForestKind::Others(_)) => self.total(paths, node, through),
            (ForestView::Calls, ForestKind::Process(_))
            | (ForestView::Callers, ForestKind::Function(_)) => 0.0,
            (ForestView::Calls, ForestKind::Thread(_)) => {
                own(&|at| paths.function_of(at).is_none())
            }
            _ => own(&|_| true),
        }
    }

    fn cpu(&self, paths: &EnergyPaths<'_>, node: ForestNode) -> Option<f64> {
        let node = self.node(node);
        if !paths.ledger.recording.has_scheduler || matches!(node.kind, ForestKind::Others(_)) {
            return None;
        }
        let own = |at: u32| paths.entry_at(at).self_cpu;
        let members = node.members.iter();
        let time: Nanos = match (self.view(), node.kind) {
            (ForestView::Calls, _) => members.map(|it| paths.cpu(it.at)).sum(),
            (ForestView::Callers, _) | (_, ForestKind::Thread(_)) => {
                members.map(|it| own(it.leaf)).sum()
            }
            (_, kind) => {
                outermost(paths, kind, &node.members).map(|range| paths.cpu(range.start)).sum()
            }
        };
        Some(time.seconds())
    }

    fn calls(&self, paths: &EnergyPaths<'_>, node: ForestNode) -> u64 {
        let node = self.node(node);
        match node.kind {
            ForestKind::Function(_) => {
                // Each place once: a member's leaf may have many callers, its place has one.
                let calls = node.members.iter().map(|it| paths.entry_at(it.leaf).calls);
                calls.fold(0, u64::saturating_add)
            }
            _ => 0,
        }
    }

    fn samples(&self, paths: &EnergyPaths<'_>, node: ForestNode) -> u64 {
        let node = self.node(node);
        let own = |at: u32| paths.entry_at(at).samples;
        let members = node.members.iter();
        let add = u64::saturating_add;
        match (self.view(), node.kind) {
            (ForestView::Calls, _) => members.map(|it| paths.samples(it.at)).fold(0, add),
            (ForestView::Callers, _) | (_, ForestKind::Thread(_)) => {
                members.map(|it| own(it.leaf)).fold(0, add)
            }
            (_, kind) => outermost(paths, kind, &node.members)
                .map(|range| paths.samples(range.start))
                .fold(0, add),
        }
    }
}

/// Subtrees of those members that have no caller of the same name: what is below several of one name counts once.
fn outermost<'m>(
    paths: &'m EnergyPaths<'_>,
    kind: ForestKind,
    members: &'m [Member],
) -> impl Iterator<Item = std::ops::Range<u32>> + 'm {
    let is_thread = matches!(kind, ForestKind::Thread(_));
    let mut end = 0;
    // Members are in preorder: what begins before the last subtree's end is inside it.
    members.iter().filter_map(move |member| {
        if is_thread {
            return Some(member.at..member.at + 1);
        }
        let subtree = paths.subtree(member.at);
        let is_outermost = subtree.start >= end;
        if is_outermost {
            end = subtree.end;
        }
        is_outermost.then_some(subtree)
    })
}
