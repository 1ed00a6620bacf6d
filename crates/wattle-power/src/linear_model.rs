//! The numbers of a linear model.

use wattle_units::{Provenance, Watts};

use crate::Component;

/// `P = C0 + Σ Ci·Pi`: power as a sum over parameters of a recording, as Hitani et al. fit it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinearModel {
    /// `C0`: what is drawn whatever the parameters say. `None`: nothing was said of it.
    pub intercept: Option<Intercept>,
    /// The terms, in the order of the file; one a component and parameter.
    pub terms: Vec<LinearTerm>,
    /// Residuals of the calibration, measured minus modelled: quantiles, ascending by both columns.
    pub residuals: Vec<ResidualQuantile>,
    /// From how many independent observations (rows, less coefficients) the residuals are; `None` if it is not known.
    pub freedom: Option<f64>,
    /// The mean of the measured power that the residuals are of; relative errors follow from it.
    pub mean: Option<Watts>,
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

/// A quantile of what calibration left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResidualQuantile {
    /// Above 0, below 1.
    pub quantile: f64,
    /// Measured minus modelled.
    pub power: Watts,
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
}

impl CoefficientUnit {
    /// By its name in files.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "mW" => Some(Self::Milliwatts),
            "nJ/B" => Some(Self::NanojoulesPerByte),
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
            Self::MilliwattsPer(per) => per,
            Self::NanojoulesPerByte => "B/s",
        }
    }

    /// Power of one of the parameter's unit, for a coefficient of 1.
    pub fn watts(&self) -> Watts {
        match self {
            Self::Milliwatts | Self::MilliwattsPer(_) => Watts::from_milliwatts(1.0),
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
        }
    }
}

impl LinearModel {
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
