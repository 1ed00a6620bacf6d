//! Lines of one text in another.

use std::ops::Range;

use rustc_hash::FxHashMap;

/// Lines of one text in another, both as ranges of lines.
///
/// A line is found where nothing around it changed, by counting from the nearer end, else where its text, without blanks at both ends, occurs
/// once on each side, before or behind the same neighbour. What is not certain has no place.
#[derive(Debug)]
pub struct LineMap<'t> {
    before: Vec<&'t str>,
    now: Vec<&'t str>,
    first: (u32, u32),
    head: usize,
    tail: usize,
    unique: FxHashMap<&'t str, (usize, Option<usize>)>,
}

impl<'t> LineMap<'t> {
    /// The map of a range of lines to another one, given all lines of both texts.
    pub fn new(
        (before, before_lines): (&[&'t str], Range<u32>),
        (now, now_lines): (&[&'t str], Range<u32>),
    ) -> Self {
        let part = |text: &[&'t str], lines: &Range<u32>| -> Vec<&'t str> {
            let skipped = text.iter().skip(lines.start as usize);
            skipped.take(lines.len()).map(|line| line.trim()).collect()
        };
        let first = (before_lines.start, now_lines.start);
        let (before, now) = (part(before, &before_lines), part(now, &now_lines));
        let head = before.iter().zip(&now).take_while(|(a, b)| a == b).count();
        let rest = before.len().min(now.len()) - head;
        let both = before.iter().rev().zip(now.iter().rev());
        let tail = both.take(rest).take_while(|(a, b)| a == b).count();
        // Text that occurs once has its place; text that occurs more often has none.
        let mut unique: FxHashMap<&str, (usize, Option<usize>)> = FxHashMap::default();
        for line in &before {
            unique.entry(line).or_default().0 += 1;
        }
        let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
        for line in &now {
            *counts.entry(line).or_default() += 1;
        }
        for (at, line) in now.iter().enumerate() {
            if let Some(entry) = unique.get_mut(line)
                && counts.get(line) == Some(&1)
            {
                entry.1 = Some(at);
            }
        }
        Self { before, now, first, head, tail, unique }
    }

    /// The place of a line, from 0; `None` where it is gone, or where that is not certain.
    pub fn place(&self, line: u32) -> Option<u32> {
        let at = line.checked_sub(self.first.0)? as usize;
        let text = *self.before.get(at)?;
        let is_whole = self.before.len() == self.now.len() && self.head == self.before.len();
        let place = match self.unique.get(text) {
            _ if is_whole => at,
            Some((1, Some(place))) if self.has_same_neighbour(at, *place) => *place,
            // A line that occurs more than once, in a part in which as many of it remain.
            Some(_) if self.is_steady(text) && at < self.head => at,
            Some(_) if self.is_steady(text) && at + self.tail >= self.before.len() => {
                at + self.now.len() - self.before.len()
            }
            _ => return None,
        };
        u32::try_from(place).ok().map(|place| place + self.first.1)
    }

    /// Whether the line before or the line behind is the same, blank ones and braces aside: a line that moved alone may be another of the
    /// same text.
    fn has_same_neighbour(&self, before: usize, now: usize) -> bool {
        let is_text = |line: &&&str| !line.is_empty();
        let above = |lines: &[&'t str], at: usize| lines[..at].iter().rev().find(is_text).copied();
        let below = |lines: &[&'t str], at: usize| lines[at + 1..].iter().find(is_text).copied();
        let is_same = |one: Option<&str>, other: Option<&str>| {
            one == other && one.is_some_and(|line| line.chars().any(char::is_alphanumeric))
        };
        is_same(above(&self.before, before), above(&self.now, now))
            || is_same(below(&self.before, before), below(&self.now, now))
    }

    /// Whether all lines of a text are in the parts at both ends that did not change.
    fn is_steady(&self, text: &str) -> bool {
        let inner = |lines: &[&str]| {
            let end = lines.len() - self.tail;
            lines.get(self.head..end).is_some_and(|inner| inner.contains(&text))
        };
        !inner(&self.before) && !inner(&self.now)
    }
}

/// Whether a line contains a word that is no part of a longer one.
pub fn contains_word(line: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    !word.is_empty()
        && line.match_indices(word).any(|(at, _)| {
            let before = line.get(..at).and_then(|text| text.chars().next_back());
            let behind = line.get(at + word.len()..).and_then(|text| text.chars().next());
            !before.is_some_and(is_part) && !behind.is_some_and(is_part)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, now: &str, expected: &[Option<u32>]) {
        let (before, now): (Vec<_>, Vec<_>) = (before.lines().collect(), now.lines().collect());
        let all = |lines: &[&str]| 0..lines.len() as u32;
        let map = LineMap::new((&before, all(&before)), (&now, all(&now)));
        let found: Vec<_> = all(&before).map(|line| map.place(line)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn lines_are_followed_where_that_is_certain() {
        check("a\nb\nc", "a\nb\nc", &[Some(0), Some(1), Some(2)]);
        check("a\nb\nc", "a\n\n  x\n b\nc", &[Some(0), Some(3), Some(4)]);
        check("a\nb\nc", "c\na", &[None, None, None]);
        check("a\nb\nc\nd", "c\nd\nx\na\nb", &[Some(3), Some(4), Some(0), Some(1)]);
        // One of two is gone, nobody knows which.
        check("f()\ng()\nf()", "g()\nf()", &[None, Some(0), None]);
        check("f()\ng()\nf()", "f()\nh()\nf()", &[Some(0), None, Some(2)]);
        // A third was added.
        check("f()\ng()\nf()", "f()\nf()\ng()\nf()", &[None, Some(2), None]);
    }

    #[test]
    fn words_are_whole() {
        assert!(contains_word("x = load(1)", "load"));
        assert!(!contains_word("x = reload(1)", "load"));
        assert!(!contains_word("x = loads(1)", "load"));
        assert!(!contains_word("x", ""));
    }
}
