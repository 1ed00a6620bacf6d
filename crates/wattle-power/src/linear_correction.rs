//! A smooth function of several parameters, as a model file holds it.

use wattle_units::Watts;

use crate::ResidualQuantile;

/// Power as a smooth function of several parameters together: the mean of a Gaussian process of the logarithm of power (Matérn 5/2),
/// by its support points.
///
/// `ln S = level + Σ weight_i · m(d_i)`, `d_i` the distance of the values from point `i`, each in centre and reach of its parameter, and
/// `m(d) = (1 + √5 d + 5 d² / 3) exp(−√5 d)`. Far from all points it is the level, so it does not extrapolate. The
/// corrected power is `L^(1−share) · S^share`, `L` being the power by the terms.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinearCorrection {
    /// The parameters, in the order of the points' places.
    pub inputs: Vec<CorrectionInput>,
    /// The part of the smooth function in the logarithm of the power, 0 to 1; the terms have the rest.
    pub share: f64,
    /// Natural logarithm of watts far from all points.
    pub level: f64,
    /// The support points.
    pub points: Vec<SupportPoint>,
    /// Residuals of the corrected model on rows held out, measured minus modelled: quantiles, ascending by both columns.
    pub residuals: Vec<ResidualQuantile>,
    /// Ends of the 90 % prediction interval of one observation with the correction, relative to the prediction.
    pub interval: Option<[f64; 2]>,
}

/// A parameter of a [`LinearCorrection`].
#[derive(Clone, Debug, PartialEq)]
pub struct CorrectionInput {
    /// The parameter's name.
    pub parameter: String,
    /// The value that places are counted from, in the parameter's unit.
    pub centre: f64,
    /// The distance that counts as 1, in the parameter's unit; above 0.
    pub reach: f64,
}

/// A point that a [`LinearCorrection`] was fitted to.
#[derive(Clone, Debug, PartialEq)]
pub struct SupportPoint {
    /// Its weight, a part of the logarithm of power.
    pub weight: f64,
    /// `(value − centre) / reach` of each input.
    pub place: Vec<f64>,
}

impl LinearCorrection {
    /// The corrected power at values of the inputs, in their order, where the terms give `linear`.
    pub fn power(&self, values: &[f64], linear: Watts) -> Watts {
        let place: Vec<f64> = values
            .iter()
            .zip(&self.inputs)
            .map(|(value, input)| (value - input.centre) / input.reach)
            .collect();
        let pulls = self.points.iter().map(|point| {
            let squares = place.iter().zip(&point.place).map(|(a, b)| (a - b) * (a - b));
            let distance = (5.0 * squares.sum::<f64>()).sqrt();
            point.weight * (1.0 + distance + distance * distance / 3.0) * (-distance).exp()
        });
        let smooth = self.level + pulls.sum::<f64>();
        if linear <= Watts::ZERO {
            return Watts::new(smooth.exp());
        }
        Watts::new((self.share * smooth + (1.0 - self.share) * linear.value().ln()).exp())
    }
}
