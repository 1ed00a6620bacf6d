//! `xtask/house.toml`: the committed numbers, which may only get better, and the goals.
//!
//! One table per measure, `[key]` with `before = N`, `goal = N` and `committed = N`. Only this is read, so that no TOML reader has to
//! be built first.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context as _, Result, bail};

use super::house_measure::Measure;

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Limit {
    /// The number at the commit that work on these measures began with.
    pub before: Option<usize>,
    pub goal: usize,
    pub committed: usize,
}

pub type Limits = BTreeMap<String, Limit>;

const HEAD: &str = "\
# Limits of `cargo xtask house`. A number may not get worse than `committed`; `goal` is where it should go; `before` is what it
# was at 53777a5.
# `cargo xtask house --save` writes better numbers here; a worse one is a decision, made by hand and explained in the commit.
";

pub fn parse(text: &str) -> Result<Limits> {
    let mut limits = Limits::new();
    let mut key = None;
    for line in
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            limits.insert(name.to_owned(), Limit::default());
            key = Some(name.to_owned());
            continue;
        }
        let (name, value) =
            line.split_once('=').with_context(|| format!("not `name = N`: {line}"))?;
        let value = value.trim().parse().with_context(|| format!("not a number: {line}"))?;
        let table = key.as_ref().and_then(|key| limits.get_mut(key));
        let limit = table.with_context(|| format!("outside of a table: {line}"))?;
        match name.trim() {
            "before" => limit.before = Some(value),
            "goal" => limit.goal = value,
            "committed" => limit.committed = value,
            other => bail!("unknown name {other}"),
        }
    }
    Ok(limits)
}

pub fn write(limits: &Limits) -> String {
    let mut text = HEAD.to_owned();
    for (key, limit) in limits {
        let _ = writeln!(text, "\n[{key}]");
        if let Some(before) = limit.before {
            let _ = writeln!(text, "before = {before}");
        }
        let _ = writeln!(text, "goal = {}\ncommitted = {}", limit.goal, limit.committed);
    }
    text
}

/// The limits with every better number taken over; a measure without a limit gets its number.
pub fn tightened(limits: &Limits, measures: &[Measure]) -> Limits {
    let mut limits = limits.clone();
    for measure in measures {
        let new = Limit { committed: measure.value, ..Limit::default() };
        let limit = limits.entry(measure.key.to_owned()).or_insert(new);
        if measure.direction.is_worse(limit.committed, measure.value) {
            limit.committed = measure.value;
        }
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::{Limit, parse, tightened, write};
    use crate::house::house_measure::{Direction, Measure};

    #[test]
    fn what_is_written_is_read() {
        let text = "[a]\nbefore = 9\ngoal = 1\ncommitted = 7 \n\n# why\n[b-c]\ncommitted = 3\n";
        let limits = parse(text).expect("a valid file");
        assert_eq!(limits["a"], Limit { before: Some(9), goal: 1, committed: 7 });
        assert_eq!(limits["b-c"], Limit { before: None, goal: 0, committed: 3 });
        assert_eq!(parse(&write(&limits)).expect("a valid file"), limits);
        for wrong in ["goal = 1", "[a]\ngoal", "[a]\ngoal = x", "[a]\nlimit = 1"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_better_numbers_are_taken_over() {
        let limits = parse("[less]\ncommitted = 5\n[more]\ncommitted = 5\n").expect("a valid file");
        let check = |key, direction, value, expected| {
            let measure = Measure { key, title: "", value, direction, places: Vec::new() };
            assert_eq!(tightened(&limits, &[measure])[key].committed, expected, "{key} {value}");
        };
        check("less", Direction::LessIsBetter, 4, 4);
        check("less", Direction::LessIsBetter, 6, 5);
        check("more", Direction::MoreIsBetter, 6, 6);
        check("more", Direction::MoreIsBetter, 4, 5);
        check("new", Direction::LessIsBetter, 9, 9);
    }
}
