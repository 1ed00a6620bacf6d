//! A linear model from observations.

use serde::Serialize;
use wattle_fit::{
    Coefficient, Design, FitError, Folds, GaussianSupport, Kneed, LinearFit, Split, order,
    student_quantile,
};
use wattle_power::{
    CoefficientUnit, Component, CorrectionInput, DeviceModel, Intercept, LinearCorrection,
    LinearModel, LinearTable, LinearTerm, ResidualQuantile, SupportPoint,
};
use wattle_units::{Provenance, Watts};

use crate::cross_validation::plan;
use crate::model_kind::{AS_GOOD, FitSettings, FittedModel, Rows, simplest_of_best};
use crate::{CalibrateError, CrossValidation, ModelKind, Observations, warnings};

/// Settings for fitting a linear model.
#[derive(Clone, Debug, Default)]
pub struct LinearRequest {
    /// Kind of model; the one that predicts rows held out best when `None`.
    pub kind: Option<ModelKind>,
    /// Whether single wild rows must not matter to a [`ModelKind::Linear`] (Huber's weights); the other kinds always have them.
    pub robust: bool,
    /// Number of folds of whole groups; default is one per group, or ten where there are more than twenty.
    pub folds: Option<usize>,
    /// Whether coefficients may be below zero.
    pub unconstrained: bool,
    /// Penalty on the coefficients of standardised columns, in units of rows; chosen by inner folds when `None`.
    pub ridge: Option<f64>,
    /// Threads; 0 for as many as the machine has.
    pub threads: usize,
}

/// Out-of-sample error of one kind of model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KindScore {
    /// The kind.
    pub kind: ModelKind,
    /// Its errors on rows held out; `None` where it was not tried, or too few rows are there.
    pub cross_validation: Option<CrossValidation>,
}

/// One fitted number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CalibratedTerm {
    /// The parameter; `constant` for the intercept.
    pub parameter: String,
    /// Component that draws the power.
    pub component: Component,
    /// Lower and upper knee, in the parameter's unit; `None`: the whole parameter.
    pub between: Option<[f64; 2]>,
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
    /// Mean measured power, mW; of energies of runs without a length, mJ.
    pub mean_mw: f64,
    /// Kind of the model.
    pub model: ModelKind,
    /// Errors of each kind that was tried, on the same rows held out, from the simplest.
    pub kinds: Vec<KindScore>,
    /// Penalty on the coefficients, in units of rows.
    pub ridge: f64,
    /// The constant.
    pub intercept: CalibratedTerm,
    /// One a parameter and stretch between knees, in their order.
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
    /// Content of a device model beside the terms.
    #[serde(skip)]
    rest: ModelRest,
}

/// Content of a device model beside the terms.
#[derive(Clone, Debug, Default, PartialEq)]
struct ModelRest {
    /// The component whose power was measured; `None`: the whole device's.
    component: Option<Component>,
    /// The smooth part, its share and its inputs.
    smooth: Option<(GaussianSupport, f64)>,
    names: Vec<String>,
    /// Quantiles of the residuals of the terms alone, mW, and their interval.
    plain: Vec<[f64; 2]>,
    plain_interval: Option<[f64; 2]>,
    every: Option<f64>,
    table: Option<LinearTable>,
}

/// Quantiles of residuals that are kept.
const QUANTILES: [f64; 7] = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95];

/// Kinds in the order of their complexity.
const KINDS: [ModelKind; 3] = [ModelKind::Linear, ModelKind::Kneed, ModelKind::Gaussian];

