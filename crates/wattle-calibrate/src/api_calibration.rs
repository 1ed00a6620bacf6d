//! A table of API costs from calls beside measured power.

use serde::Serialize;
use wattle_fit::{
    Coefficient, Design, LinearFit, LinearOptions, Robustness, normal_quantile, order,
    student_quantile,
};
use wattle_power::{ApiRow, ApiSignature, ApiTable, PowerError};
use wattle_units::{Joules, Provenance};

use crate::api_calls::ApiColumn;
use crate::api_groups::{ApiGroup, ApiGroups};
use crate::{ApiCalls, CalibrateError, CrossValidation, LinearRequest, warnings};

/// Cost of one method.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CalibratedApi {
    /// As tables write it.
    pub signature: String,
    /// Joules a call.
    pub joules: f64,
    /// Standard error, in joules.
    pub standard_error: f64,
    /// 90 % confidence interval, in joules, from 0 on.
    pub interval: [f64; 2],
    /// Calls that it was learnt from.
    pub calls: u64,
    /// Share of the measured energy that its calls drew at this cost.
    pub share: f64,
    /// Methods that are called whenever it is: the cost is the mean of a call of any of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub together_with: Vec<String>,
    #[serde(skip)]
    method: ApiSignature,
    #[serde(skip)]
    error: f64,
}

/// A method whose cost is not told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UncalibratedApi {
    /// As tables write it.
    pub signature: String,
    /// Its calls.
    pub calls: u64,
    /// Why.
    pub why: String,
}

/// Costs of methods: power = C0 + Σ cost · calls a second.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ApiCalibration {
    /// Source of the measured power, in words.
    pub what: String,
    /// Stretches of measured power.
    pub rows: usize,
    /// Recordings.
    pub groups: usize,
    /// Mean measured power, mW.
    pub mean_mw: f64,
    /// C0: power without any of the calls, mW.
    pub constant_mw: f64,
    /// Its standard error.
    pub constant_error_mw: Option<f64>,
    /// Methods with a cost, the costliest first.
    pub costs: Vec<CalibratedApi>,
    /// Methods without, those with most calls first.
    pub left_out: Vec<UncalibratedApi>,
    /// Standard deviation of the residuals, mW.
    pub residual_deviation_mw: Option<f64>,
    /// Stretches less fitted numbers.
    pub freedom: usize,
    /// Stretches held out.
    pub cross_validation: Option<CrossValidation>,
    /// Warnings that a reader should know.
    pub warnings: Vec<String>,
    #[serde(skip)]
    provenance: Provenance,
}

impl ApiCalibration {
    /// Fits costs from 0 on and a free constant.
    ///
    /// # Errors
    ///
    /// [`CalibrateError::NoCosts`] where no cost can be told; [`CalibrateError::Fit`].
    pub fn new(calls: &ApiCalls, request: &LinearRequest) -> Result<Self, CalibrateError> {
        let mut found = ApiGroups::from_calls(calls);
        let groups = std::mem::take(&mut found.groups);
        let design = design(&groups, calls.len())?;
        let power: Vec<f64> = calls.power.iter().map(|power| power.value()).collect();
        let huber = Robustness::Huber(1.345);
        let options = LinearOptions {
            non_negative: true,
            robustness: if request.robust { huber } else { Robustness::LeastSquares },
            ..LinearOptions::default()
        };
        if groups.is_empty() || calls.len() < groups.len() + 2 {
            let reason = format!(
                "{} methods with enough calls in {} stretches of measured power",
                groups.len(),
                calls.len()
            );
            return Err(CalibrateError::NoCosts { reason });
        }
        let fit = options.fit(&design, &power)?;
        let held_out =
            CrossValidation::new(&design, &power, &calls.groups, request.folds, &options)?;
        let energy: f64 =
            power.iter().zip(&calls.seconds).map(|(power, seconds)| power * seconds).sum();
        let mut costs = Vec::new();
        let mut left_out: Vec<UncalibratedApi> = found
            .left_out
            .into_iter()
            .map(|(signature, calls, why)| UncalibratedApi { signature, calls, why })
            .collect();
        for (group, of) in groups.iter().zip(&fit.coefficients) {
            match group.costs(of, &fit, energy) {
                Ok(members) => costs.extend(members),
                Err(why) => {
                    let without = |(name, column): &(&str, &ApiColumn)| UncalibratedApi {
                        signature: (*name).to_owned(),
                        calls: column.calls,
                        why: why.clone(),
                    };
                    left_out.extend(group.members.iter().map(without));
                }
            }
        }
        costs.sort_by(|a, b| b.joules.total_cmp(&a.joules));
        left_out.sort_by_key(|api| std::cmp::Reverse(api.calls));
        let rows = calls.len();
        let recordings = calls.groups.iter().collect::<std::collections::BTreeSet<_>>().len();
        let mut said = warnings::of_fit(rows, groups.len() + 1, held_out.as_ref());
        said.extend(of_calls(calls, &groups, &left_out, &fit));
        Ok(Self {
            what: calls.what.clone(),
            rows,
            groups: recordings,
            mean_mw: power.iter().sum::<f64>() / rows.max(1) as f64 * 1e3,
            constant_mw: fit.intercept.value * 1e3,
            constant_error_mw: fit.intercept.standard_error.map(|error| error * 1e3),
            costs,
            left_out,
            residual_deviation_mw: fit.residual_deviation.map(|deviation| deviation * 1e3),
            freedom: fit.freedom,
            cross_validation: held_out,
            warnings: said,
            provenance: Provenance::Modelled
                .weakest(calls.provenance.unwrap_or(Provenance::Assumed)),
        })
    }

