//! Which paths of one owner lie inside others of the same.

use super::owners::NOBODY;
use crate::model::CallTree;

/// The nearest path around another that has the same owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Around {
    /// That path.
    pub path: usize,
    /// Its callee on the way in; the inner path itself where it is called directly.
    pub toward: usize,
}

/// For each path the nearest one around it that has the same owner: its time and energy are part of that one's total already.
pub(super) fn around(tree: &CallTree, owners: &[u32], count: usize) -> Vec<Option<Around>> {
    let mut found = vec![None; tree.len()];
    let mut innermost: Vec<Option<usize>> = vec![None; count];
    let mut depth = vec![0_usize; tree.len()];
    let mut open: Vec<usize> = Vec::new();
    // Enter and leave by hand: call stacks of a trace can be deeper than ours.
    let mut steps: Vec<(usize, bool)> = Vec::new();
    for root in (0..tree.len()).filter(|path| tree.caller(*path).is_none()) {
        steps.push((root, true));
        while let Some((path, enter)) = steps.pop() {
            let owner = owners[path];
            let slot = if owner == NOBODY { None } else { innermost.get_mut(owner as usize) };
            if !enter {
                open.pop();
                if let Some(slot) = slot {
                    *slot = found[path].map(|around: Around| around.path);
                }
                continue;
            }
            depth[path] = open.len();
            open.push(path);
            if let Some(slot) = slot {
                found[path] =
                    slot.map(|outer| Around { path: outer, toward: open[depth[outer] + 1] });
                *slot = Some(path);
            }
            steps.push((path, false));
            steps.extend(tree.callees(path).iter().map(|callee| (*callee, true)));
        }
    }
    found
}
