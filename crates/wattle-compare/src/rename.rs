//! Methods that have another name in the second run.
//!
//! Names that R8 shortened are the same in two builds only by chance: runs are to be retraced with the mapping of their own build first, and methods
//! are then paired by name. What is left over on both sides may have been renamed in the source. A name is paired with another only
//! where nothing else could be meant; energies do not decide, since it is their difference that is asked for.

use std::collections::{BTreeMap, BTreeSet};

/// A method that one run has and the other does not, by its surroundings. Callers and callees are names; those that only one
/// run has do not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MethodShape<'a> {
    /// The class, or what encloses the method; empty if unknown.
    pub class: &'a str,
    /// Types of parameters and result, if known.
    pub descriptor: Option<&'a str>,
    /// Methods that call it.
    pub callers: BTreeSet<&'a str>,
    /// Methods that it calls.
    pub callees: BTreeSet<&'a str>,
}

/// Confidence in a pair of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Same callers and the same two or more callees.
    Moderate,
    /// The same, and the class, and the descriptor where it is known.
    High,
}

impl Confidence {
    /// The words in files.
    pub const NAMES: &'static [&'static str] = &["moderate", "high"];

    /// The word in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Moderate => "moderate",
            Self::High => "high",
        }
    }
}

/// A method under two names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rename {
    /// An index into the methods that are gone.
    pub before: usize,
    /// An index into the new methods.
    pub after: usize,
    /// Confidence that both are one method.
    pub confidence: Confidence,
}

/// Callees without which a shape is no evidence.
const LEAST_CALLEES: usize = 2;

/// Pairs methods that are gone with new ones of the same shape, where each is the only one of that shape in its run. Each method is in
/// one pair at most; pairs are in order of the methods that are gone.
pub fn renames(gone: &[MethodShape<'_>], new: &[MethodShape<'_>]) -> Vec<Rename> {
    let mut pairs = Vec::new();
    let mut taken = [vec![false; gone.len()], vec![false; new.len()]];
    for confidence in [Confidence::High, Confidence::Moderate] {
        let before = by_shape(gone, &taken[0], confidence);
        let after = by_shape(new, &taken[1], confidence);
        for (shape, of_before) in before {
            if let ([before], Some([after])) =
                (of_before.as_slice(), after.get(&shape).map(Vec::as_slice))
            {
                taken[0][*before] = true;
                taken[1][*after] = true;
                pairs.push(Rename { before: *before, after: *after, confidence });
            }
        }
    }
    pairs.sort_by_key(|pair| pair.before);
    pairs
}

type Shape<'a> = (&'a BTreeSet<&'a str>, &'a BTreeSet<&'a str>, Option<(&'a str, Option<&'a str>)>);

fn by_shape<'a>(
    methods: &'a [MethodShape<'a>],
    taken: &[bool],
    confidence: Confidence,
) -> BTreeMap<Shape<'a>, Vec<usize>> {
    let mut shapes: BTreeMap<Shape<'a>, Vec<usize>> = BTreeMap::new();
    for (at, method) in methods.iter().enumerate().filter(|(at, _)| !taken[*at]) {
        let is_evidence = !method.callers.is_empty() && method.callees.len() >= LEAST_CALLEES;
        let class = match confidence {
            Confidence::High if method.class.is_empty() => continue,
            Confidence::High => Some((method.class, method.descriptor)),
            Confidence::Moderate => None,
        };
        if is_evidence {
            shapes.entry((&method.callers, &method.callees, class)).or_default().push(at);
        }
    }
    shapes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shape<'a>(class: &'a str, callers: &[&'a str], callees: &[&'a str]) -> MethodShape<'a> {
        MethodShape {
            class,
            descriptor: None,
            callers: callers.iter().copied().collect(),
            callees: callees.iter().copied().collect(),
        }
    }

    #[test]
    fn only_what_cannot_be_meant_otherwise_is_paired() {
        let gone = [
            shape("a.Feed", &["main"], &["read", "parse"]),
            shape("a.Net", &["main"], &["get", "put"]),
            shape("a.Leaf", &["main"], &["read"]),
            shape("a.Twin", &["x"], &["p", "q"]),
            shape("a.Twin", &["x"], &["p", "q"]),
        ];
        let new = [
            shape("b.Http", &["main"], &["get", "put"]),
            shape("a.Feed", &["main"], &["parse", "read"]),
            shape("a.Leaf", &["main"], &["read"]),
            shape("a.Twin", &["x"], &["p", "q"]),
        ];
        let expected = [
            Rename { before: 0, after: 1, confidence: Confidence::High },
            Rename { before: 1, after: 0, confidence: Confidence::Moderate },
        ];
        assert_eq!(renames(&gone, &new), expected);
        assert_eq!(renames(&[], &new), []);
    }

    proptest! {
        #[test]
        fn pairs_are_one_to_one(
            gone in prop::collection::vec((0..3_usize, 0..4_usize, 0..6_usize), 0..20),
            new in prop::collection::vec((0..3_usize, 0..4_usize, 0..6_usize), 0..20),
        ) {
            const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
            let shapes = |of: &[(usize, usize, usize)]| -> Vec<MethodShape<'static>> {
                let shape = |(class, from, to): &(usize, usize, usize)| {
                    shape(NAMES[*class], &NAMES[*from..from + 1], &NAMES[*from..from + to.min(&4)])
                };
                of.iter().map(shape).collect()
            };
            let (gone, new) = (shapes(&gone), shapes(&new));
            let pairs = renames(&gone, &new);
            let before: BTreeSet<_> = pairs.iter().map(|pair| pair.before).collect();
            let after: BTreeSet<_> = pairs.iter().map(|pair| pair.after).collect();
            prop_assert_eq!((before.len(), after.len()), (pairs.len(), pairs.len()));
            for pair in &pairs {
                prop_assert_eq!(&gone[pair.before].callees, &new[pair.after].callees);
            }
            let back = renames(&new, &gone);
            prop_assert_eq!(back.len(), pairs.len());
        }
    }
}
