//! A tree of stacks from the root.

use rustc_hash::FxHashMap;

use super::TextId;

/// A prefix tree that counts the stacks through each node.
#[derive(Debug, Default)]
pub(crate) struct PrefixTree {
    /// By caller's node (0 is above all roots) and frame.
    nodes: FxHashMap<(u32, TextId), u32>,
    /// By node: its frame, how many stacks go through it, its callees.
    counts: Vec<u64>,
    callees: Vec<Vec<(TextId, u32)>>,
    stacks: u64,
}

impl PrefixTree {
    /// Adds a stack that occurred so often, outermost frame first.
    pub(crate) fn add(&mut self, stack: impl IntoIterator<Item = TextId>, count: u64) {
        self.stacks += count;
        if self.callees.is_empty() {
            self.counts.push(0);
            self.callees.push(Vec::new());
        }
        let mut node = 0_u32;
        for frame in stack {
            let new = self.counts.len() as u32;
            let next = *self.nodes.entry((node, frame)).or_insert(new);
            if next == new {
                self.counts.push(0);
                self.callees.push(Vec::new());
                if let Some(callees) = self.callees.get_mut(node as usize) {
                    callees.push((frame, next));
                }
            }
            if let Some(sum) = self.counts.get_mut(next as usize) {
                *sum += count;
            }
            node = next;
        }
    }

    /// Returns the number of stacks.
    pub(crate) fn stacks(&self) -> u64 {
        self.stacks
    }

    /// The longest beginning that at least this part of all stacks have, outermost frame first, and the part that has it. Above a
    /// half there is only one; of equally frequent ones the first added is taken.
    pub(crate) fn prefix(&self, part: f64) -> (Vec<TextId>, f64) {
        let needed = part * self.stacks as f64;
        let mut prefix = Vec::new();
        let (mut node, mut through) = (0, self.stacks);
        loop {
            let callees = self.callees.get(node).map(Vec::as_slice).unwrap_or_default();
            let counted = callees.iter().map(|(frame, callee)| {
                (self.counts.get(*callee as usize).copied().unwrap_or(0), *frame, *callee)
            });
            let most = counted.reduce(|best, it| if it.0 > best.0 { it } else { best });
            let Some((count, frame, callee)) = most.filter(|it| it.0 as f64 >= needed) else {
                break;
            };
            prefix.push(frame);
            node = callee as usize;
            through = count;
        }
        let share = if self.stacks == 0 { 0.0 } else { through as f64 / self.stacks as f64 };
        (prefix, share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(stacks: &[(&str, u64)]) -> PrefixTree {
        let mut tree = PrefixTree::default();
        for (stack, count) in stacks {
            tree.add(stack.bytes().map(|frame| TextId(u32::from(frame))), *count);
        }
        tree
    }

    #[track_caller]
    fn check(stacks: &[(&str, u64)], part: f64, expected: &str, share: f64) {
        let (prefix, found) = tree(stacks).prefix(part);
        let prefix: String = prefix.iter().map(|frame| char::from(frame.0 as u8)).collect();
        assert_eq!((prefix.as_str(), found), (expected, share));
    }

    #[test]
    fn the_strict_prefix_is_of_all_stacks() {
        check(&[], 1.0, "", 0.0);
        check(&[("abc", 3)], 1.0, "abc", 1.0);
        check(&[("abc", 3), ("abd", 1)], 1.0, "ab", 1.0);
        check(&[("abc", 3), ("ab", 1)], 1.0, "ab", 1.0);
        check(&[("abc", 300), ("xbc", 1)], 1.0, "", 1.0);
        check(&[("abc", 3), ("", 1)], 1.0, "", 1.0);
    }

    #[test]
    fn one_odd_stack_does_not_spoil_the_majority() {
        check(&[("abc", 4), ("xbc", 1)], 0.8, "abc", 0.8);
        check(&[("abc", 3), ("xbc", 1)], 0.8, "", 1.0);
        check(&[("abc", 5), ("abd", 4), ("x", 1)], 0.8, "ab", 0.9);
        // Recursion is not one frame.
        check(&[("aab", 5), ("ab", 1)], 0.8, "aab", 5.0 / 6.0);
    }

    proptest::proptest! {
        #[test]
        fn it_is_what_comparing_all_stacks_gives(
            stacks in proptest::collection::vec(("[ab]{0,4}", 1_u64..4), 1..12),
            part in 0.51_f64..=1.0,
        ) {
            let all: u64 = stacks.iter().map(|(_, count)| count).sum();
            let having = |prefix: &str| -> u64 {
                stacks.iter().filter(|it| it.0.starts_with(prefix)).map(|it| it.1).sum()
            };
            let candidates = stacks.iter().flat_map(|it| (0..=it.0.len()).map(|end| &it.0[..end]));
            let enough = candidates.filter(|it| having(it) as f64 >= part * all as f64);
            let longest = enough.max_by_key(|it| it.len()).unwrap_or_default();
            let stacks: Vec<(&str, u64)> = stacks.iter().map(|it| (it.0.as_str(), it.1)).collect();
            check(&stacks, part, longest, having(longest) as f64 / all as f64);
        }
    }
}
