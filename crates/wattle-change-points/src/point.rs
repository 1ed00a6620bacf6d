//! Points of a series.

/// The surroundings of one run, as far as they were recorded.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Conditions {
    /// Temperature of the device, in any unit.
    pub temperature: Option<f64>,
    /// Mean clock of the CPU, in any unit.
    pub clock: Option<f64>,
    /// Activity of other processes, in any unit.
    pub background: Option<f64>,
}

/// One run of one commit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Run {
    /// The metric.
    pub value: f64,
    /// Standard deviation that the run states for its own value. A run less sure than others counts less.
    pub uncertainty: Option<f64>,
    /// Used to explain noise, never to change a value.
    pub conditions: Conditions,
}

impl Run {
    /// A run of which only the value is known.
    pub fn from_value(value: f64) -> Self {
        Self { value, uncertainty: None, conditions: Conditions::default() }
    }

    /// Whether the run can be used. Beyond 10^150 squares leave the range of numbers.
    pub(crate) fn is_usable(&self) -> bool {
        self.value.is_finite() && self.value.abs() < 1e150
    }
}

/// All runs of one commit.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// The caller's number of the commit. Commits are pushed in their order; numbers may have gaps.
    pub order: u64,
    /// At least one; runs without a finite value are ignored.
    pub runs: Vec<Run>,
}

impl Point {
    /// A commit with the values of its runs.
    pub fn from_values(order: u64, values: impl IntoIterator<Item = f64>) -> Self {
        Self { order, runs: values.into_iter().map(Run::from_value).collect() }
    }
}
