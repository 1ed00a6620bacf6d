//! Runs, or stretches of them, with their parameters and measured power.

use wattle_power::{Component, LinearTable};
use wattle_units::Watts;

use crate::CalibrateError;

/// One parameter over all observations.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedParameter {
    /// Its name.
    pub name: String,
    /// Its unit; empty for a number.
    pub unit: String,
    /// Component that draws the power.
    pub component: Component,
    /// One value an observation.
    pub values: Vec<f64>,
}

/// Rows to be fitted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observations {
    /// The parameters.
    pub parameters: Vec<ObservedParameter>,
    /// Measured power, one an observation.
    pub power: Vec<Watts>,
    /// The group of each: what shall be held out together (an app, a device, a recording).
    pub groups: Vec<String>,
    /// Source of the measured power, in words.
    pub what: String,
    /// The component whose power it is; `None`: the whole device's.
    pub component: Option<Component>,
    /// Length of each run in seconds, where the target was an energy and has been divided by it.
    pub durations: Option<Vec<f64>>,
    /// Typical length of an observation in seconds, where it is known.
    pub every: Option<f64>,
    /// The columns that the parameters are of, where they are of a table.
    pub table: Option<LinearTable>,
    /// Rows that were left out, and why.
    pub left_out: Vec<(String, usize)>,
    /// Cells that were no numbers, with their places.
    pub notes: Vec<String>,
}

impl Observations {
    /// Returns the number of observations.
    pub fn len(&self) -> usize {
        self.power.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.power.is_empty()
    }

    /// Adds those of another recording, which must be of the same parameters.
    pub fn extend(&mut self, other: Self) -> Result<(), CalibrateError> {
        if self.parameters.is_empty() && self.is_empty() {
            *self = other;
            return Ok(());
        }
        let names = |of: &Self| -> Vec<String> {
            of.parameters.iter().map(|parameter| parameter.name.clone()).collect()
        };
        if names(self) != names(&other) {
            return Err(CalibrateError::Request {
                what: "recordings",
                expected: format!("the parameters {}", names(self).join(", ")),
                found: names(&other).join(", "),
            });
        }
        for (mine, theirs) in self.parameters.iter_mut().zip(other.parameters) {
            mine.values.extend(theirs.values);
        }
        self.power.extend(other.power);
        self.groups.extend(other.groups);
        self.notes.extend(other.notes);
        if let (Some(mine), Some(theirs)) = (&mut self.durations, other.durations) {
            mine.extend(theirs);
        }
        for (why, count) in other.left_out {
            self.leave_out(&why, count);
        }
        Ok(())
    }

    /// Whether what was measured is the energy of a run whose length nobody knows.
    pub fn is_of_runs(&self) -> bool {
        self.durations.is_none() && self.table.as_ref().is_some_and(LinearTable::is_energy)
    }

    /// Counts rows that are not among them.
    pub(crate) fn leave_out(&mut self, why: &str, count: usize) {
        if count == 0 {
            return;
        }
        match self.left_out.iter_mut().find(|(known, _)| known == why) {
            Some((_, known)) => *known += count,
            None => self.left_out.push((why.to_owned(), count)),
        }
    }
}
