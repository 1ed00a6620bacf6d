//! The call paths of a ledger as a tree.

use wattle_ledger::{Ledger, PathEntry};

/// Which path was called by which, with broken links cut.
///
/// A ledger file may come from anywhere: a caller that does not precede its callee (which could close a
/// circle), or that belongs to another thread, is taken for no caller.
pub(crate) struct CallTree {
    callers: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
}

impl CallTree {
    pub fn new(ledger: &Ledger) -> Self {
        let caller = |at: usize, path: &PathEntry| {
            let caller = path.caller?.0 as usize;
            let same_thread = ledger.rows.paths.get(caller)?.thread == path.thread;
            (caller < at && same_thread).then_some(caller)
        };
        let callers: Vec<_> =
            ledger.rows.paths.iter().enumerate().map(|(at, path)| caller(at, path)).collect();
        let mut children = vec![Vec::new(); callers.len()];
        for (at, caller) in callers.iter().enumerate() {
            if let Some(caller) = *caller {
                children[caller].push(at);
            }
        }
        Self { callers, children }
    }

    /// The number of paths.
    pub fn len(&self) -> usize {
        self.callers.len()
    }

    /// Who called this path.
    pub fn caller(&self, path: usize) -> Option<usize> {
        self.callers[path]
    }

    /// Returns the paths that this path called.
    pub fn callees(&self, path: usize) -> &[usize] {
        &self.children[path]
    }

    /// For each path whether a slice of the same name is open further out: its time and energy are part of
    /// that slice's total already.
    pub fn recursive(&self, names: &[u32]) -> Vec<bool> {
        let mut recursive = vec![false; self.len()];
        let mut open = vec![0_u32; names.iter().max().map_or(0, |name| *name as usize + 1)];
        // Enter and leave by hand: call stacks of a trace can be deeper than ours.
        let mut steps: Vec<(usize, bool)> = Vec::new();
        for root in (0..self.len()).filter(|path| self.callers[*path].is_none()) {
            steps.push((root, true));
            while let Some((path, enter)) = steps.pop() {
                let open_here = &mut open[names[path] as usize];
                if !enter {
                    *open_here -= 1;
                    continue;
                }
                recursive[path] = *open_here > 0;
                *open_here += 1;
                steps.push((path, false));
                steps.extend(self.children[path].iter().map(|callee| (*callee, true)));
            }
        }
        recursive
    }
}
