//! A refit of published curves to what physics allows: power above zero that rises with the clock.
//!
//! The power of a core that executes, with its cluster's, rises with the clock, because voltage does not fall. Measured tables
//! contradict that here and there: a reading was off, two rows were swapped, a cell was left at zero. The refit is the closest rising
//! curve on the logarithmic scale (pool adjacent violators), for each clock depended on by itself. The published figures
//! stay as they are; points that lie farther from the refit than their own error are doubtful.

use wattle_units::{Hertz, Watts};

use super::{DependsOn, DeviceModel, Policy, PolicyId};

/// Standard deviation of the logarithm of a figure, of models that state none.
const OWN_ERROR: f64 = 0.1;

/// A published power and that of the closest rising curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RefitPoint {
    /// The policy.
    pub policy: PolicyId,
    /// The policy's clock.
    pub frequency: Hertz,
    /// The other clock that the point is for, of policies that depend on one.
    pub on: Option<DependsOn>,
    /// The published power of one executing core and its cluster. Like all figures of a model of currents, it is that at one volt.
    pub power: Watts,
    /// The power of the closest rising curve; zero where no point of the curve is above zero.
    pub refit: Watts,
}

impl RefitPoint {
    /// Distance of the logarithms of both powers; infinite where nothing was published.
    fn distance(&self) -> f64 {
        if self.power <= Watts::ZERO || self.refit <= Watts::ZERO {
            return f64::INFINITY;
        }
        (self.power / self.refit).ln().abs()
    }
}

impl Policy {
    /// All points of its table with their refit, by the clock depended on and then by its own.
    pub fn refit(&self) -> Vec<RefitPoint> {
        let mut points: Vec<RefitPoint> = Vec::new();
        for row in &self.rows {
            points.extend(row.cells.iter().map(|cell| RefitPoint {
                policy: self.id,
                frequency: row.frequency,
                on: self.depends.then_some(cell.on),
                power: cell.power.shared + cell.power.core[0],
                refit: Watts::ZERO,
            }));
        }
        points.sort_by_key(|point| (point.on, point.frequency));
        for curve in points.chunk_by_mut(|one, next| one.on == next.on) {
            refit_curve(curve);
        }
        points
    }
}

/// Sets the refit of one curve, ascending by clock.
fn refit_curve(curve: &mut [RefitPoint]) {
    let usable = curve.iter().filter(|point| point.power > Watts::ZERO);
    // Mean of the logarithms and number of points, of stretches that are level.
    let mut levels: Vec<(f64, usize)> = Vec::new();
    for point in usable {
        let mut level = (point.power.value().ln(), 1);
        while let Some((before, count)) = levels.pop_if(|(before, _)| *before > level.0) {
            let both = count + level.1;
            level = ((before * count as f64 + level.0 * level.1 as f64) / both as f64, both);
        }
        levels.push(level);
    }
    let mut refits =
        levels.iter().flat_map(|(level, count)| std::iter::repeat_n(level.exp(), *count));
    let mut last = None;
    for point in curve {
        if point.power > Watts::ZERO {
            last = refits.next().or(last);
        }
        point.refit = Watts::new(last.or(levels.first().map(|first| first.0.exp())).unwrap_or(0.0));
    }
}

impl DeviceModel {
    /// The points of its curves that lie farther from the closest rising curve than their own error.
    pub fn doubtful_points(&self) -> Vec<RefitPoint> {
        let own = self.error.as_ref().map_or(OWN_ERROR, |error| error.own);
        let points = self.policies.iter().flat_map(Policy::refit);
        points.filter(|point| point.distance() > own).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library;

    #[test]
    fn every_curve_of_the_library_has_a_rising_refit() {
        for model in library() {
            for policy in &model.policies {
                let points = policy.refit();
                assert!(points.iter().all(|point| point.refit.value().is_finite()));
                for curve in points.chunk_by(|one, next| one.on == next.on) {
                    let rises = curve.is_sorted_by_key(|point| point.refit);
                    assert!(rises, "{} policy {}: {curve:?}", model.name, policy.id.0);
                    assert!(curve.iter().all(|point| point.refit > Watts::ZERO));
                }
                let states = policy.rows.iter().flat_map(|row| &row.cells).map(|cell| cell.power);
                let parts = states.flat_map(|p| [p.shared, p.core[0], p.core[1], p.core[2]]);
                assert!(parts.into_iter().all(|part| part >= Watts::ZERO), "{}", model.name);
            }
        }
    }

    /// Counted by a second implementation of the refit, in another language, from the same files.
    #[test]
    fn doubtful_points_of_the_library_are_known() {
        let found: Vec<(&str, usize)> = library()
            .iter()
            .map(|model| (model.name.as_str(), model.doubtful_points().len()))
            .filter(|(_, points)| *points > 0)
            .collect();
        assert_eq!(found, DOUBTFUL);
    }

    const DOUBTFUL: [(&str, usize); 8] = [
        ("Tensor", 14),
        ("Tensor G4", 10),
        ("Tensor G5", 74),
        ("SXR2230P", 4),
        ("MT6858", 14),
        ("MT6897", 7),
        ("OnePlus 3 power profile", 7),
        ("Mi 9T power profile", 3),
    ];

    #[test]
    fn a_point_that_falls_is_doubtful_on_both_sides() {
        let text = "format = 'wattle-device-model/1'\nname = 'x'\nversion = 1\n[[policy]]\nid = 0\ncpus = [0]\n\
                    curve = [[1000, 10, 90, 0, 0], [2000, 0, 400, 0, 0], [3000, 0, 100, 0, 0], [4000, 0, 0, 0, 0]]";
        let model = DeviceModel::parse("x", text).unwrap();
        let refits: Vec<f64> =
            model.policies[0].refit().iter().map(|p| p.refit.milliwatts()).collect();
        // The geometric mean of 400 and 100 mW; where nothing is stated, that of the clock below.
        for (refit, expected) in refits.iter().zip([100.0, 200.0, 200.0, 200.0]) {
            assert!((refit - expected).abs() < 1e-9, "{refits:?}");
        }
        let doubtful: Vec<u64> =
            model.doubtful_points().iter().map(|point| point.frequency.kilohertz()).collect();
        assert_eq!(doubtful, [2000, 3000, 4000]);
    }
}
