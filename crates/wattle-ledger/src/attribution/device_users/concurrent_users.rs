//! Who used something at each instant, where several can at once.

use std::collections::BTreeMap;

use wattle_timeline::Window;
use wattle_units::BootNanos;

/// The most that are believed to use one thing at one instant; no device has more, but a file can say so.
const LIMIT: usize = 64;

/// The users of one thing over time.
#[derive(Debug)]
pub(crate) struct Concurrent<T> {
    start: Vec<BootNanos>,
    /// First of the piece's users in `users`.
    first: Vec<u32>,
    users: Vec<T>,
}

/// A range of users.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    first: u32,
    end: u32,
}

impl<T> Default for Concurrent<T> {
    fn default() -> Self {
        Self { start: Vec::new(), first: Vec::new(), users: Vec::new() }
    }
}

impl<T: Copy + Ord> Concurrent<T> {
    /// From stretches of use in any order. Several of one user at an instant count once; users beyond 64 at one
    /// instant are left out.
    pub(crate) fn new(uses: impl IntoIterator<Item = (Window, T)>) -> Self {
        let mut changes: Vec<(BootNanos, bool, T)> = uses
            .into_iter()
            .filter(|(window, _)| !window.is_empty())
            .flat_map(|(window, user)| [(window.start, true, user), (window.end, false, user)])
            .collect();
        changes.sort_unstable();
        let mut found = Self::default();
        let mut open: BTreeMap<T, u32> = BTreeMap::new();
        for at_once in changes.chunk_by(|one, other| one.0 == other.0) {
            for (_, begins, user) in at_once {
                let count = open.entry(*user).or_default();
                *count = if *begins { *count + 1 } else { count.wrapping_sub(1) };
                if *count == 0 {
                    open.remove(user);
                }
            }
            let Some((time, ..)) = at_once.first() else { continue };
            found.start.push(*time);
            found.first.push(found.users.len() as u32);
            found.users.extend(open.keys().take(LIMIT));
        }
        found
    }

    /// Whether nobody ever used it.
    pub(crate) fn is_empty(&self) -> bool {
        self.users.is_empty()
    }

    /// Everybody who used it, in groups of those who did at once.
    pub(crate) fn all(&self) -> &[T] {
        &self.users
    }

    /// Its pieces, from the beginning of time to the end.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = (Window, Group)> + '_ {
        self.pieces_from(BootNanos::MIN)
    }

    /// Its pieces from the one that holds the instant.
    pub(crate) fn pieces_from(
        &self,
        time: BootNanos,
    ) -> impl Iterator<Item = (Window, Group)> + '_ {
        let passed = self.start.partition_point(|start| *start <= time);
        (passed..=self.start.len()).map(|next| {
            let start = next.checked_sub(1).and_then(|at| self.start.get(at)).copied();
            let end = self.start.get(next).copied().unwrap_or(BootNanos::MAX);
            let first = next.checked_sub(1).and_then(|at| self.first.get(at)).copied();
            let last = self.first.get(next).copied().unwrap_or(self.users.len() as u32);
            let group = match first {
                Some(first) => Group { first, end: last },
                None => Group { first: 0, end: 0 },
            };
            (Window { start: start.unwrap_or(BootNanos::MIN), end }, group)
        })
    }

    /// The users of a piece.
    pub(crate) fn users(&self, group: Group) -> &[T] {
        self.users.get(group.first as usize..group.end as usize).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(uses: &[(i64, i64, char)], expected: &[(i64, i64, &str)]) {
        let window = |start, end| Window::new(BootNanos::new(start), BootNanos::new(end));
        let together = Concurrent::new(uses.iter().map(|(s, e, who)| (window(*s, *e), *who)));
        let pieces = |from: i64| -> Vec<(i64, i64, String)> {
            together
                .pieces_from(BootNanos::new(from))
                .map(|(window, group)| {
                    let users = together.users(group).iter().collect();
                    (window.start.value(), window.end.value(), users)
                })
                .collect()
        };
        let all = pieces(i64::MIN);
        let busy: Vec<_> = all.iter().filter(|(_, _, users)| !users.is_empty()).cloned().collect();
        let expected: Vec<_> = expected.iter().map(|(s, e, w)| (*s, *e, (*w).to_owned())).collect();
        assert_eq!(busy, expected);
        for from in -1..12 {
            let rest: Vec<_> = all.iter().filter(|(_, end, _)| *end > from).cloned().collect();
            assert_eq!(pieces(from), rest, "from {from}");
        }
    }

    #[test]
    fn users_are_known_at_each_instant() {
        check(&[], &[]);
        check(&[(1, 4, 'a')], &[(1, 4, "a")]);
        check(&[(1, 4, 'a'), (4, 6, 'b')], &[(1, 4, "a"), (4, 6, "b")]);
        check(&[(1, 6, 'b'), (2, 4, 'a')], &[(1, 2, "b"), (2, 4, "ab"), (4, 6, "b")]);
        check(&[(1, 6, 'a'), (2, 9, 'a')], &[(1, 2, "a"), (2, 6, "a"), (6, 9, "a")]);
        check(&[(3, 3, 'a')], &[]);
    }
}
