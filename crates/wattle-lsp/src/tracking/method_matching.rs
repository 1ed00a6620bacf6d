//! Which method of a changed file is which of the file that ran.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Freshness;
use crate::source::{Declaration, DeclaredMethods};

/// Fewer tokens than this are found anywhere: `{ return name; }` tells nothing.
pub(super) const LEAST_DISTINCTIVE: u32 = 20;
/// The least similarity of a method that changed and has another name.
const LEAST_SIMILARITY: f64 = 0.6;
/// The least similarity of a method that changed and kept its name: below it, it may as well be another one that got the name.
const LEAST_OF_SAME_NAME: f64 = 0.4;
/// The similarity by which the best has to be ahead of the second best.
const MARGIN: f64 = 0.15;
/// The most methods of each side that are compared with each other.
const MOST_COMPARED: usize = 300;

/// A method that ran, in the changed file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FollowedMethod {
    /// Its place among the methods of the changed file.
    pub now: usize,
    /// Whether it is the same code.
    pub freshness: Freshness,
}

/// Finds each method of one text in another; in the order of the first. `None` where it is gone, or where that is not certain.
///
/// The same code counts before the same name: what was renamed is followed, and a new method under an old name does not inherit its
/// figures.
pub fn follow(before: &DeclaredMethods, now: &DeclaredMethods) -> Vec<Option<FollowedMethod>> {
    let mut matching = Matching::new(&before.all, &now.all);
    matching.same_name_same_code(None);
    matching.same_code();
    let classes = matching.renamed_classes();
    matching.same_name_same_code(Some(&classes));
    matching.similar();
    matching.same_name(&classes);
    matching.found
}

/// Class, name and parameters.
type Key<'d> = (&'d str, &'d str, &'d [String]);

struct Matching<'d> {
    before: &'d [Declaration],
    now: &'d [Declaration],
    found: Vec<Option<FollowedMethod>>,
    is_taken: Vec<bool>,
}

impl<'d> Matching<'d> {
    fn new(before: &'d [Declaration], now: &'d [Declaration]) -> Self {
        Self { before, now, found: vec![None; before.len()], is_taken: vec![false; now.len()] }
    }

    fn take(&mut self, before: usize, now: usize, freshness: Freshness) {
        self.found[before] = Some(FollowedMethod { now, freshness });
        self.is_taken[now] = true;
    }

    fn open_before(&self) -> Vec<usize> {
        (0..self.before.len()).filter(|at| self.found[*at].is_none()).collect()
    }

    fn open_now(&self) -> Vec<usize> {
        (0..self.now.len()).filter(|at| !self.is_taken[*at]).collect()
    }

