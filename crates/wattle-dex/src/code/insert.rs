//! New instructions among those of a body.

use super::{Code, Label, Node, TryBlock};
use crate::{DexError, Result};

impl Code {
    /// Inserts nodes, each list in front of the node that has its position now. No try block of the body
    /// covers what is inserted: its handlers would see monitors and registers that they do not expect.
    ///
    /// A branch to a label right in front of such a node runs through what is inserted.
    pub fn insert_outside_tries(&mut self, mut insertions: Vec<(usize, Vec<Node>)>) -> Result<()> {
        insertions.sort_by_key(|(at, _)| *at);
        let borders: Vec<(usize, Label, Label)> =
            insertions.iter().map(|(at, _)| (*at, self.new_label(), self.new_label())).collect();
        self.cut_tries(&borders)?;
        let added: usize = insertions.iter().map(|(_, nodes)| nodes.len() + 2).sum();
        let mut nodes = Vec::with_capacity(self.nodes.len() + added);
        let mut pending = insertions.into_iter().zip(&borders).peekable();
        let old = std::mem::take(&mut self.nodes);
        let count = old.len();
        for (index, node) in old.into_iter().map(Some).chain(std::iter::once(None)).enumerate() {
            // What stands past the end goes to the end.
            while let Some(((_, new), (_, before, after))) =
                pending.next_if(|((at, _), _)| *at <= index || index == count)
            {
                nodes.push(Node::Label(*before));
                nodes.extend(new);
                nodes.push(Node::Label(*after));
            }
            nodes.extend(node);
        }
        self.nodes = nodes;
        Ok(())
    }

    /// Cuts every try block at the borders that lie inside it.
    fn cut_tries(&mut self, borders: &[(usize, Label, Label)]) -> Result<()> {
        if self.tries.is_empty() {
            return Ok(());
        }
        let mut places = vec![None; self.labels as usize];
        for (index, node) in self.nodes.iter().enumerate() {
            if let Node::Label(label) = node
                && let Some(slot) = places.get_mut(label.0 as usize)
            {
                *slot = Some(index);
            }
        }
        let place = |label: Label| {
            let found = places.get(label.0 as usize).copied().flatten();
            found.ok_or(DexError::Label { label: label.0, found: "placed nowhere" })
        };
        let mut tries = Vec::with_capacity(self.tries.len());
        for block in &self.tries {
            let (start, end) = (place(block.start)?, place(block.end)?);
            let first = borders.partition_point(|&(at, ..)| at <= start);
            let inside = borders.get(first..).unwrap_or_default();
            let mut rest = block.clone();
            for &(_, before, after) in inside.iter().take_while(|&&(at, ..)| at <= end) {
                tries.push(TryBlock { end: before, ..rest.clone() });
                rest.start = after;
            }
            tries.push(rest);
        }
        self.tries = tries;
        Ok(())
    }
}
