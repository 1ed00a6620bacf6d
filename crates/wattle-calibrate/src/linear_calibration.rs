//! A linear model from observations.

use serde::Serialize;
use wattle_fit::{
    Coefficient, Design, LinearFit, LinearOptions, Robustness, order, student_quantile,
};
use wattle_power::{
    CoefficientUnit, Component, DeviceModel, Intercept, LinearModel, LinearTerm, ResidualQuantile,
};
use wattle_units::{Provenance, Watts};

use crate::{CalibrateError, CrossValidation, Observations, warnings};

/// Settings for fitting a linear model.
#[derive(Clone, Debug, Default)]
pub struct LinearRequest {
    /// Whether single wild rows must not matter (Huber's weights).
    pub robust: bool,
    /// Number of folds of whole groups; default is one per group.
    pub folds: Option<usize>,
    /// Whether coefficients may be below zero.
    pub unconstrained: bool,
}

/// One fitted number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CalibratedTerm {
    /// The parameter; `constant` for the intercept.
    pub parameter: String,
    /// Component that draws the power.
    pub component: Component,
    /// In [`Self::unit`].
    pub coefficient: f64,
    /// `mW`, `mW/GHz`, `nJ/B` …
    pub unit: String,
    /// Standard error; `None` where the coefficient is held at zero, or too few rows are left over.
    pub standard_error: Option<f64>,
    /// 90 % confidence interval.
    pub interval: Option<[f64; 2]>,
    /// Factor by which its variance grows because other parameters move with it.
    pub inflation: Option<f64>,
    /// Its part of the mean power.
    pub share: f64,
}

/// A linear model with all that is known of its errors.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinearCalibration {
    /// Source of the measured power, in words.
    pub what: String,
    /// Observations.
    pub rows: usize,
    /// Groups of them.
    pub groups: usize,
    /// Mean measured power, mW.
    pub mean_mw: f64,
    /// The constant.
    pub intercept: CalibratedTerm,
    /// One a parameter, in their order.
    pub terms: Vec<CalibratedTerm>,
    /// Standard deviation of the residuals, mW.
    pub residual_deviation_mw: Option<f64>,
    /// Rows less fitted numbers.
    pub freedom: usize,
    /// Rows that were weighed down by half or more, with the robust option.
    pub weighed_down: usize,
    /// Rows held out.
    pub cross_validation: Option<CrossValidation>,
    /// Quantiles of measured minus modelled, mW, of rows held out if any were.
    pub residuals: Vec<[f64; 2]>,
    /// Warnings that a reader should know.
    pub warnings: Vec<String>,
    /// The component whose power was measured; `None`: the whole device's.
    #[serde(skip)]
    component: Option<Component>,
}

/// Quantiles of residuals that are kept.
const QUANTILES: [f64; 7] = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95];

