//! The numbers of a linear model.

use wattle_units::{Provenance, Watts};

use crate::{Component, LinearCorrection, LinearTable, ResidualQuantile};

/// `P = C0 + Σ Ci·Pi`: power as a sum over parameters of a recording, as Hitani et al. fit it. A term may count only the part of
/// its parameter between two knees, so that a sum of terms is a line with knees.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinearModel {
    /// `C0`: what is drawn whatever the parameters say. `None`: nothing was said of it.
    pub intercept: Option<Intercept>,
    /// The terms, in the order of the file; one a component, parameter and stretch between knees.
    pub terms: Vec<LinearTerm>,
    /// Residuals of the calibration, measured minus modelled: quantiles, ascending by both columns.
    pub residuals: Vec<ResidualQuantile>,
    /// From how many independent observations (rows, less coefficients) the residuals are; `None` if it is not known.
    pub freedom: Option<f64>,
    /// The mean of the measured power that the residuals are of; relative errors follow from it.
    pub mean: Option<Watts>,
    /// Ends of the 90 % prediction interval of one observation, relative to the prediction: −0.1 is 10 % below. `None` where the
    /// calibration had too few groups to promise one.
    pub interval: Option<[f64; 2]>,
    /// Length of the observations it was fitted to, in seconds. Terms with knees and the correction are functions of means over
    /// such a length, not of instants.
    pub every: Option<f64>,
    /// A smooth function of several parameters together, used where all of them are known.
    pub correction: Option<LinearCorrection>,
    /// Columns of a table that it was fitted to.
    pub table: Option<LinearTable>,
    /// Origin of its figures; empty if it is that of the device model.
    pub source: String,
}

/// The constant of a [`LinearModel`].
#[derive(Clone, Debug, PartialEq)]
pub struct Intercept {
    /// Power.
    pub power: Watts,
    /// Its standard error.
    pub error: Option<Watts>,
    /// Origin of the figure; empty if it is that of the linear model.
    pub source: String,
    /// Measured, modelled or assumed.
    pub provenance: Provenance,
}

/// One term of a [`LinearModel`].
#[derive(Clone, Debug, PartialEq)]
pub struct LinearTerm {
    /// The parameter's name, see `docs/device-model.md`.
    pub parameter: String,
    /// Component that draws the power.
    pub component: Component,
    /// Lower and upper knee, in the parameter's unit: the term counts `clamp(Pi, lower, upper) − lower`. `None`: all of `Pi`.
    pub between: Option<[f64; 2]>,
    /// In [`Self::unit`].
    pub coefficient: f64,
    /// Unit of the coefficient.
    pub unit: CoefficientUnit,
    /// Its standard error, in the same unit.
    pub error: Option<f64>,
    /// Origin of the coefficient; empty if it is that of the linear model.
    pub source: String,
    /// Measured, modelled or assumed.
    pub provenance: Provenance,
}

/// The unit of a coefficient: power, for one of the parameter's unit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CoefficientUnit {
    /// `mW`: the parameter is a number without a unit.
    Milliwatts,
    /// `mW/X`: milliwatts for one X (`mW/core`, `mW/GHz`).
    MilliwattsPer(String),
    /// `nJ/B`: nanojoules a byte; the parameter is in bytes a second.
    NanojoulesPerByte,
    /// `mJ`, or `mJ/X`: energy of one run, for a number or one X of the parameter; such a model has no power over time.
    MillijoulesPerRun(String),
}

impl CoefficientUnit {
    /// By its name in files.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "mW" => Some(Self::Milliwatts),
            "nJ/B" => Some(Self::NanojoulesPerByte),
            "mJ" => Some(Self::MillijoulesPerRun(String::new())),
            other if other.starts_with("mJ/") => {
                let per = other.strip_prefix("mJ/").filter(|per| !per.trim().is_empty())?;
                Some(Self::MillijoulesPerRun(per.to_owned()))
            }
            other => {
                let per = other.strip_prefix("mW/").filter(|per| !per.trim().is_empty())?;
                Some(Self::MilliwattsPer(per.to_owned()))
            }
        }
    }

    /// The unit for a parameter in this one (`core`, `GHz`, `B/s`; empty: a number).
    pub fn of_parameter(unit: &str) -> Self {
        match unit {
            "" => Self::Milliwatts,
            "B/s" => Self::NanojoulesPerByte,
            other => Self::MilliwattsPer(other.to_owned()),
        }
    }

    /// The parameter's unit that it goes with; empty for a number.
    pub fn parameter(&self) -> &str {
        match self {
            Self::Milliwatts => "",
            Self::MilliwattsPer(per) | Self::MillijoulesPerRun(per) => per,
            Self::NanojoulesPerByte => "B/s",
        }
    }

    /// Power of one of the parameter's unit, for a coefficient of 1; of an energy of a run, watts stand for its joules.
    pub fn watts(&self) -> Watts {
        match self {
            Self::Milliwatts | Self::MilliwattsPer(_) | Self::MillijoulesPerRun(_) => {
                Watts::from_milliwatts(1.0)
            }
            Self::NanojoulesPerByte => Watts::new(1e-9),
        }
    }
}