    /// The table that says this.
    ///
    /// # Errors
    ///
    /// [`PowerError::ApiCosts`] where no method has a cost.
    pub fn table(&self, name: &str, source: &str) -> Result<ApiTable, PowerError> {
        let row = |api: &CalibratedApi| ApiRow {
            signature: api.method.clone(),
            joules: Joules::new(api.joules),
            error: Some(api.error),
            calls: Some(api.calls),
        };
        let errors: Vec<f64> = self.costs.iter().map(|api| api.error).collect();
        let middle = (order::median(&errors).unwrap_or(1.0), "the median of its rows");
        let rows = self.costs.iter().map(row).collect();
        let mut table = ApiTable::new(name, source, self.provenance, middle, rows)?;
        table.remarks = vec![format!(
            "what {} measured beyond {:.1} mW, by calls of {} stretches of {} recordings",
            self.what, self.constant_mw, self.rows, self.groups
        )];
        Ok(table)
    }
}

impl ApiGroup<'_> {
    /// The costs of its members; else why there are none.
    fn costs(
        &self,
        of: &Coefficient,
        fit: &LinearFit,
        energy: f64,
    ) -> Result<Vec<CalibratedApi>, String> {
        if let Some(why) = &self.rare {
            return Err(why.clone());
        }
        if of.value <= 0.0 {
            return Err("its calls cost nothing that could be seen (held at zero)".to_owned());
        }
        let error = of.standard_error.filter(|error| error.is_finite());
        let Some(error) = error.filter(|_| fit.freedom > 0) else {
            return Err("too few stretches to know its error".to_owned());
        };
        if error > of.value {
            return Err("its standard error is larger than its cost".to_owned());
        }
        // Tables have no degrees of freedom: with few of them the error is so much larger.
        let few = student_quantile(0.95, fit.freedom as f64) / normal_quantile(0.95);
        // Of methods that are always called together one may cost nothing and another all.
        let together = if self.members.len() > 1 { 1.0 } else { 0.0 };
        let relative = (error / of.value * few).hypot(together);
        let reach = normal_quantile(0.95) * relative * of.value;
        let cost = |(name, column): &(&str, &ApiColumn)| CalibratedApi {
            signature: (*name).to_owned(),
            joules: of.value,
            standard_error: error,
            interval: [(of.value - reach).max(0.0), of.value + reach],
            calls: column.calls,
            share: if energy > 0.0 { of.value * column.calls as f64 / energy } else { 0.0 },
            together_with: self
                .members
                .iter()
                .filter(|(other, _)| other != name)
                .map(|(other, _)| (*other).to_owned())
                .collect(),
            method: column.signature.clone(),
            error: relative,
        };
        Ok(self.members.iter().map(cost).collect())
    }
}

/// Calls a second by group.
fn design(groups: &[ApiGroup<'_>], rows: usize) -> Result<Design, CalibrateError> {
    let name = |group: &ApiGroup<'_>| group.members.first().map_or("", |(name, _)| name).to_owned();
    let mut design = Design::new(groups.iter().map(name));
    for row in 0..rows {
        let values = groups.iter().map(|group| group.rates.get(row).copied().unwrap_or_default());
        design.push_row(&values.collect::<Vec<f64>>())?;
    }
    Ok(design)
}

/// Maximum number of names in a warning.
const NAMED: usize = 5;

fn of_calls(
    calls: &ApiCalls,
    groups: &[ApiGroup<'_>],
    left_out: &[UncalibratedApi],
    fit: &LinearFit,
) -> Vec<String> {
    let mut said = Vec::new();
    if fit.intercept.value < 0.0 {
        said.push(format!(
            "the constant is negative ({:.1} mW): power without calls was not observed",
            fit.intercept.value * 1e3
        ));
    }
    for group in groups.iter().filter(|group| group.members.len() > 1) {
        let names: Vec<&str> = group.members.iter().map(|(name, _)| *name).take(NAMED).collect();
        said.push(format!(
            "{} methods are always called together and have one mean cost: {}",
            group.members.len(),
            names.join(", ")
        ));
    }
    if !left_out.is_empty() {
        let names: Vec<&str> =
            left_out.iter().map(|api| api.signature.as_str()).take(NAMED).collect();
        said.push(format!(
            "{} methods have no cost that could be told: {}{}",
            left_out.len(),
            names.join(", "),
            if left_out.len() > NAMED { " …" } else { "" }
        ));
    }
    said.extend(calls.left_out.iter().map(|(why, count)| format!("{count} {why} are left out")));
    said
}
