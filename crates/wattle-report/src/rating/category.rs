//! Energy use of apps of one kind.

use wattle_units::Provenance;

use super::{CategoryReference, LeftOut, Limits, RatedMeasure};
use crate::ReportError;

/// A category: what is compared, and with what.
#[derive(Clone, Debug, PartialEq)]
pub struct Category {
    /// Its name.
    pub name: String,
    /// The compared measure.
    pub measure: RatedMeasure,
    /// Rule that sets the classes.
    pub rule: Rule,
    /// Who says so, for figures that are no ledgers.
    pub source: Option<String>,
    /// Provenance of a fixed baseline, if known.
    pub provenance: Option<Provenance>,
    /// Of which device a fixed baseline is, where somebody says.
    pub device: Option<String>,
    /// The references.
    pub references: Vec<CategoryReference>,
    /// Named references that could not be compared.
    pub left_out: Vec<LeftOut>,
    /// Part of the probed methods below which a run is not compared, 0 to 1.
    pub least_coverage: f64,
}

/// Rule that sets the classes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// From the references, see [`Limits::of_values`].
    Quartiles,
    /// Fixed, see [`Limits::of_baseline`].
    Baseline {
        /// The value where C begins.
        joules: f64,
        /// The width of a class.
        width: f64,
    },
}

/// Part of the probed methods that ran, below which nothing is compared unless somebody says otherwise.
const LEAST_COVERAGE: f64 = 0.5;

impl Category {
    /// One without references.
    pub fn new(name: &str, measure: RatedMeasure) -> Self {
        Self {
            name: name.to_owned(),
            measure,
            rule: Rule::Quartiles,
            source: None,
            provenance: None,
            device: None,
            references: Vec::new(),
            left_out: Vec::new(),
            least_coverage: LEAST_COVERAGE,
        }
    }

    /// Adds all of another, which must have the same measure and not another fixed rule.
    pub fn add(&mut self, other: Self) -> Result<(), ReportError> {
        let wrong = |reason: String| ReportError::Data { name: other.name.clone(), reason };
        if other.measure != self.measure {
            return Err(wrong(format!(
                "it is of the {}, the others are of the {}",
                other.measure.words(),
                self.measure.words()
            )));
        }
        if other.rule != Rule::Quartiles {
            if self.rule != Rule::Quartiles && self.rule != other.rule {
                return Err(wrong("another baseline has been given already".to_owned()));
            }
            self.rule = other.rule;
        }
        self.source = self.source.take().or(other.source);
        self.provenance = self.provenance.or(other.provenance);
        self.device = self.device.take().or(other.device);
        self.references.extend(other.references);
        self.left_out.extend(other.left_out);
        Ok(())
    }

    /// Says that something could not be compared.
    pub fn leave_out(&mut self, name: &str, reason: &str) {
        self.left_out.push(LeftOut { name: name.to_owned(), reason: reason.to_owned() });
    }

    /// Returns the limits of the classes; `None` if the references do not determine them.
    pub fn limits(&self) -> Option<Limits> {
        match self.rule {
            Rule::Quartiles => Limits::of_values(&self.values()),
            Rule::Baseline { joules, width } => Limits::of_baseline(joules, width),
        }
    }

    /// The figures of all references.
    pub fn values(&self) -> Vec<f64> {
        self.references.iter().map(|reference| reference.value).collect()
    }
}
