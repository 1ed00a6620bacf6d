//! What one file of a sample says.

use wattle_timeline::RawScope;

/// One counter's value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Value {
    pub scope: RawScope,
    pub name: String,
    pub amount: f64,
    /// The counter forgets: where it goes down, old things left it, and it did not begin anew.
    pub forgets: bool,
}

impl Value {
    pub fn global(name: String, amount: f64) -> Self {
        Self { scope: RawScope::Global, name, amount, forgets: false }
    }

    pub fn of(scope: RawScope, name: String, amount: f64) -> Self {
        Self { scope, name, amount, forgets: false }
    }
}

/// A number of a file.
pub(crate) fn number(text: &str) -> Option<f64> {
    // Counters are whole; a float would read words like `nan`.
    text.parse::<u64>().ok().map(|value| value as f64)
}
