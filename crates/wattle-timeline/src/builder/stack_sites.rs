//! The tree of stacks while it grows.

use rustc_hash::FxHashMap;

use crate::CallSite;

/// Finds the node of a frame below its caller. A stack is nearly always the one before it with other frames at its end, so each node
/// knows the child that was asked for last: a look into an array instead of a hash. Most nodes have one child: only those of
/// others are in the hash.
#[derive(Debug, Default)]
pub(super) struct StackSites {
    /// By node: the frame and the number of the child that was asked for last. The first is the root's.
    latest: Vec<Option<(u32, u32)>>,
    /// Numbers of nodes by caller ([`u32::MAX`] is the root; no list is as long) and frame: of nodes with siblings, and below callers
    /// that are no nodes.
    known: FxHashMap<u64, u32>,
}

impl StackSites {
    /// The number of a node, which is added to the list if it is new.
    pub(super) fn number(&mut self, site: CallSite, sites: &mut Vec<CallSite>) -> u32 {
        let place = site.caller.map_or(0, |caller| caller as usize + 1);
        if self.latest.len() <= sites.len() {
            self.latest.resize(sites.len() + 1, None);
        }
        let latest = self.latest.get_mut(place);
        let first = match latest {
            Some(Some((frame, child))) if *frame == site.frame => return *child,
            Some(latest @ None) => {
                let number = add(site, sites);
                *latest = Some((site.frame, number));
                return number;
            }
            Some(Some(first)) => Some(*first),
            // Callers are nodes; one that a reader made up is not remembered.
            None => None,
        };
        if let Some((frame, number)) = first {
            self.known.insert(key(site.caller, frame), number);
        }
        let number =
            *self.known.entry(key(site.caller, site.frame)).or_insert_with(|| add(site, sites));
        if let Some(latest) = self.latest.get_mut(place) {
            *latest = Some((site.frame, number));
        }
        number
    }
}

fn add(site: CallSite, sites: &mut Vec<CallSite>) -> u32 {
    sites.push(site);
    sites.len() as u32 - 1
}

fn key(caller: Option<u32>, frame: u32) -> u64 {
    u64::from(caller.unwrap_or(u32::MAX)) << 32 | u64::from(frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_has_one_number_however_often_it_is_asked_for() {
        let (mut known, mut sites) = (StackSites::default(), Vec::new());
        let mut check = |caller: Option<u32>, frame: u32, expected: u32| {
            assert_eq!(known.number(CallSite { caller, frame }, &mut sites), expected);
            assert_eq!(sites[expected as usize], CallSite { caller, frame });
        };
        check(None, 7, 0);
        check(None, 8, 1);
        check(Some(0), 7, 2);
        check(Some(0), 9, 3);
        check(Some(0), 7, 2);
        check(None, 7, 0);
        check(Some(3), 7, 4);
        // A caller that is no node yet.
        check(Some(40), 7, 5);
        check(Some(40), 7, 5);
    }
}
