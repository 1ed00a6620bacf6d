use wattle_calibrate::{
    LinearCalibration, LinearRequest, ModelKind, Observations, ObservedParameter,
};
use wattle_fit::{Design, FitError, order};
use wattle_power::Component;
use wattle_units::Watts;

use super::model_inputs::{COLUMNS, Cause};

/// Predictions of `wattle calibrate` for rows it has not seen, kind by kind.
#[derive(Debug, Clone)]
pub(crate) struct Calibrated {
    /// Each kind that could be fitted, with one prediction a row in watts.
    pub(crate) kinds: Vec<(ModelKind, Vec<f64>)>,
    /// The kind that it chooses by itself.
    pub(crate) chosen: ModelKind,
}

/// Exponent from a pixel's value to its emission (sRGB).
const GAMMA: f64 = 2.2;

impl Calibrated {
    /// Calibrates on these rows, with so many blocks of them held out in turn.
    pub(crate) fn new(
        inputs: &Design,
        watts: &[f64],
        folds: usize,
        threads: usize,
    ) -> Result<Self, FitError> {
        let observations = Observations {
            parameters: parameters(inputs),
            power: watts.iter().map(|watts| Watts::new(*watts)).collect(),
            groups: vec![String::new(); watts.len()],
            ..Observations::default()
        };
        let request = LinearRequest { folds: Some(folds), threads, ..LinearRequest::default() };
        let found =
            LinearCalibration::new(&observations, &request).map_err(|error| match error {
                wattle_calibrate::CalibrateError::Fit(error) => error,
                _ => FitError::TooFew { what: "a calibration", needed: 1, found: 0 },
            })?;
        let kinds = found.kinds.into_iter().filter_map(|score| {
            let held_out = score.cross_validation?;
            let pairs = watts.iter().zip(&held_out.residuals);
            Some((score.kind, pairs.map(|(measured, left)| measured - left).collect()))
        });
        Ok(Self { kinds: kinds.collect(), chosen: found.model })
    }
}

/// The inputs as `wattle calibrate --csv` makes them: brightness × light of each colour beside the columns; where cells are empty,
/// the median and a parameter that says so.
fn parameters(inputs: &Design) -> Vec<ObservedParameter> {
    let parameter = |name: String, values: Vec<f64>| ObservedParameter {
        component: Component::Other(name.clone()),
        name,
        unit: String::new(),
        values,
    };
    let mut all = Vec::new();
    let of_cause = |cause: Cause| {
        let columns = inputs.columns().iter().zip(COLUMNS);
        columns.filter(move |(_, input)| input.cause == cause)
    };
    for (values, input) in inputs.columns().iter().zip(COLUMNS) {
        let missing: Vec<f64> =
            values.iter().map(|value| f64::from(u8::from(value.is_nan()))).collect();
        // A column that the file does not have.
        let Some(fill) = order::median(values) else { continue };
        let filled = values.iter().map(|value| if value.is_nan() { fill } else { *value });
        all.push(parameter(input.name.to_owned(), filled.collect()));
        if missing.contains(&1.0) {
            all.push(parameter(format!("missing({})", input.name), missing));
        }
    }
    let has_any = |values: &[f64]| values.iter().any(|value| value.is_finite());
    for (brightness, _) in of_cause(Cause::Brightness).filter(|(values, _)| has_any(values)) {
        for (colour, input) in of_cause(Cause::Colour) {
            let light = colour.iter().zip(brightness).map(|(colour, brightness)| {
                let light = colour.powf(GAMMA) * brightness;
                if light.is_nan() { 0.0 } else { light }
            });
            all.push(parameter(format!("{}^2.2*Brightness", input.name), light.collect()));
        }
    }
    all
}
