//! One value of a counter.

use wattle_timeline::RawScope;

/// One counter's value.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Scope that it belongs to.
    pub scope: RawScope,
    /// The counter's name on the timeline.
    pub name: String,
    /// Amount counted.
    pub amount: f64,
    /// The counter forgets: where it goes down, old things left it, and it did not begin anew.
    pub forgets: bool,
}

impl Value {
    /// A value of the whole device.
    pub fn global(name: String, amount: f64) -> Self {
        Self { scope: RawScope::Global, name, amount, forgets: false }
    }

    /// A value of something.
    pub fn new(scope: RawScope, name: String, amount: f64) -> Self {
        Self { scope, name, amount, forgets: false }
    }
}

/// A number of a file.
pub fn number(text: &str) -> Option<f64> {
    // Counters are whole; a float would read words like `nan`.
    text.parse::<u64>().ok().map(|value| value as f64)
}
