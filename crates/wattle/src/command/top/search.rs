//! Search by text.

use wattle_report::{EnergyForest, EnergyPaths, ForestNode};

/// The search term and its matches.
#[derive(Debug, Default)]
pub struct Search {
    /// The text; empty: nothing is searched for.
    pub text: String,
    /// Whether keys go into the text.
    pub is_typing: bool,
    /// Whether only matches are shown, with what is above and below them.
    pub is_filter: bool,
    /// By node whether it is a match.
    matches: Vec<bool>,
    /// All nodes in order of the screen, open or not.
    order: Vec<ForestNode>,
    /// By node whether a filter keeps it.
    kept: Vec<bool>,
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
        self.matches.resize(forest.len(), false);
        self.kept.resize(forest.len(), false);
        let mut inside = None;
        for node in &self.order {
            let depth = forest.depth(*node);
            inside = inside.filter(|outer| depth > *outer);
            if forest.is_match(paths, *node, &self.text, &names) {
                self.matches[node.0 as usize] = true;
                inside = inside.or(Some(depth));
                let above = std::iter::successors(Some(*node), |node| forest.parent(*node));
                for node in above {
                    if std::mem::replace(&mut self.kept[node.0 as usize], true) {
                        break;
                    }
                }
            }
            self.kept[node.0 as usize] |= inside.is_some();
        }
    }

    /// The number of matches.
    pub fn count(&self) -> usize {
        self.matches.iter().filter(|is_match| **is_match).count()
    }

    /// Whether it is one.
    pub fn is_match(&self, node: ForestNode) -> bool {
        self.matches.get(node.0 as usize) == Some(&true)
    }

    /// All matches.
    pub fn matches(&self) -> impl Iterator<Item = ForestNode> + '_ {
        self.order.iter().copied().filter(|node| self.is_match(*node))
    }

    /// Whether the row is shown.
    pub fn shows(&self, node: ForestNode) -> bool {
        !self.is_filter || self.text.is_empty() || self.kept.get(node.0 as usize) == Some(&true)
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
            let step = if is_back { count - step } else { step };
            let at = (here + step) % count.max(1);
            self.order.get(at).copied().filter(|node| self.is_match(*node))
        })
    }
}
