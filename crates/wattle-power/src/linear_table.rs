//! Columns of a table that a linear model is a function of.

/// The table that a linear model was fitted to, so that it can be used on another one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinearTable {
    /// Column or formula of what was measured.
    pub target: String,
    /// Its unit: `W`, `mW`, `uW`, `A`, `mA`, `uA`, `J`, `mJ`.
    pub unit: String,
    /// Column or formula of a run's length in seconds, where the target is an energy: parameters are then divided by it.
    pub duration: Option<String>,
    /// Each parameter and the column or formula that it is in the table, in the order of the calibration.
    pub columns: Vec<(String, String)>,
    /// Parameters whose cells may be empty, and the value that stands in: `missing(PARAMETER)` is 1 then, else 0.
    pub fills: Vec<(String, f64)>,
}

impl LinearTable {
    /// Whether what was measured is an energy, not a power.
    pub fn is_energy(&self) -> bool {
        self.unit == "J" || self.unit == "mJ"
    }
}