impl std::fmt::Display for CoefficientUnit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Milliwatts => f.pad("mW"),
            Self::MilliwattsPer(per) => f.pad(&format!("mW/{per}")),
            Self::NanojoulesPerByte => f.pad("nJ/B"),
            Self::MillijoulesPerRun(per) if per.is_empty() => f.pad("mJ"),
            Self::MillijoulesPerRun(per) => f.pad(&format!("mJ/{per}")),
        }
    }
}

impl LinearTerm {
    /// The part of a value of the parameter that the term counts, in the parameter's unit.
    pub fn part(&self, value: f64) -> f64 {
        match self.between {
            Some([lower, upper]) => value.clamp(lower, upper) - lower,
            None => value,
        }
    }
}

/// Power by a [`LinearModel`], for values of its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearPrediction {
    /// Power (energy of a run, where the model is of runs).
    pub power: Watts,
    /// 90 % prediction interval; `None` where the model promises none.
    pub interval: Option<[Watts; 2]>,
    /// Whether the correction was used.
    pub is_corrected: bool,
}

impl LinearModel {
    /// The same model with all power multiplied by a factor above 0.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        let mut scaled = self.clone();
        if let Some(constant) = &mut scaled.intercept {
            constant.power = constant.power * factor;
            constant.error = constant.error.map(|error| error * factor);
        }
        for term in &mut scaled.terms {
            term.coefficient *= factor;
            term.error = term.error.map(|error| error * factor);
        }
        scaled.mean = scaled.mean.map(|mean| mean * factor);
        let correction = scaled.correction.iter_mut().flat_map(|of| &mut of.residuals);
        for residual in scaled.residuals.iter_mut().chain(correction) {
            residual.power = residual.power * factor;
        }
        if let Some(correction) = &mut scaled.correction {
            // The terms' part of the logarithm is scaled with them.
            correction.level += factor.ln();
        }
        scaled
    }

    /// Power where the parameters have these values; `None` where a term's parameter is unknown. The correction is used where all of
    /// its parameters are known.
    pub fn predict(&self, value: &dyn Fn(&str) -> Option<f64>) -> Option<LinearPrediction> {
        let constant = |name: &str| (name == "constant").then_some(1.0);
        let mut power = self.intercept.as_ref().map_or(Watts::ZERO, |constant| constant.power);
        for term in &self.terms {
            let of = value(&term.parameter).or_else(|| constant(&term.parameter))?;
            power += term.unit.watts() * (term.coefficient * term.part(of));
        }
        let corrected = self.correction.as_ref().and_then(|correction| {
            let values: Option<Vec<f64>> =
                correction.inputs.iter().map(|input| value(&input.parameter)).collect();
            Some((correction.power(&values?, power), correction.interval))
        });
        let is_corrected = corrected.is_some();
        let (power, ends) = corrected.unwrap_or((power, self.interval));
        let interval = ends.map(|ends| ends.map(|end| power + power.max(-power) * end));
        Some(LinearPrediction { power, interval, is_corrected })
    }

    /// Standard deviation of what calibration left, from its quantiles: half the width of the central 90 % over the
    /// normal distribution's, or the nearest pair that is given. `None` without a pair.
    pub fn residual_deviation(&self) -> Option<Watts> {
        let width = |low: &ResidualQuantile| {
            let high = self
                .residuals
                .iter()
                .find(|high| (high.quantile + low.quantile - 1.0).abs() < 1e-9)?;
            let reach = normal_quantile(high.quantile)?;
            Some((low.quantile, (high.power - low.power) / (2.0 * reach)))
        };
        let pairs = self.residuals.iter().filter(|low| low.quantile < 0.5).filter_map(width);
        let far = |quantile: f64| (quantile - 0.05).abs();
        let best = pairs.min_by(|a, b| far(a.0).total_cmp(&far(b.0)))?;
        Some(best.1.max(Watts::ZERO))
    }
}

/// The normal distribution's quantile above one half, by the rational approximation 26.2.23 of Abramowitz and Stegun
/// (error below 4.5e-4).
fn normal_quantile(quantile: f64) -> Option<f64> {
    if !(0.5..1.0).contains(&quantile) || quantile == 0.5 {
        return None;
    }
    let t = (-2.0 * (1.0 - quantile).ln()).sqrt();
    let over = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let under = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    Some(t - over / under)
}
