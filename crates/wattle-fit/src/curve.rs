use crate::cholesky::{Cholesky, product};
use crate::{FitError, ShapePrior, order};

/// Power over clock frequency, rising, from a few measured points. Units are those of the points.
///
/// Between its knots the logarithm of power is linear in frequency; outside them it goes on as the outermost
/// stretch does.
#[derive(Debug, Clone, PartialEq)]
pub struct PowerCurve {
    /// `(frequency, ln power)`, rising in both.
    knots: Vec<(f64, f64)>,
    /// Measured points that were used.
    pub points: Vec<(f64, f64)>,
    /// Measured points that disagree with the others by more than any curve could, and were left out.
    pub rejected: Vec<(f64, f64)>,
}

/// Reach of the deviation of a chip's curve from its cubic: this part of the clock range (voltage tables have a few knees).
const REACH: f64 = 0.6;
/// A point that the others put this many deviations elsewhere is wrong.
const WILD: f64 = 4.0;

impl PowerCurve {
    /// Straight lines between the points on a logarithmic scale of power: what needs no knowledge of other chips. Repeated
    /// clocks give the median of their powers; a curve that falls is levelled (pool adjacent violators).
    ///
    /// # Errors
    /// A frequency or power that is not above zero; no point at all.
    pub fn interpolate(points: &[(f64, f64)]) -> Result<Self, FitError> {
        let points = cleaned(points)?;
        let mut knots: Vec<(f64, f64)> = points.iter().map(|(f, p)| (*f, p.ln())).collect();
        make_rising(&mut knots);
        Ok(Self { knots, points, rejected: Vec::new() })
    }

    /// The curve that both the points and what is known of other chips suggest. `range` is the lowest and highest clock of the
    /// cluster, where it is wider than the points.
    ///
    /// The posterior of the prior's curve given the points is averaged, on the logarithmic scale, with
    /// [`PowerCurve::interpolate`], by the inverse square of the variance that either has under the prior and its
    /// [`PointScatter`](crate::PointScatter): far from points, or beside points near the noise floor, straight lines count less.
    /// With four points or more, a point is left out when the others leave no room for it.
    ///
    /// # Errors
    /// As for [`PowerCurve::interpolate`].
    pub fn fit(
        points: &[(f64, f64)],
        range: Option<(f64, f64)>,
        prior: &ShapePrior,
    ) -> Result<Self, FitError> {
        let mut points = cleaned(points)?;
        let ends = (points.first().copied(), points.last().copied());
        let (Some((lowest, _)), Some((highest, _))) = ends else {
            return Self::interpolate(&points);
        };
        let (lowest, highest) = match range {
            Some((low, high)) if low > 0.0 => (lowest.min(low), highest.max(high)),
            _ => (lowest, highest),
        };
        if highest <= lowest {
            return Self::interpolate(&points);
        }
        let scale = Scale { lowest, highest };
        let mut rejected = Vec::new();
        let mut posterior = Posterior::new(&points, scale, prior);
        while let Some(current) = posterior.as_ref().filter(|_| points.len() > 3) {
            if current.strain <= WILD {
                break;
            }
            // The point without which the others agree best: a wild one strains its neighbours as much as itself.
            let without = (0..points.len()).map(|index| {
                let mut rest = points.clone();
                let point = rest.remove(index);
                (Posterior::new(&rest, scale, prior), rest, point)
            });
            let strain = |posterior: &Option<Posterior>| {
                posterior.as_ref().map_or(f64::INFINITY, |posterior| posterior.strain)
            };
            let best = without.min_by(|a, b| strain(&a.0).total_cmp(&strain(&b.0)));
            let Some((next, rest, point)) = best else { break };
            posterior = next;
            points = rest;
            rejected.push(point);
        }
        let Some(posterior) = posterior else { return Self::interpolate(&points) };
        let plain = Self::interpolate(&points)?;
        let grid = 64;
        let mut clocks: Vec<f64> = (0..=grid)
            .map(|step| lowest + (highest - lowest) * f64::from(step) / f64::from(grid))
            .collect();
        clocks.extend(points.iter().map(|(f, _)| *f));
        let mut knots: Vec<(f64, f64)> = order::sorted(&clocks)
            .into_iter()
            .map(|f| {
                let share = posterior.share(f, prior);
                let (smooth, straight) = (posterior.logarithm(f, prior), plain.logarithm(f));
                (f, share * smooth + (1.0 - share) * straight)
            })
            .collect();
        knots.dedup_by(|a, b| a.0 == b.0);
        make_rising(&mut knots);
        rejected.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(Self { knots, points, rejected })
    }

