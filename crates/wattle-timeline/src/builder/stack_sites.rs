//! The tree of stacks while it grows.

use rustc_hash::FxHashMap;

use crate::CallSite;

/// Finds the node of a frame below its caller. A stack is nearly always the one before it with other frames at its end, so each node
/// knows the child that was asked for last: a look into an array instead of a hash.
#[derive(Debug, Default)]
pub(super) struct StackSites {
    /// By node: the frame and the number of the child that was asked for last. The first is the root's.
    latest: Vec<Option<(u32, u32)>>,
    /// Numbers of nodes by caller ([`u32::MAX`] is the root; no list is as long) and frame.
    known: FxHashMap<u64, u32>,
}

impl StackSites {
    /// The number of a node, which is added to the list if it is new.
    pub(super) fn number(&mut self, site: CallSite, sites: &mut Vec<CallSite>) -> u32 {
        let place = site.caller.map_or(0, |caller| caller as usize + 1);
        if let Some(Some((frame, child))) = self.latest.get(place)
            && *frame == site.frame
        {
            return *child;
        }
        let key = u64::from(site.caller.unwrap_or(u32::MAX)) << 32 | u64::from(site.frame);
        let number = *self.known.entry(key).or_insert_with(|| {
            sites.push(site);
            sites.len() as u32 - 1
        });
        if self.latest.len() <= place {
            // Callers are nodes; one that a reader made up is not remembered.
            self.latest.resize(sites.len() + 1, None);
        }
        if let Some(latest) = self.latest.get_mut(place) {
            *latest = Some((site.frame, number));
        }
        number
    }
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
