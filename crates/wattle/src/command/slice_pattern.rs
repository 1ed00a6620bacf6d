//! The slices that `--slice` names: by exact name, by pattern, or as a table groups them.

use wattle_ledger::with_numbers_grouped;
use wattle_timeline::Timeline;

/// `NAME`, `PATTERN`, `NAME #`, each with `#3` behind it for the third.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlicePattern<'a> {
    /// The name or pattern without the number.
    pub text: &'a str,
    /// Which of the slices by time, from 1.
    pub number: usize,
    kind: Kind,
}

/// The meaning of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Exact,
    /// With `*` for any text and `?` for any letter.
    Glob,
    /// A name with `#` for numbers, as in tables.
    Grouped,
}

impl<'a> SlicePattern<'a> {
    /// The slices asked for in a timeline. A slice of exactly that name comes first: names may contain `*` and end in `#3`.
    pub fn new(asked: &'a str, timeline: &Timeline) -> Self {
        let is_name = |text: &str| timeline.names.find(text).is_some();
        let (text, number) = match asked.rsplit_once('#') {
            Some((name, digits)) if !is_name(asked) => match digits.parse() {
                Ok(number) if number > 0 => (name, number),
                _ => (asked, 1),
            },
            _ => (asked, 1),
        };
        let kind = if is_name(text) {
            Kind::Exact
        } else if text.contains(['*', '?']) {
            Kind::Glob
        } else if text.contains('#') {
            Kind::Grouped
        } else {
            Kind::Exact
        };
        Self { text, number, kind }
    }

    /// Whether slices of this name are meant.
    pub fn matches(&self, name: &str) -> bool {
        match self.kind {
            Kind::Exact => self.text == name,
            Kind::Glob => glob(self.text, name),
            Kind::Grouped => with_numbers_grouped(name) == self.text,
        }
    }

    /// The text without its wildcards, which is compared with names for suggestions.
    pub fn letters(&self) -> String {
        let is_wild = |c: char| self.kind == Kind::Glob && matches!(c, '*' | '?');
        self.text.replace(is_wild, "").trim().to_owned()
    }

    /// The word for one that nothing matches.
    pub const fn noun(&self) -> &'static str {
        match self.kind {
            Kind::Exact => "slice of this name",
            Kind::Glob | Kind::Grouped => "slice that matches",
        }
    }
}

/// Whether a pattern with `*` for any text and `?` for any letter is the whole name. Linear in both but for the last `*`.
fn glob(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut at, mut seen) = (0, 0);
    // Where to go on if letters after the last `*` do not fit.
    let mut again: Option<(usize, usize)> = None;
    while seen < name.len() {
        match pattern.get(at) {
            Some('*') => {
                again = Some((at + 1, seen));
                at += 1;
            }
            Some(letter) if *letter == '?' || name.get(seen) == Some(letter) => {
                at += 1;
                seen += 1;
            }
            _ => {
                let Some((after, from)) = again else { return false };
                again = Some((after, from + 1));
                (at, seen) = (after, from + 1);
            }
        }
    }
    pattern.iter().skip(at).all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, name: &str, expected: bool) {
        assert_eq!(glob(pattern, name), expected, "{pattern} {name}");
    }

    #[test]
    fn patterns() {
        check("Choreographer#doFrame *", "Choreographer#doFrame 42", true);
        check("Choreographer#doFrame *", "Choreographer#doFrame", false);
        check("*", "", true);
        check("", "", true);
        check("?", "", false);
        check("d?aw", "draw", true);
        check("a*b*c", "a-b-b-c", true);
        check("a*b*c", "a-b-b-d", false);
        check("*ab", "aab", true);
        check("größe?", "größe2", true);
    }

    #[test]
    fn names_come_before_patterns_and_numbers() {
        let mut timeline = Timeline::default();
        for name in ["J<A>#1", "mul * 2", "draw", "frame 1"] {
            timeline.names.intern(name);
        }
        let parts = |asked| {
            let found = SlicePattern::new(asked, &timeline);
            (found.text.to_owned(), found.number, found.kind)
        };
        let of = |text: &str, number, kind| (text.to_owned(), number, kind);
        assert_eq!(parts("J<A>#1"), of("J<A>#1", 1, Kind::Exact));
        assert_eq!(parts("J<A>#1#2"), of("J<A>#1", 2, Kind::Exact));
        assert_eq!(parts("mul * 2"), of("mul * 2", 1, Kind::Exact));
        assert_eq!(parts("mul *"), of("mul *", 1, Kind::Glob));
        assert_eq!(parts("draw#3"), of("draw", 3, Kind::Exact));
        assert_eq!(parts("frame #"), of("frame #", 1, Kind::Grouped));
        assert_eq!(parts("frame ##2"), of("frame #", 2, Kind::Grouped));
        assert_eq!(parts("drwa"), of("drwa", 1, Kind::Exact));
        assert!(SlicePattern::new("frame #", &timeline).matches("frame 1"));
    }
}