    /// The power at a clock frequency.
    pub fn power(&self, frequency: f64) -> f64 {
        self.logarithm(frequency).exp()
    }

    fn logarithm(&self, frequency: f64) -> f64 {
        let above = self.knots.partition_point(|(f, _)| *f < frequency);
        let last = self.knots.len().saturating_sub(2);
        let stretch = above.saturating_sub(1).min(last);
        let ends = (self.knots.get(stretch), self.knots.get(stretch + 1));
        match ends {
            (Some((f0, l0)), Some((f1, l1))) => l0 + (l1 - l0) * (frequency - f0) / (f1 - f0),
            (Some((_, only)), None) => *only,
            _ => f64::NAN,
        }
    }
}

/// The points in order of frequency, one each.
fn cleaned(points: &[(f64, f64)]) -> Result<Vec<(f64, f64)>, FitError> {
    for (row, (frequency, power)) in points.iter().enumerate() {
        for (what, value) in [("frequency", *frequency), ("power (above zero)", *power)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(FitError::NotFinite { what: what.to_owned(), row, found: value });
            }
        }
    }
    let mut points = points.to_vec();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut merged = Vec::new();
    for same in points.chunk_by(|a, b| a.0 == b.0) {
        let powers: Vec<f64> = same.iter().map(|(_, power)| *power).collect();
        if let (Some((frequency, _)), Some(power)) = (same.first(), order::median(&powers)) {
            merged.push((*frequency, power));
        }
    }
    if merged.is_empty() {
        return Err(FitError::TooFew { what: "a power curve", needed: 1, found: 0 });
    }
    Ok(merged)
}

/// Levels what falls: pool adjacent violators.
fn make_rising(knots: &mut [(f64, f64)]) {
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for (_, value) in knots.iter() {
        pools.push((*value, 1));
        while let [.., (a, n), (b, m)] = pools.as_slice() {
            if a <= b {
                break;
            }
            let merged = ((a * *n as f64 + b * *m as f64) / (n + m) as f64, n + m);
            pools.pop();
            pools.pop();
            pools.push(merged);
        }
    }
    let levels = pools.into_iter().flat_map(|(value, count)| std::iter::repeat_n(value, count));
    for ((_, value), level) in knots.iter_mut().zip(levels) {
        *value = level;
    }
}

#[derive(Debug, Clone, Copy)]
struct Scale {
    lowest: f64,
    highest: f64,
}

impl Scale {
    fn place(self, frequency: f64) -> f64 {
        (frequency - self.lowest) / (self.highest - self.lowest)
    }

    fn width(self) -> f64 {
        (self.highest / self.lowest).ln()
    }
}

/// The prior's Gaussian process, given points.
struct Posterior {
    scale: Scale,
    places: Vec<f64>,
    /// Variance of the logarithm of each point.
    noises: Vec<f64>,
    factor: Cholesky,
    weights: Vec<f64>,
    level: f64,
    /// Distance of the farthest point from its prediction by the others, in deviations.
    strain: f64,
}

/// The level of a curve is unknown: any variance that is large beside the others says so.
const ANY_LEVEL: f64 = 100.0;

fn covariance(prior: &ShapePrior, a: f64, b: f64) -> f64 {
    let distance = 3.0_f64.sqrt() * (a - b).abs() / REACH;
    let peculiar =
        prior.scatter.peculiar * prior.scatter.peculiar * (1.0 + distance) * (-distance).exp();
    ANY_LEVEL + prior.stray(a, b) + peculiar
}

