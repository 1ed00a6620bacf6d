use crate::order;

/// A measured point of a curve beside the smooth shape through the curve.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CurvePoint {
    /// Place in the clock range, 0 to 1.
    pub(crate) place: f64,
    pub(crate) power: f64,
    /// Logarithm of measured over smooth power.
    pub(crate) left: f64,
}

/// Scatter of measured points around a smooth curve, by robust deviations of a population of curves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointScatter {
    /// Deviation of one reading, relative to its power: what neighbouring points do not share.
    pub reading: f64,
    /// Deviation of one reading that does not shrink with its power, in the unit of power.
    pub floor: f64,
    /// Deviation of the logarithm of a chip's curve from its cubic: what neighbouring points share.
    pub peculiar: f64,
}

/// Points of a curve below which its lowest say nothing of a floor.
const LEAST: usize = 5;

impl PointScatter {
    /// From curves of points in rising order of clocks.
    pub(crate) fn learn(curves: &[Vec<CurvePoint>]) -> Self {
        let long = || curves.iter().filter(|curve| curve.len() >= LEAST);
        // A point less the line through its neighbours: noise of variance 1 + a² + b², and hardly any of what they share.
        let mut high: Vec<f64> = Vec::new();
        let mut low: Vec<(f64, f64)> = Vec::new();
        let mut all: Vec<f64> = Vec::new();
        for curve in long() {
            let half = curve.len() / 2;
            all.extend(curve.iter().map(|point| point.left));
            for (index, three) in curve.windows(3).enumerate() {
                let [a, b, c] = three else { continue };
                let share = (b.place - a.place) / (c.place - a.place);
                if !share.is_finite() {
                    continue;
                }
                let bend = b.left - (1.0 - share) * a.left - share * c.left;
                let noise = bend / (1.0 + share * share + (1.0 - share) * (1.0 - share)).sqrt();
                if index + 1 >= half {
                    high.push(noise);
                } else if index == 0 {
                    low.push((noise, b.power));
                }
            }
        }
        let size =
            |values: Vec<f64>| 1.482_602_218_505_602 * order::median(&values).unwrap_or_default();
        let squares = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>();
        let mean_square = |values: &[f64]| squares(values) / values.len().max(1) as f64;
        let reading = mean_square(&high).sqrt();
        // What the lowest points scatter by in units of power, beyond their part of it.
        let watts = size(low.iter().map(|(noise, power)| noise.abs() * power).collect());
        let power = order::median(&low.iter().map(|(_, power)| *power).collect::<Vec<f64>>());
        let usual = size(high.iter().map(|noise| noise.abs()).collect());
        let part = usual * power.unwrap_or_default();
        // Few curves are far from any cubic, and those matter: the mean square, not the median.
        let whole = mean_square(&all).sqrt();
        Self { reading, floor: (watts * watts - part * part).max(0.0).sqrt(), peculiar: whole }
    }

    /// Variance of the logarithm of one reading of this power.
    pub(crate) fn variance(&self, power: f64) -> f64 {
        // A logarithm of what is drowned in noise is as wide as its floor over its power, once.
        let floor = (self.floor / power).min(1.0);
        self.reading * self.reading + floor * floor + 1e-6
    }
}
