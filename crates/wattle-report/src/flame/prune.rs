//! Fewer nodes with the same sums.

use std::collections::HashMap;

use wattle_units::Joules;

use super::FlameKind;
use super::forest::{Forest, Node, NodeRun};

/// The nodes that were left out of a forest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Pruned {
    /// Number of nodes.
    pub nodes: u64,
    /// None of them has more in either run.
    pub most: Option<Joules>,
}

impl Forest {
    /// The forest with at most that many nodes, besides those that stand for what was left out below their parent. Nodes that had
    /// most in either run stay; without any energy those that ran longest.
    pub fn pruned(&self, most: usize) -> (Self, Pruned) {
        if self.nodes.len() <= most {
            return (self.clone(), Pruned::default());
        }
        let (sizes, is_energy) = self.sizes();
        let mut sorted = sizes.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let limit = sorted.get(most).copied().unwrap_or(0.0);
        let mut forest = Self::new(self.components.clone());
        forest.nodes[0] = self.nodes[0].clone();
        // By node here: the node there that it became or is part of.
        let mut to = vec![0; self.nodes.len()];
        let mut kept = vec![true; self.nodes.len()];
        let mut rests: HashMap<usize, usize> = HashMap::new();
        let mut left_out = 0;
        for (at, node) in self.nodes.iter().enumerate().skip(1) {
            kept[at] = kept[node.parent] && sizes[at] > limit;
            let parent = to[node.parent];
            if kept[at] {
                forest.nodes.push(Node { parent, ..node.clone() });
                to[at] = forest.nodes.len() - 1;
                continue;
            }
            left_out += 1;
            to[at] = if kept[node.parent] {
                *rests.entry(parent).or_insert_with(|| {
                    forest.nodes.push(rest(parent));
                    forest.nodes.len() - 1
                })
            } else {
                parent
            };
            let rest = &mut forest.nodes[to[at]];
            for (sum, run) in rest.runs.iter_mut().zip(&node.runs) {
                let Some(run) = run else { continue };
                let counted = NodeRun { calls: 1, samples: run.samples, ..run.clone() };
                sum.get_or_insert_default().merge(&counted);
            }
        }
        let most = is_energy.then(|| Joules::new(limit));
        (forest, Pruned { nodes: left_out, most })
    }

    /// Returns the size of each node with all below it, in the run in which that is more; and `true` if that is an
    /// energy.
    pub fn sizes(&self) -> (Vec<f64>, bool) {
        let of =
            |node: &Node, run: usize| node.runs[run].as_ref().map_or(0.0, |run| run.own.size());
        let mut sums: Vec<[f64; 2]> =
            self.nodes.iter().map(|node| [of(node, 0), of(node, 1)]).collect();
        let is_energy = sums.iter().flatten().any(|size| *size > 0.0);
        if !is_energy {
            let time =
                |run: &Option<NodeRun>| run.as_ref().map_or(0.0, |run| run.cpu.value() as f64);
            sums =
                self.nodes.iter().map(|node| [time(&node.runs[0]), time(&node.runs[1])]).collect();
        }
        for at in (1..self.nodes.len()).rev() {
            let own = sums[at];
            let to = &mut sums[self.nodes[at].parent];
            to[0] += own[0];
            to[1] += own[1];
        }
        (sums.into_iter().map(|[before, after]| before.max(after)).collect(), is_energy)
    }
}

fn rest(parent: usize) -> Node {
    let kind = FlameKind::Rest;
    Node { parent, kind, name: String::new(), class: None, runs: [None, None] }
}
