//! A part of a run's compared energy.

use wattle_units::{Interval, Joules};

/// A part of a run's compared energy: a component, or the self energy of a method.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesPart {
    /// Its name.
    pub name: String,
    /// Its energy.
    pub joules: Joules,
    /// The energy's 90 % interval.
    pub interval: Interval,
}

impl SeriesPart {
    /// Parts in order of their names; those of one name are added up.
    pub fn sorted(parts: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut parts: Vec<Self> = parts.into_iter().collect();
        parts.sort_by(|a, b| a.name.cmp(&b.name));
        parts.dedup_by(|later, earlier| {
            let is_same = later.name == earlier.name;
            if is_same {
                earlier.joules += later.joules;
                earlier.interval.low += later.interval.low;
                earlier.interval.high += later.interval.high;
            }
            is_same
        });
        parts
    }
}
