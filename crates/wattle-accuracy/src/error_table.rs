use serde::Serialize;

use crate::{Line, PUBLISHED, Published};

/// Name and version of the JSON form.
pub const SCHEMA: &str = "wattle-accuracy/1";

/// Description of a data set, and of its use.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SetEntry {
    /// Its name, as in the lines.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["androwatts", "freqbench", "android-runner", "rails"])))]
    pub name: &'static str,
    /// The files it was read from.
    pub files: Vec<String>,
    /// Rows of the set.
    pub rows: usize,
    /// Composition of the rows, in words.
    pub groups: String,
    /// Data held out from the models that are judged on it.
    pub held_out: String,
    /// Inputs that models may see.
    pub inputs: String,
    /// Method by which the ground truth was measured.
    pub truth: String,
    /// Omitted data, and cautions.
    pub notes: Vec<String>,
}

/// Everything that was judged.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Table {
    /// [`SCHEMA`].
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA)))]
    pub schema: &'static str,
    /// Seed of what looks random in models.
    pub seed: u64,
    /// The data sets.
    pub sets: Vec<SetEntry>,
    /// One a model, target and set; the baseline first of each target.
    pub lines: Vec<Line>,
    /// Published figures of the same sets, for comparison.
    pub published: &'static [Published],
    /// Input that could not be read.
    pub notes: Vec<String>,
}

impl Table {
    pub(crate) fn new(
        seed: u64,
        sets: Vec<SetEntry>,
        lines: Vec<Line>,
        notes: Vec<String>,
    ) -> Self {
        Self { schema: SCHEMA, seed, sets, lines, published: PUBLISHED, notes }
    }

    /// The line of this role for a target, the first of them.
    pub fn line(&self, set: &str, target: &str, role: crate::Role) -> Option<&Line> {
        self.lines.iter().find(|l| l.set == set && l.target == target && l.role == role)
    }
}