impl LinearCalibration {
    /// Fits the observations: coefficients from 0 on, a free constant. The kind is the one asked for, or the simplest that predicts
    /// rows held out no worse than the best by more than one standard error.
    ///
    /// # Errors
    /// Too few observations, and parameters that depend on each other where coefficients are unconstrained.
    pub fn new(
        observations: &Observations,
        request: &LinearRequest,
    ) -> Result<Self, CalibrateError> {
        let rows = rows(observations)?;
        let settings = FitSettings {
            robust: request.robust,
            unconstrained: request.unconstrained,
            ridge: request.ridge,
        };
        let kinds = scores(&rows, observations, request, settings)?;
        let kind = request.kind.unwrap_or_else(|| preferred(&kinds));
        let fitted = FittedModel::fit(kind, &rows, settings)?;
        let of = |wanted: ModelKind| {
            let found = kinds.iter().find(|score| score.kind == wanted)?;
            found.cross_validation.as_ref()
        };
        let held_out = of(kind).cloned();
        let mut said = warnings::of_data(observations);
        let (collinearity, moving) = warnings::of_columns(&rows.design);
        said.extend(moving);
        let count = observations.len().max(1) as f64;
        let mean = rows.power.iter().sum::<f64>() / count;
        let numbers = Numbers::new(&fitted);
        said.extend(warnings::of_fit(
            observations.len(),
            numbers.terms.iter().filter(|term| term.of.value != 0.0).count() + 1,
            held_out.as_ref(),
        ));
        let student = student_quantile(0.95, numbers.error_freedom.max(1) as f64);
        let component = |parameter: Option<&Component>| {
            let baseline = || Component::Other("baseline".to_owned());
            parameter.or(observations.component.as_ref()).cloned().unwrap_or_else(baseline)
        };
        let unit_of = |unit: &str| unit_of(observations, unit);
        let term = |of: &Coefficient, unit: &CoefficientUnit, component: Component, level: f64| {
            let scale = 1.0 / unit.watts().value();
            let error = of.standard_error.filter(|error| error.is_finite());
            let reach = error.filter(|_| numbers.error_freedom > 0).map(|error| error * student);
            CalibratedTerm {
                parameter: of.name.clone(),
                component,
                between: None,
                coefficient: of.value * scale,
                unit: unit.to_string(),
                standard_error: error.map(|error| error * scale),
                interval: reach
                    .map(|reach| [of.value - reach, of.value + reach].map(|v| v * scale)),
                inflation: None,
                share: if mean == 0.0 { 0.0 } else { of.value * level / mean },
            }
        };
        let mut intercept = term(&numbers.intercept, &unit_of(""), component(None), 1.0);
        "constant".clone_into(&mut intercept.parameter);
        let terms: Vec<CalibratedTerm> = numbers
            .terms
            .iter()
            .filter_map(|number| {
                let parameter = observations.parameters.get(number.column)?;
                let parts = parameter.values.iter().map(|value| number.part(*value));
                let level = parts.sum::<f64>() / count;
                let unit = unit_of(&parameter.unit);
                let of = Coefficient { name: parameter.name.clone(), ..number.of.clone() };
                let mut term = term(&of, &unit, component(Some(&parameter.component)), level);
                term.between = number.between;
                let columns = collinearity.iter().flat_map(|found| &found.columns);
                let factor = columns.into_iter().find(|column| column.name == parameter.name);
                term.inflation =
                    factor.map(|column| column.factor).filter(|factor| factor.is_finite());
                Some(term)
            })
            .collect();
        if intercept.coefficient < 0.0 {
            said.push(format!(
                "the constant is negative ({:.1} {}): power at rest was not observed, or the model is not linear there",
                intercept.coefficient, intercept.unit
            ));
        }
        for parameter in &observations.parameters {
            let own = terms.iter().filter(|term| term.parameter == parameter.name);
            if kind != ModelKind::Gaussian && own.clone().all(|term| term.coefficient == 0.0) {
                said.push(format!(
                    "{} draws nothing by this data (held at zero): it is left out of the device model",
                    parameter.name
                ));
            }
        }
        let predicted = fitted.predict(&rows.design);
        let in_sample: Vec<f64> = rows.power.iter().zip(&predicted).map(|(y, p)| y - p).collect();
        let residuals = held_out.as_ref().map_or(&in_sample, |held_out| &held_out.residuals);
        let plain = of(ModelKind::Kneed).filter(|_| kind == ModelKind::Gaussian);
        let rest = ModelRest {
            component: observations.component.clone(),
            smooth: fitted.process.as_ref().map(|(process, share)| (process.support(), *share)),
            names: observations.parameters.iter().map(|p| p.name.clone()).collect(),
            plain: plain.map_or_else(|| quantiles(residuals), |of| quantiles(&of.residuals)),
            plain_interval: plain.or(held_out.as_ref()).and_then(|of| of.interval),
            every: observations.every,
            table: observations.table.clone(),
        };
        let deviation = (numbers.freedom > 0).then(|| {
            let squares: f64 = in_sample.iter().map(|left| left * left).sum();
            (squares / numbers.freedom as f64).sqrt() * 1e3
        });
        Ok(Self {
            what: observations.what.clone(),
            rows: observations.len(),
            groups: distinct(&observations.groups),
            mean_mw: mean * 1e3,
            model: kind,
            ridge: fitted.ridge,
            intercept,
            terms,
            residual_deviation_mw: match &fitted.linear {
                Some(linear) if rows.weights.is_none() => {
                    linear.residual_deviation.map(|deviation| deviation * 1e3)
                }
                _ => deviation,
            },
            freedom: numbers.freedom,
            weighed_down: numbers.weighed_down,
            residuals: quantiles(residuals),
            cross_validation: held_out,
            kinds,
            warnings: said,
            rest,
        })
    }