impl LinearCalibration {
    /// Fits the observations: coefficients from 0 on, a free constant.
    pub fn new(
        observations: &Observations,
        request: &LinearRequest,
    ) -> Result<Self, CalibrateError> {
        let mut design = Design::new(observations.parameters.iter().map(|p| p.name.clone()));
        for row in 0..observations.len() {
            let values = observations.parameters.iter().map(|p| p.values.get(row).copied());
            design
                .push_row(&values.map(|value| value.unwrap_or(f64::NAN)).collect::<Vec<f64>>())?;
        }
        let power: Vec<f64> = observations.power.iter().map(|power| power.value()).collect();
        let huber = Robustness::Huber(1.345);
        let options = LinearOptions {
            non_negative: !request.unconstrained,
            robustness: if request.robust { huber } else { Robustness::LeastSquares },
            ..LinearOptions::default()
        };
        let fit = options.fit(&design, &power)?;
        let held_out =
            CrossValidation::new(&design, &power, &observations.groups, request.folds, &options)?;
        let mut said = warnings::of_data(observations);
        let (collinearity, moving) = warnings::of_columns(&design);
        said.extend(moving);
        let numbers = design.width() + 1;
        said.extend(warnings::of_fit(observations.len(), numbers, held_out.as_ref()));
        let rows = observations.len().max(1) as f64;
        let mean = power.iter().sum::<f64>() / rows;
        let student = student_quantile(0.95, fit.freedom.max(1) as f64);
        let component = |parameter: Option<&Component>| {
            let baseline = || Component::Other("baseline".to_owned());
            parameter.or(observations.component.as_ref()).cloned().unwrap_or_else(baseline)
        };
        let term = |of: &Coefficient, unit: &CoefficientUnit, component: Component, level: f64| {
            let scale = 1.0 / unit.watts().value();
            let error = of.standard_error.filter(|error| error.is_finite());
            let reach = error.filter(|_| fit.freedom > 0).map(|error| error * student);
            CalibratedTerm {
                parameter: of.name.clone(),
                component,
                coefficient: of.value * scale,
                unit: unit.to_string(),
                standard_error: error.map(|error| error * scale),
                interval: reach
                    .map(|reach| [of.value - reach, of.value + reach].map(|v| v * scale)),
                inflation: None,
                share: if mean == 0.0 { 0.0 } else { of.value * level / mean },
            }
        };
        let mut intercept =
            term(&fit.intercept, &CoefficientUnit::Milliwatts, component(None), 1.0);
        "constant".clone_into(&mut intercept.parameter);
        let terms: Vec<CalibratedTerm> = observations
            .parameters
            .iter()
            .zip(&fit.coefficients)
            .map(|(parameter, of)| {
                let unit = CoefficientUnit::of_parameter(&parameter.unit);
                let level = parameter.values.iter().sum::<f64>() / rows;
                let mut term = term(of, &unit, component(Some(&parameter.component)), level);
                let columns = collinearity.iter().flat_map(|found| &found.columns);
                let factor = columns.into_iter().find(|column| column.name == parameter.name);
                term.inflation =
                    factor.map(|column| column.factor).filter(|factor| factor.is_finite());
                term
            })
            .collect();
        if intercept.coefficient < 0.0 {
            said.push(format!(
                "the constant is negative ({:.1} mW): power at rest was not observed, or the model is not linear there",
                intercept.coefficient
            ));
        }
        for term in terms.iter().filter(|term| term.coefficient == 0.0) {
            said.push(format!(
                "{} draws nothing by this data (held at zero): it is left out of the device model",
                term.parameter
            ));
        }
        let in_sample: Vec<f64> =
            power.iter().zip(fit.predict_all(&design)).map(|(y, p)| y - p).collect();
        let residuals = held_out.as_ref().map_or(&in_sample, |held_out| &held_out.residuals);
        Ok(Self {
            what: observations.what.clone(),
            rows: observations.len(),
            groups: distinct(&observations.groups),
            mean_mw: mean * 1e3,
            intercept,
            terms,
            residual_deviation_mw: fit.residual_deviation.map(|deviation| deviation * 1e3),
            freedom: fit.freedom,
            weighed_down: weighed_down(&fit),
            residuals: quantiles(residuals),
            cross_validation: held_out,
            warnings: said,
            component: observations.component.clone(),
        })
    }

    /// The device model that says this and nothing else.
    pub fn device_model(&self, name: &str, source: &str) -> DeviceModel {
        let mut model = DeviceModel::named(name);
        source.clone_into(&mut model.source);
        let of = |term: &CalibratedTerm| LinearTerm {
            parameter: term.parameter.clone(),
            component: term.component.clone(),
            coefficient: term.coefficient,
            unit: CoefficientUnit::named(&term.unit).unwrap_or(CoefficientUnit::Milliwatts),
            error: term.standard_error,
            source: String::new(),
            provenance: Provenance::Modelled,
        };
        let mut linear = LinearModel {
            terms: self.terms.iter().filter(|term| term.coefficient != 0.0).map(of).collect(),
            freedom: (self.freedom > 0).then_some(self.freedom as f64),
            mean: (self.mean_mw > 0.0).then_some(Watts::from_milliwatts(self.mean_mw)),
            residuals: self
                .residuals
                .iter()
                .map(|[quantile, milliwatts]| ResidualQuantile {
                    quantile: *quantile,
                    power: Watts::from_milliwatts(*milliwatts),
                })
                .collect(),
            ..LinearModel::default()
        };
        if self.component.is_some() {
            // What one component draws at rest is its own, not the device's.
            linear.terms.push(of(&self.intercept));
        } else {
            linear.intercept = Some(Intercept {
                power: Watts::from_milliwatts(self.intercept.coefficient),
                error: self.intercept.standard_error.map(Watts::from_milliwatts),
                source: String::new(),
                provenance: Provenance::Modelled,
            });
        }
        model.linear = Some(linear);
        model
    }
}

fn distinct(groups: &[String]) -> usize {
    groups.iter().collect::<std::collections::BTreeSet<_>>().len()
}

fn weighed_down(fit: &LinearFit) -> usize {
    fit.row_weights.iter().filter(|weight| **weight < 0.5).count()
}

/// Quantiles in milliwatts.
fn quantiles(residuals: &[f64]) -> Vec<[f64; 2]> {
    let sorted = order::sorted(residuals);
    let at = |level: f64| Some([level, order::quantile(&sorted, level)? * 1e3]);
    QUANTILES.into_iter().filter_map(at).collect()
}
