//! Methods of a group of runs, in order of names.

use std::ops::Range;

use wattle_units::Estimate;

use crate::digest::{MethodChange, MethodRecord};

/// The energies of a method.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodRow {
    /// Calls of a run, on average; 0 where only samples know it.
    pub calls: f64,
    /// The number of runs in which it occurred.
    pub runs: u32,
    /// The mean energy of a run while it was innermost.
    pub own: Estimate,
    /// The same with all that it called.
    pub total: Estimate,
    /// The changes of both against the baseline.
    pub changes: Option<Box<[MethodChange; 2]>>,
}

/// Methods in order of names. Names are one text: there may be a hundred thousand.
#[derive(Clone, Debug, Default)]
pub struct MethodTable {
    names: String,
    ends: Vec<u32>,
    rows: Vec<MethodRow>,
}

impl MethodTable {
    /// Adds a method. `false`, and nothing is added, where its name is not behind the last one, or the table is full.
    pub fn push(&mut self, record: &MethodRecord) -> bool {
        let is_next = self.rows.is_empty() || self.name(self.rows.len() - 1) < record.name.as_str();
        let Some(end) =
            u32::try_from(self.names.len() + record.name.len()).ok().filter(|_| is_next)
        else {
            return false;
        };
        self.names.push_str(&record.name);
        self.ends.push(end);
        let MethodRecord { calls, runs, own, total, changes, .. } = *record;
        self.rows.push(MethodRow { calls, runs, own, total, changes: changes.map(Box::new) });
        true
    }

    /// Gives back memory that no method needs.
    pub fn shrink(&mut self) {
        self.names.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.rows.shrink_to_fit();
    }

    /// The number of methods.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The name of a method; empty behind the last one.
    pub fn name(&self, at: usize) -> &str {
        let end = self.ends.get(at).map_or(0, |end| *end as usize);
        let start = at.checked_sub(1).and_then(|it| self.ends.get(it)).map_or(0, |it| *it as usize);
        self.names.get(start..end).unwrap_or_default()
    }

    /// A method.
    pub fn row(&self, at: usize) -> Option<&MethodRow> {
        self.rows.get(at)
    }

    /// The place of a name.
    pub fn find(&self, name: &str) -> Option<usize> {
        let at = self.first_from(name);
        (at < self.len() && self.name(at) == name).then_some(at)
    }

    /// The methods whose names begin so.
    pub fn starting_with(&self, beginning: &str) -> Range<usize> {
        let start = self.first_from(beginning);
        let mut end = start;
        while end < self.len() && self.name(end).starts_with(beginning) {
            end += 1;
        }
        start..end
    }

    fn first_from(&self, name: &str) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.name(middle) < name { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// The places of all methods, those of most own energy first.
    pub fn by_energy(&self) -> Vec<u32> {
        let mut places: Vec<u32> = (0..self.len() as u32).collect();
        let own = |at: u32| self.rows.get(at as usize).map_or(0.0, |row| row.own.joules.value());
        places.sort_by(|a, b| own(*b).total_cmp(&own(*a)).then(a.cmp(b)));
        places
    }
}