    /// The device model that says this and nothing else.
    pub fn device_model(&self, name: &str, source: &str) -> DeviceModel {
        let mut model = DeviceModel::named(name);
        source.clone_into(&mut model.source);
        let of = |term: &CalibratedTerm| LinearTerm {
            parameter: term.parameter.clone(),
            component: term.component.clone(),
            between: term.between,
            coefficient: term.coefficient,
            unit: CoefficientUnit::named(&term.unit).unwrap_or(CoefficientUnit::Milliwatts),
            error: term.standard_error,
            source: String::new(),
            provenance: Provenance::Modelled,
        };
        let residuals = |rows: &[[f64; 2]]| -> Vec<ResidualQuantile> {
            let quantile = |[quantile, milliwatts]: &[f64; 2]| ResidualQuantile {
                quantile: *quantile,
                power: Watts::from_milliwatts(*milliwatts),
            };
            rows.iter().map(quantile).collect()
        };
        let interval = self.cross_validation.as_ref().and_then(|held_out| held_out.interval);
        let correction = self.rest.smooth.as_ref().map(|(support, share)| LinearCorrection {
            residuals: residuals(&self.residuals),
            interval,
            ..correction(support, *share, &self.rest.names)
        });
        let mut linear = LinearModel {
            terms: self.terms.iter().filter(|term| term.coefficient != 0.0).map(of).collect(),
            freedom: (self.freedom > 0).then_some(self.freedom as f64),
            mean: (self.mean_mw > 0.0).then_some(Watts::from_milliwatts(self.mean_mw)),
            residuals: residuals(&self.rest.plain),
            interval: self.rest.plain_interval,
            every: self.rest.every,
            correction,
            table: self.rest.table.clone(),
            ..LinearModel::default()
        };
        if self.rest.component.is_some() {
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

/// The unit of a coefficient.
fn unit_of(observations: &Observations, parameter: &str) -> CoefficientUnit {
    if observations.is_of_runs() {
        return CoefficientUnit::MillijoulesPerRun(parameter.to_owned());
    }
    CoefficientUnit::of_parameter(parameter)
}

fn rows(observations: &Observations) -> Result<Rows, CalibrateError> {
    let mut design = Design::new(observations.parameters.iter().map(|p| p.name.clone()));
    for row in 0..observations.len() {
        let values = observations.parameters.iter().map(|p| p.values.get(row).copied());
        design.push_row(&values.map(|value| value.unwrap_or(f64::NAN)).collect::<Vec<f64>>())?;
    }
    Ok(Rows {
        design,
        power: observations.power.iter().map(|power| power.value()).collect(),
        groups: Folds::leave_one_group_out(&observations.groups).fold_of_row().to_vec(),
        // Least squares of joules, though powers are fitted.
        weights: observations
            .durations
            .as_ref()
            .map(|all| all.iter().map(|seconds| seconds * seconds).collect()),
    })
}

/// Errors of the kinds that are wanted, all on the same folds.
fn scores(
    rows: &Rows,
    observations: &Observations,
    request: &LinearRequest,
    settings: FitSettings,
) -> Result<Vec<KindScore>, CalibrateError> {
    let (fold_kind, folds) = plan(&observations.groups, request.folds);
    let splits: Vec<Split> = folds.splits().collect();
    let is_wanted = |kind: &ModelKind| match request.kind {
        None => *kind == ModelKind::Linear || !settings.unconstrained,
        Some(ModelKind::Gaussian) => *kind != ModelKind::Linear,
        Some(wanted) => *kind == wanted,
    };
    let mut scores = Vec::new();
    for kind in KINDS.into_iter().filter(is_wanted) {
        let enough = splits.iter().all(|split| rows.select(&split.train).allows(kind));
        if !enough {
            scores.push(KindScore { kind, cross_validation: None });
            continue;
        }
        let threads = wattle_workers::available(request.threads);
        let answers = wattle_workers::ordered(threads, &splits, |split| {
            let fitted = FittedModel::fit(kind, &rows.select(&split.train), settings)?;
            Ok::<_, FitError>(fitted.predict(&rows.design.select(&split.test)))
        });
        let mut answers = answers.into_iter();
        let predicted = folds.out_of_fold(|_| answers.next().unwrap_or_else(|| Ok(Vec::new())))?;
        let judged = (fold_kind, &folds);
        let held_out =
            CrossValidation::judged(judged, &rows.power, &predicted, &observations.groups);
        scores.push(KindScore { kind, cross_validation: held_out });
    }
    Ok(scores)
}

/// The simplest kind that is as good as the best.
fn preferred(kinds: &[KindScore]) -> ModelKind {
    let tried: Vec<(ModelKind, Vec<f64>)> = kinds
        .iter()
        .filter_map(|of| Some((of.kind, of.cross_validation.as_ref()?.fold_errors.clone())))
        .collect();
    let errors: Vec<Vec<f64>> = tried.iter().map(|(_, errors)| errors.clone()).collect();
    tried.get(simplest_of_best(&errors, AS_GOOD)).map_or(ModelKind::Linear, |(kind, _)| *kind)
}

/// The smooth part of a device model; inputs that say nothing are left out.
fn correction(support: &GaussianSupport, share: f64, names: &[String]) -> LinearCorrection {
    let used: Vec<usize> = (0..names.len())
        .filter(|at| support.reaches.get(*at).is_some_and(|reach| reach.is_finite()))
        .collect();
    let input = |at: &usize| {
        Some(CorrectionInput {
            parameter: names.get(*at)?.clone(),
            centre: *support.centres.get(*at)?,
            reach: *support.reaches.get(*at)?,
        })
    };
    let points = support.points.iter().zip(&support.weights);
    LinearCorrection {
        inputs: used.iter().filter_map(input).collect(),
        share,
        level: support.level,
        points: points
            .map(|(point, weight)| SupportPoint {
                weight: *weight,
                place: wattle_fit::pick(point, &used),
            })
            .collect(),
        ..LinearCorrection::default()
    }
}

/// Numbers of a fit of either form.
struct Numbers {
    intercept: Coefficient,
    terms: Vec<Number>,
    freedom: usize,
    error_freedom: usize,
    weighed_down: usize,
}

struct Number {
    column: usize,
    between: Option<[f64; 2]>,
    of: Coefficient,
}

impl Number {
    fn part(&self, value: f64) -> f64 {
        self.between.map_or(value, |[lower, upper]| value.clamp(lower, upper) - lower)
    }
}

impl Numbers {
    fn new(fitted: &FittedModel) -> Self {
        match (&fitted.linear, &fitted.kneed) {
            (Some(linear), _) => Self::of_linear(linear),
            (None, Some(kneed)) => Self::of_kneed(kneed),
            (None, None) => Self {
                intercept: Coefficient { name: String::new(), value: 0.0, standard_error: None },
                terms: Vec::new(),
                freedom: 0,
                error_freedom: 0,
                weighed_down: 0,
            },
        }
    }

    fn of_linear(fit: &LinearFit) -> Self {
        let number =
            |(column, of): (usize, &Coefficient)| Number { column, between: None, of: of.clone() };
        Self {
            intercept: fit.intercept.clone(),
            terms: fit.coefficients.iter().enumerate().map(number).collect(),
            freedom: fit.freedom,
            error_freedom: fit.error_freedom,
            weighed_down: fit.row_weights.iter().filter(|weight| **weight < 0.5).count(),
        }
    }

    fn of_kneed(fit: &Kneed) -> Self {
        let pairs = fit.stretches.iter().zip(&fit.coefficients);
        let terms = pairs.map(|(stretch, of)| Number {
            column: stretch.column,
            between: Some([stretch.from, stretch.to]),
            of: of.clone(),
        });
        Self {
            intercept: fit.intercept.clone(),
            terms: terms.collect(),
            freedom: fit.freedom,
            error_freedom: fit.error_freedom,
            weighed_down: fit.weighed_down(),
        }
    }
}

/// Quantiles in milliwatts.
fn quantiles(residuals: &[f64]) -> Vec<[f64; 2]> {
    let sorted = order::sorted(residuals);
    let at = |level: f64| Some([level, order::quantile(&sorted, level)? * 1e3]);
    QUANTILES.into_iter().filter_map(at).collect()
}
