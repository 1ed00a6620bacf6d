//! The `[linear]` section of a device-model file.

use serde::Deserialize;
use wattle_units::{Provenance, Watts};

use super::device_model_file::{Wrong, finite};
use crate::{CoefficientUnit, Component, Intercept, LinearModel, LinearTerm, ResidualQuantile};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileLinear {
    #[serde(default)]
    source: String,
    freedom: Option<f64>,
    mean: Option<f64>,
    #[serde(default)]
    residuals: Vec<[f64; 2]>,
    intercept: Option<FileIntercept>,
    #[serde(default)]
    term: Vec<FileTerm>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileIntercept {
    value: f64,
    unit: String,
    error: Option<f64>,
    #[serde(default)]
    source: String,
    provenance: Option<Provenance>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileTerm {
    parameter: String,
    component: String,
    coefficient: f64,
    unit: String,
    error: Option<f64>,
    #[serde(default)]
    source: String,
    provenance: Option<Provenance>,
}

/// An error is a size.
fn size(error: Option<f64>, of: &str) -> Result<(), Wrong> {
    match error.filter(|error| !(*error >= 0.0 && error.is_finite())) {
        Some(error) => Err(("an error from 0 on", format!("{error} of {of:?}"))),
        None => Ok(()),
    }
}

impl FileLinear {
    pub(super) fn into_linear(self) -> Result<LinearModel, Wrong> {
        let intercept = self.intercept.map(FileIntercept::into_intercept).transpose()?;
        let terms: Vec<LinearTerm> =
            self.term.into_iter().map(FileTerm::into_term).collect::<Result<_, _>>()?;
        for (index, term) in terms.iter().enumerate() {
            let same = |other: &&LinearTerm| {
                (&other.parameter, &other.component) == (&term.parameter, &term.component)
            };
            if terms.get(..index).unwrap_or_default().iter().any(|other| same(&other)) {
                let found = format!("two of {:?} for {}", term.parameter, term.component);
                return Err(("one [[linear.term]] a parameter and component", found));
            }
        }
        if intercept.is_none() && terms.is_empty() {
            return Err(("an intercept or a term in [linear]", "neither".to_owned()));
        }
        for row in &self.residuals {
            finite(row)?;
        }
        let residuals: Vec<ResidualQuantile> = self
            .residuals
            .iter()
            .map(|[quantile, power]| ResidualQuantile {
                quantile: *quantile,
                power: Watts::from_milliwatts(*power),
            })
            .collect();
        let inside = residuals.iter().all(|row| row.quantile > 0.0 && row.quantile < 1.0);
        let rising = residuals.windows(2).all(|pair| match pair {
            [low, high] => low.quantile < high.quantile && low.power <= high.power,
            _ => true,
        });
        if !(inside && rising) {
            let found = format!("{:?}", self.residuals);
            return Err(("residuals of quantiles between 0 and 1, both columns rising", found));
        }
        for (value, what) in [(self.freedom, "freedom"), (self.mean, "mean")] {
            size(value, what)?;
        }
        Ok(LinearModel {
            intercept,
            terms,
            residuals,
            freedom: self.freedom,
            mean: self.mean.map(Watts::from_milliwatts),
            source: self.source,
        })
    }
}

impl FileIntercept {
    fn into_intercept(self) -> Result<Intercept, Wrong> {
        finite(&[self.value])?;
        size(self.error, "intercept")?;
        if self.unit != "mW" {
            return Err(("linear.intercept.unit = \"mW\"", format!("{:?}", self.unit)));
        }
        Ok(Intercept {
            power: Watts::from_milliwatts(self.value),
            error: self.error.map(Watts::from_milliwatts),
            source: self.source,
            provenance: self.provenance.unwrap_or(Provenance::Modelled),
        })
    }
}

impl FileTerm {
    fn into_term(self) -> Result<LinearTerm, Wrong> {
        finite(&[self.coefficient])?;
        size(self.error, &self.parameter)?;
        if self.parameter.is_empty() || self.component.is_empty() {
            let found = format!("{:?}, {:?}", self.parameter, self.component);
            return Err(("a parameter and a component of each [[linear.term]]", found));
        }
        let Some(unit) = CoefficientUnit::named(&self.unit) else {
            let found = format!("{:?} of {:?}", self.unit, self.parameter);
            return Err(("unit = \"mW\", \"mW/…\" or \"nJ/B\"", found));
        };
        Ok(LinearTerm {
            component: Component::from(self.component),
            parameter: self.parameter,
            coefficient: self.coefficient,
            unit,
            error: self.error,
            source: self.source,
            provenance: self.provenance.unwrap_or(Provenance::Modelled),
        })
    }
}