impl Posterior {
    fn new(points: &[(f64, f64)], scale: Scale, prior: &ShapePrior) -> Option<Self> {
        let places: Vec<f64> = points.iter().map(|(f, _)| scale.place(*f)).collect();
        let typical = places.iter().map(|place| prior.typical_at(*place, scale.width()));
        let over: Vec<f64> = points.iter().zip(typical).map(|((_, p), t)| p.ln() - t).collect();
        let level = order::median(&over)?;
        let left: Vec<f64> = over.iter().map(|value| value - level).collect();
        let noises: Vec<f64> = points.iter().map(|(_, p)| prior.scatter.variance(*p)).collect();
        let rows = places.iter().enumerate().map(|(i, a)| {
            let row = places.iter().take(i + 1).enumerate();
            let noise =
                |j: usize| if i == j { noises.get(j).copied().unwrap_or_default() } else { 0.0 };
            row.map(|(j, b)| covariance(prior, *a, *b) + noise(j)).collect()
        });
        let factor = Cholesky::new(rows.collect())?;
        let weights = factor.solve(&left);
        let diagonal = factor.inverse_diagonal();
        // What leaving a point out would predict of it, without leaving it out (Dubrule 1983).
        let distances = weights.iter().zip(&diagonal).map(|(w, d)| w.abs() / d.sqrt());
        let strain = distances.fold(0.0, f64::max);
        Some(Self { scale, places, noises, factor, weights, level, strain })
    }

    /// The posterior's part in the average with straight lines, by the inverse square of the variance that either has under the prior:
    /// both err together, so a mere inverse would keep too much of the worse one.
    fn share(&self, frequency: f64, prior: &ShapePrior) -> f64 {
        let place = self.scale.place(frequency);
        let own = covariance(prior, place, place);
        let pull: Vec<f64> = self.places.iter().map(|b| covariance(prior, place, *b)).collect();
        let explained = self.factor.forward(&pull);
        let posterior = (own - product(&explained, &explained)).max(0.0);
        let (first, second, part) = self.neighbours(place);
        let typical = |place: f64| prior.typical_at(place, self.scale.width());
        let at = |index: usize| self.places.get(index).copied().unwrap_or(place);
        let noise = |index: usize| self.noises.get(index).copied().unwrap_or_default();
        let (a, b) = (at(first), at(second));
        let rest = 1.0 - part;
        let bend = typical(place) - rest * typical(a) - part * typical(b);
        let straight = own
            - 2.0 * (rest * covariance(prior, place, a) + part * covariance(prior, place, b))
            + rest * rest * (covariance(prior, a, a) + noise(first))
            + part * part * (covariance(prior, b, b) + noise(second))
            + 2.0 * rest * part * covariance(prior, a, b)
            + bend * bend;
        let (posterior, straight) = (posterior * posterior, straight.max(0.0).powi(2));
        let whole = posterior + straight;
        if whole > 0.0 { straight / whole } else { 0.5 }
    }

    /// The points between which a straight line passes a place, and the second one's part in it.
    fn neighbours(&self, place: f64) -> (usize, usize, f64) {
        let above = self.places.partition_point(|other| *other < place);
        let second = above.clamp(1, self.places.len().saturating_sub(1).max(1));
        let first = second - 1;
        let at = |index: usize| self.places.get(index).copied().unwrap_or(place);
        let part = (place - at(first)) / (at(second) - at(first));
        (first, second, if part.is_finite() { part } else { 0.0 })
    }

    fn logarithm(&self, frequency: f64, prior: &ShapePrior) -> f64 {
        let place = self.scale.place(frequency);
        let pull: Vec<f64> = self.places.iter().map(|b| covariance(prior, place, *b)).collect();
        self.level + prior.typical_at(place, self.scale.width()) + product(&pull, &self.weights)
    }
}
