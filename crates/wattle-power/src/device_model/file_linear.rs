//! The `[linear]` section of a device-model file.

use serde::Deserialize;
use wattle_units::{Provenance, Watts};

use super::file_values::{Wrong, finite};
use crate::{
    CoefficientUnit, Component, CorrectionInput, Intercept, LinearCorrection, LinearModel,
    LinearTable, LinearTerm, ResidualQuantile, SupportPoint,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileLinear {
    #[serde(default)]
    source: String,
    freedom: Option<f64>,
    mean: Option<f64>,
    #[serde(default)]
    residuals: Vec<[f64; 2]>,
    interval: Option<[f64; 2]>,
    every: Option<f64>,
    intercept: Option<FileIntercept>,
    #[serde(default)]
    term: Vec<FileTerm>,
    correction: Option<FileCorrection>,
    table: Option<FileTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileCorrection {
    share: f64,
    level: f64,
    inputs: Vec<(String, f64, f64)>,
    points: Vec<Vec<f64>>,
    #[serde(default)]
    residuals: Vec<[f64; 2]>,
    interval: Option<[f64; 2]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileTable {
    target: String,
    unit: String,
    duration: Option<String>,
    columns: Vec<(String, String)>,
    #[serde(default)]
    fills: Vec<(String, f64)>,
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
    between: Option<[f64; 2]>,
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
                (&other.parameter, &other.component, other.between)
                    == (&term.parameter, &term.component, term.between)
            };
            if terms.get(..index).unwrap_or_default().iter().any(|other| same(&other)) {
                let found = format!("two of {:?} for {}", term.parameter, term.component);
                return Err(("one [[linear.term]] a parameter, component and stretch", found));
            }
        }
        if intercept.is_none() && terms.is_empty() {
            return Err(("an intercept or a term in [linear]", "neither".to_owned()));
        }
        let residuals = quantiles(&self.residuals)?;
        for (value, what) in [(self.freedom, "freedom"), (self.mean, "mean"), (self.every, "every")]
        {
            size(value, what)?;
        }
        let table = self.table.map(|table| LinearTable {
            target: table.target,
            unit: table.unit,
            duration: table.duration,
            columns: table.columns,
            fills: table.fills,
        });
        Ok(LinearModel {
            intercept,
            terms,
            residuals,
            freedom: self.freedom,
            mean: self.mean.map(Watts::from_milliwatts),
            interval: interval(self.interval)?,
            every: self.every,
            correction: self.correction.map(FileCorrection::into_correction).transpose()?,
            table,
            source: self.source,
        })
    }
}

/// Quantiles of residuals in milliwatts, both columns rising.
fn quantiles(rows: &[[f64; 2]]) -> Result<Vec<ResidualQuantile>, Wrong> {
    for row in rows {
        finite(row)?;
    }
    let residuals: Vec<ResidualQuantile> = rows
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
    if inside && rising {
        return Ok(residuals);
    }
    Err(("residuals of quantiles between 0 and 1, both columns rising", format!("{rows:?}")))
}

/// Relative ends of an interval.
fn interval(ends: Option<[f64; 2]>) -> Result<Option<[f64; 2]>, Wrong> {
    match ends {
        Some([low, high]) if !(low <= high && low.is_finite() && high.is_finite()) => {
            Err(("an interval of two finite ends, rising", format!("[{low}, {high}]")))
        }
        ends => Ok(ends),
    }
}

impl FileCorrection {
    fn into_correction(self) -> Result<LinearCorrection, Wrong> {
        finite(&[self.level])?;
        if !(0.0..=1.0).contains(&self.share) {
            return Err(("a share from 0 to 1", self.share.to_string()));
        }
        let residuals = quantiles(&self.residuals)?;
        let interval = interval(self.interval)?;
        let mut inputs = Vec::new();
        for (parameter, centre, reach) in self.inputs {
            finite(&[centre, reach])?;
            if reach <= 0.0 || parameter.is_empty() {
                return Err((
                    "a name and a reach above 0 of each input",
                    format!("{parameter:?}, {reach}"),
                ));
            }
            inputs.push(CorrectionInput { parameter, centre, reach });
        }
        let mut points = Vec::new();
        for row in self.points {
            finite(&row)?;
            match row.split_first() {
                Some((weight, place)) if place.len() == inputs.len() => {
                    points.push(SupportPoint { weight: *weight, place: place.to_vec() });
                }
                _ => {
                    return Err((
                        "a weight and one place an input in each point",
                        format!("{row:?}"),
                    ));
                }
            }
        }
        Ok(LinearCorrection {
            inputs,
            share: self.share,
            level: self.level,
            points,
            residuals,
            interval,
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
        if let Some([lower, upper]) = self.between
            && !(lower < upper && lower.is_finite() && upper.is_finite())
        {
            let found = format!("[{lower}, {upper}] of {:?}", self.parameter);
            return Err(("between = [lower, upper], rising", found));
        }
        let Some(unit) = CoefficientUnit::named(&self.unit) else {
            let found = format!("{:?} of {:?}", self.unit, self.parameter);
            return Err(("unit = \"mW\", \"mW/…\", \"nJ/B\", \"mJ\" or \"mJ/…\"", found));
        };
        Ok(LinearTerm {
            component: Component::from(self.component),
            parameter: self.parameter,
            between: self.between,
            coefficient: self.coefficient,
            unit,
            error: self.error,
            source: self.source,
            provenance: self.provenance.unwrap_or(Provenance::Modelled),
        })
    }
}
