//! Warnings about a calibration's data or outcome.

use wattle_fit::{Collinearity, Design};

use crate::{CrossValidation, FoldKind, Observations, ObservedParameter};

/// A factor of variance inflation above which coefficients are hard to tell apart.
const INFLATED: f64 = 10.0;
/// The same for the condition number of all columns (Belsley, Kuh and Welsch).
const ILL: f64 = 30.0;
/// Fewer observations a coefficient than this make a fit that says little.
const FEW: usize = 10;
/// No phone draws more for long.
const MOST_WATTS: f64 = 30.0;
/// A phone that is awake draws more.
const LEAST_WATTS: f64 = 1e-3;
/// No phone's clock is above this, in GHz.
const MOST_GHZ: f64 = 64.0;
/// No phone has more cores.
const MOST_CORES: f64 = 64.0;

/// Units that do not look like what they should be, values that do not change.
pub(crate) fn of_data(observations: &Observations) -> Vec<String> {
    let mut warnings = Vec::new();
    let count = observations.len().max(1) as f64;
    let mean: f64 = observations.power.iter().map(|power| power.value()).sum::<f64>() / count;
    if !observations.is_of_runs() && !(LEAST_WATTS..=MOST_WATTS).contains(&mean) {
        warnings.push(format!(
            "the mean of {} is {mean:.3e} W, which no phone draws: is its unit right?",
            observations.what
        ));
    }
    for parameter in &observations.parameters {
        warnings.extend(of_parameter(parameter));
    }
    warnings.extend(observations.notes.iter().cloned());
    for (why, rows) in &observations.left_out {
        warnings.push(format!("{rows} rows left out: {why}"));
    }
    warnings
}

fn of_parameter(parameter: &ObservedParameter) -> Option<String> {
    let ObservedParameter { name, unit, values, .. } = parameter;
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let too_large = match unit.as_str() {
        "GHz" => high > MOST_GHZ,
        "core" => high > MOST_CORES,
        _ => false,
    };
    if too_large {
        return Some(format!(
            "{name} is up to {high:.4e} {unit}, which no phone has: give a factor, such as COLUMN*1e-6={name} for kHz"
        ));
    }
    if low < 0.0 {
        return Some(format!("{name} is negative ({low:.4e}): a rate or a level of use cannot be"));
    }
    (low == high).then(|| format!("{name} is always {low}: it cannot be told from the constant"))
}

/// Parameters that move together.
pub(crate) fn of_columns(design: &Design) -> (Option<Collinearity>, Vec<String>) {
    let Ok(found) = Collinearity::from_design(design) else { return (None, Vec::new()) };
    let mut warnings: Vec<String> = found
        .above(INFLATED)
        .into_iter()
        .map(|column| {
            format!(
                "{} moves with the other parameters (variance inflation {:.0}): its coefficient is not its own",
                column.name, column.factor
            )
        })
        .collect();
    if found.condition_number > ILL {
        warnings.push(format!(
            "the parameters can hardly be told apart (condition number {:.0}, above {ILL:.0})",
            found.condition_number
        ));
    }
    (Some(found), warnings)
}

/// Too few rows, one group, held-out rows that the intervals do not hold.
pub(crate) fn of_fit(
    rows: usize,
    numbers: usize,
    cross_validation: Option<&CrossValidation>,
) -> Vec<String> {
    let mut warnings = Vec::new();
    if rows < numbers * FEW {
        warnings.push(format!(
            "{rows} observations for {numbers} coefficients: at least {} are needed to be sure of them",
            numbers * FEW
        ));
    }
    match cross_validation {
        None => warnings
            .push("too few observations to hold any out: its errors are not known".to_owned()),
        Some(held_out) => {
            if held_out.kind == FoldKind::Blocked {
                warnings.push(format!(
                    "all observations are of one group: {} blocks of neighbouring rows were held out, which says \
                     nothing of other devices or apps",
                    held_out.folds
                ));
            }
            if held_out.interval_coverage.is_some_and(|share| share < 0.8) {
                warnings.push(
                    "the 90 % intervals hold fewer than 80 % of the rows held out: groups differ from each other"
                        .to_owned(),
                );
            }
        }
    }
    warnings
}
