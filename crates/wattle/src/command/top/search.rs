//! Search by text.

use std::collections::HashSet;

use wattle_report::{EnergyForest, EnergyPaths, ForestNode};

/// What is searched for, and where it is.
#[derive(Debug, Default)]
pub struct Search {
    /// The text; empty: nothing is searched for.
    pub text: String,
    /// Whether keys go into the text.
    pub is_typing: bool,
    /// Whether only matches are shown, with what is above and below them.
    pub is_filter: bool,
    matches: HashSet<ForestNode>,
    /// All nodes in order of the screen, open or not.
    order: Vec<ForestNode>,
    kept: HashSet<ForestNode>,
}

impl Search {
    /// Looks through nodes in order of the screen.
    pub fn update(
        &mut self,
        paths: &EnergyPaths<'_>,
        forest: &EnergyForest,
        order: Vec<ForestNode>,
    ) {
        self.order = order;
        self.matches.clear();
        self.kept.clear();
        if self.text.is_empty() {
            return;
        }
        let names = EnergyForest::names_with(paths, &self.text);
        let found =
            self.order.iter().filter(|node| forest.is_match(paths, **node, &self.text, &names));
        self.matches = found.copied().collect();
        let mut inside = None;
        for node in &self.order {
            let depth = forest.depth(*node);
            inside = inside.filter(|outer| depth > *outer);
            if self.matches.contains(node) {
                inside = inside.or(Some(depth));
                let above = std::iter::successors(Some(*node), |node| forest.parent(*node));
                for node in above {
                    if !self.kept.insert(node) {
                        break;
                    }
                }
            }
            if inside.is_some() {
                self.kept.insert(*node);
            }
        }
    }

    /// How many matches there are.
    pub fn count(&self) -> usize {
        self.matches.len()
    }

    /// Whether it is one.
    pub fn is_match(&self, node: ForestNode) -> bool {
        self.matches.contains(&node)
    }

    /// All matches.
    pub fn matches(&self) -> impl Iterator<Item = ForestNode> + '_ {
        self.order.iter().copied().filter(|node| self.is_match(*node))
    }

    /// Whether the row is shown.
    pub fn shows(&self, node: ForestNode) -> bool {
        !self.is_filter || self.text.is_empty() || self.kept.contains(&node)
    }

    /// The next match after a node, or the one before it, around the end; the node itself first where asked for.
    pub fn next(
        &self,
        from: Option<ForestNode>,
        is_back: bool,
        or_itself: bool,
    ) -> Option<ForestNode> {
        let count = self.order.len();
        let here = self.order.iter().position(|node| Some(*node) == from).unwrap_or(0);
        let first = usize::from(!or_itself);
        (first..=count).find_map(|step| {
            let at = if is_back { here + count - step } else { here + step } % count.max(1);
            self.order.get(at).copied().filter(|node| self.is_match(*node))
        })
    }
}