    /// The open methods of the changed file by their keys.
    fn by_key(&self) -> FxHashMap<Key<'d>, Vec<usize>> {
        let mut places: FxHashMap<Key<'d>, Vec<usize>> = FxHashMap::default();
        for at in self.open_now() {
            places.entry(key(&self.now[at])).or_default().push(at);
        }
        places
    }

    /// Methods of one name with one code. With classes, those whose class was renamed.
    fn same_name_same_code(&mut self, classes: Option<&FxHashMap<&'d str, &'d str>>) {
        let places = self.by_key();
        for at in self.open_before() {
            let method = &self.before[at];
            let Some(key) = key_in(method, classes) else { continue };
            let mut same = places
                .get(&key)
                .into_iter()
                .flatten()
                .copied()
                .filter(|place| self.now[*place].code == method.code && !self.is_taken[*place]);
            // Two of one name are the code of somebody who is typing.
            if let (Some(place), None) = (same.next(), same.next()) {
                let is_moved = classes.is_some();
                self.take(at, place, if is_moved { Freshness::Moved } else { Freshness::Current });
            }
        }
    }

    /// Methods of another name with one code, if there is no other with it.
    fn same_code(&mut self) {
        let mut codes: FxHashMap<(u64, bool), [Vec<usize>; 2]> = FxHashMap::default();
        for (side, open) in [self.open_before(), self.open_now()].into_iter().enumerate() {
            let all = if side == 0 { self.before } else { self.now };
            for at in open {
                if all[at].code_size >= LEAST_DISTINCTIVE {
                    let is_constructor = all[at].name == "<init>";
                    codes.entry((all[at].code, is_constructor)).or_default()[side].push(at);
                }
            }
        }
        for [before, now] in codes.into_values() {
            if let ([at], [place]) = (before.as_slice(), now.as_slice()) {
                self.take(*at, *place, Freshness::Moved);
            }
        }
    }

    /// Classes whose methods were found in another class, and which are gone.
    fn renamed_classes(&self) -> FxHashMap<&'d str, &'d str> {
        let remaining: FxHashSet<&str> = self.now.iter().map(|it| it.class.as_str()).collect();
        let known: FxHashSet<&str> = self.before.iter().map(|it| it.class.as_str()).collect();
        let mut votes: FxHashMap<(&'d str, &'d str), usize> = FxHashMap::default();
        for (at, found) in self.found.iter().enumerate() {
            let Some(found) = found else { continue };
            let (was, is) = (self.before[at].class.as_str(), self.now[found.now].class.as_str());
            if !remaining.contains(was) && !known.contains(is) {
                *votes.entry((was, is)).or_default() += 1;
            }
        }
        let mut best: FxHashMap<&str, (&str, usize, bool)> = FxHashMap::default();
        for ((was, is), count) in votes {
            let entry = best.entry(was).or_insert((is, 0, true));
            match count.cmp(&entry.1) {
                std::cmp::Ordering::Greater => *entry = (is, count, true),
                std::cmp::Ordering::Equal => entry.2 = false,
                std::cmp::Ordering::Less => {}
            }
        }
        let mut renamed: FxHashMap<&'d str, &'d str> =
            best.into_iter().filter(|(_, it)| it.2).map(|(was, (is, ..))| (was, is)).collect();
        rename_around(&mut renamed, (&known, &remaining));
        renamed
    }

    /// Methods that changed, by what is left of them: under another name only where the one of the old name is clearly another method.
    fn similar(&mut self) {
        let (before, now) = (self.open_before(), self.open_now());
        if before.len() > MOST_COMPARED || now.len() > MOST_COMPARED {
            return;
        }
        let mut wanted: Vec<(f64, usize, usize)> = Vec::new();
        for at in &before {
            let method = &self.before[*at];
            if method.code_size < LEAST_DISTINCTIVE {
                continue;
            }
            let of_kind = now.iter().filter(|place| {
                let other = &self.now[**place];
                other.kind == method.kind && other.code_size >= LEAST_DISTINCTIVE
            });
            let mut scored: Vec<(f64, usize)> =
                of_kind.map(|place| (method.similarity(&self.now[*place]), *place)).collect();
            scored.sort_by(|a, b| b.0.total_cmp(&a.0));
            let Some((best, place)) = scored.first().copied() else { continue };
            let second = scored.get(1).map_or(0.0, |it| it.0);
            if best >= LEAST_SIMILARITY && best >= second + MARGIN {
                wanted.push((best, *at, place));
            }
        }
        wanted.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (similarity, at, place) in wanted {
            // Another method that is as like it wants it, too: nobody knows.
            let of_place =
                before.iter().filter(|other| **other != at && self.found[**other].is_none());
            let is_contested = of_place.into_iter().any(|other| {
                self.before[*other].similarity(&self.now[place]) + MARGIN > similarity
            });
            if !self.is_taken[place] && self.found[at].is_none() && !is_contested {
                self.take(at, place, Freshness::Changed);
            }
        }
    }

    /// Whether a method of the same name is like the one that ran, and no other is nearly as like it.
    fn is_likely(&self, before: usize, now: usize) -> bool {
        let method = &self.before[before];
        let similarity = method.similarity(&self.now[now]);
        let others =
            self.now.iter().enumerate().filter(|(at, other)| {
                *at != now && !self.is_taken[*at] && other.kind == method.kind
            });
        similarity >= LEAST_OF_SAME_NAME
            && others.take(MOST_COMPARED).all(|(_, it)| method.similarity(it) + MARGIN < similarity)
    }

    /// Methods of one name whose code changed.
    fn same_name(&mut self, classes: &FxHashMap<&'d str, &'d str>) {
        for with_parameters in [true, false] {
            let mut places: FxHashMap<Key<'d>, Vec<usize>> = FxHashMap::default();
            let mut wishes: FxHashMap<Key<'d>, Vec<usize>> = FxHashMap::default();
            let cut =
                |key: Key<'d>| if with_parameters { key } else { (key.0, key.1, &[] as &[String]) };
            for at in self.open_now() {
                places.entry(cut(key(&self.now[at]))).or_default().push(at);
            }
            for at in self.open_before() {
                let method = &self.before[at];
                let key = key_in(method, Some(classes)).unwrap_or_else(|| key(method));
                wishes.entry(cut(key)).or_default().push(at);
            }
            for (key, at) in wishes {
                if let ([at], Some([place])) = (at.as_slice(), places.get(&key).map(Vec::as_slice))
                    && self.is_likely(*at, *place)
                {
                    self.take(*at, *place, Freshness::Changed);
                }
            }
        }
    }
}

