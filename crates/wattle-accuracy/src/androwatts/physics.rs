use wattle_fit::{Design, FitError, LinearFit, LinearOptions, Robustness, order};

use super::model_inputs::{COLUMNS, Cause};

/// Tables of power over the state of each part: watts that add up, none below zero.
///
/// Over a clock, a brightness, a temperature or a count of bytes, power is a line with knees that only rises (or only
/// falls), so that neither `V(f)` nor a transfer's overhead need be guessed; a display pays for brightness, and for
/// brightness × light of each colour. Coefficients come from non-negative least squares of relative errors, robustly.
#[derive(Debug, Clone)]
pub(crate) struct Physics {
    ramps: Vec<Ramps>,
    fit: LinearFit,
}

/// One cause and where its line has knees.
#[derive(Debug, Clone)]
struct Ramps {
    column: usize,
    cause: Cause,
    is_falling: bool,
    knees: Vec<f64>,
}

/// Exponent from a pixel's value to its emission (sRGB).
const GAMMA: f64 = 2.2;
/// Knees are at the quartiles: half a thousand runs say no more.
const STRETCHES: u32 = 4;
/// Columns of the colours, as in [`COLUMNS`].
const COLOURS: [usize; 3] = [0, 1, 2];

impl Physics {
    pub(crate) fn fit(inputs: &Design, watts: &[f64]) -> Result<Self, FitError> {
        let mut ramps = Vec::new();
        for (column, (values, input)) in inputs.columns().iter().zip(COLUMNS).enumerate() {
            if input.cause == Cause::Colour {
                continue;
            }
            let sorted = order::sorted(values);
            let knees = (0..=STRETCHES).map(|k| f64::from(k) / f64::from(STRETCHES));
            let mut knees: Vec<f64> = knees.filter_map(|p| order::quantile(&sorted, p)).collect();
            knees.dedup();
            let ramp = Ramps { column, cause: input.cause, is_falling: false, knees };
            if input.cause == Cause::EitherWay {
                ramps.push(Ramps { is_falling: true, ..ramp.clone() });
            }
            ramps.push(ramp);
        }
        let width = terms(&ramps, &[]).len();
        let mut design = Design::new((0..width).map(|term| format!("term {term}")));
        for row in 0..inputs.rows() {
            design.push_row(&terms(&ramps, &inputs.row(row)))?;
        }
        let options = LinearOptions {
            robustness: Robustness::Huber(1.345),
            weights: Some(watts.iter().map(|y| 1.0 / (y * y)).collect()),
            ..LinearOptions::non_negative()
        };
        let fit = options.fit(&design, watts)?;
        Ok(Self { ramps, fit })
    }

    pub(crate) fn predict(&self, inputs: &Design) -> Vec<f64> {
        (0..inputs.rows())
            .map(|row| self.fit.predict(&terms(&self.ramps, &inputs.row(row))))
            .collect()
    }
}

/// The terms of the sum for one run; their number does not depend on its values.
fn terms(ramps: &[Ramps], row: &[f64]) -> Vec<f64> {
    let value = |column: usize| row.get(column).copied().unwrap_or(f64::NAN);
    let light = COLOURS.map(|colour| Some(value(colour).powf(GAMMA)).filter(|l| l.is_finite()));
    let light = light.map(Option::unwrap_or_default);
    let mut terms = light.to_vec();
    for ramp in ramps {
        let x = value(ramp.column);
        // A clock that the file does not tell costs what it costs on average, apart.
        terms.push(if x.is_nan() { 1.0 } else { 0.0 });
        for (low, high) in ramp.knees.iter().zip(ramp.knees.iter().skip(1)) {
            let share = (x.clamp(*low, *high) - low) / (high - low);
            let part = if ramp.is_falling { 1.0 - share } else { share };
            let part = if part.is_nan() { 0.0 } else { part };
            terms.push(part);
            if ramp.cause == Cause::Brightness {
                terms.extend(light.map(|light| part * light));
            }
        }
    }
    terms
}