/// Classes in and around renamed ones have their names, too: where `A` is `B` now and `A$C` is gone, `B$C` is it.
fn rename_around<'d>(
    renamed: &mut FxHashMap<&'d str, &'d str>,
    (known, remaining): (&FxHashSet<&'d str>, &FxHashSet<&'d str>),
) {
    let around: Vec<(&str, &str)> = renamed
        .iter()
        .filter_map(|(was, is)| {
            let ((was, inner), (is, same)) = (was.rsplit_once('$')?, is.rsplit_once('$')?);
            (inner == same).then_some((was, is))
        })
        .collect();
    let is_gone = |class: &str| known.contains(class) && !remaining.contains(class);
    let is_new = |class: &str| remaining.contains(class) && !known.contains(class);
    for (was, is) in around.into_iter().filter(|(was, is)| is_gone(was) && is_new(is)) {
        renamed.entry(was).or_insert(is);
    }
    let gone = known.iter().filter(|class| is_gone(class) && !renamed.contains_key(**class));
    let inside: Vec<(&'d str, &'d str)> = gone
        .filter_map(|class| {
            let is = class.rmatch_indices('$').find_map(|(at, _)| {
                let (outer, rest) = class.split_at(at);
                let name = format!("{}{rest}", renamed.get(outer)?);
                remaining.get(name.as_str()).copied().filter(|class| is_new(class))
            });
            Some((*class, is?))
        })
        .collect();
    renamed.extend(inside);
}

fn key(method: &Declaration) -> Key<'_> {
    (&method.class, &method.name, &method.parameters)
}

/// The key in a renamed class; `None` where its class was not renamed.
fn key_in<'d>(
    method: &'d Declaration,
    classes: Option<&FxHashMap<&'d str, &'d str>>,
) -> Option<Key<'d>> {
    let key = key(method);
    match classes {
        None => Some(key),
        Some(classes) => classes.get(key.0).map(|class| (*class, key.1, key.2)),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::source::Language;

    /// Long enough to be told apart from any other method.
    const LONG: &str =
        "fun load(limit: Int): Int { var sum = limit * 2; sum += parse(sum, 7); return sum }";

    /// Methods of a text by where they are in the other one.
    #[track_caller]
    fn check(before: &str, now: &str, expected: &[(&str, Option<&str>)]) {
        let read = |text: &str| DeclaredMethods::new(text, Language::Kotlin, Path::new("A.kt"));
        let (before, now) = (read(before), read(now));
        let found: Vec<(String, Option<String>)> = follow(&before, &now)
            .into_iter()
            .zip(&before.all)
            .map(|(to, method)| (method.qualified(), to.map(|to| now.all[to.now].qualified())))
            .filter(|(method, _)| !method.contains("<init>"))
            .collect();
        let found: Vec<(&str, Option<&str>)> =
            found.iter().map(|(was, is)| (was.as_str(), is.as_deref())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn small_methods_follow_the_names_of_classes_around_theirs() {
        let text = |outer: &str, of_outer: &str, of_inner: &str| {
            format!("class {outer} {{ {of_outer}\\n class Inner {{ {of_inner}\\n fun size() = 3 }}\\n }}\\n")
                .replace("\\n", "\n")
        };
        // The outer class tells the inner one's name.
        check(
            &text("Feed", LONG, ""),
            &text("News", LONG, ""),
            &[("Feed.load", Some("News.load")), ("Feed$Inner.size", Some("News$Inner.size"))],
        );
        // The inner class tells the outer one's.
        check(
            &text("Feed", "fun count() = 5", LONG),
            &text("News", "fun count() = 5", LONG),
            &[
                ("Feed.count", Some("News.count")),
                ("Feed$Inner.load", Some("News$Inner.load")),
                ("Feed$Inner.size", Some("News$Inner.size")),
            ],
        );
        // The outer class is still there: it is another one.
        let both = format!("{}class Feed {{ fun other() = 1 }}\n", text("News", "", LONG));
        check(
            &text("Feed", "fun count() = 5", LONG),
            &both,
            &[
                ("Feed.count", None),
                ("Feed$Inner.load", Some("News$Inner.load")),
                ("Feed$Inner.size", Some("News$Inner.size")),
            ],
        );
    }
}
