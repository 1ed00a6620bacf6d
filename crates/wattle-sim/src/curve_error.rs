//! Differences of this phone from the model of its kind.

use crate::SplitMix64;
use crate::device_model::{Residual, ResidualKind};
use crate::{ClusterSpec, PhoneSpec};

/// Deviation of the phones of one kind from the model that is published for it. A phone's true power is the model's
/// times `exp(shared + own)`: both normal, `shared` drawn once for a cluster, `own` once for each number of its curve
/// (a frequency's active power; the static power; the idle power). With both sizes 0 the model is exact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CurveErrors {
    /// Standard deviation of the logarithm of what all numbers of a cluster have in common.
    pub shared_sd: f64,
    /// Standard deviation of the logarithm of what is a number's own.
    pub own_sd: f64,
    /// Number of other phones of the kind that were measured: an estimator can learn the sizes from their ratios of
    /// measured to modelled power.
    pub specimens: u32,
}

impl CurveErrors {
    /// The model is exact.
    pub const NONE: Self = Self { shared_sd: 0.0, own_sd: 0.0, specimens: 0 };

    /// Ratios of one cluster of one phone.
    fn draw(self, cluster: &ClusterSpec, random: &mut SplitMix64) -> ClusterRatios {
        let shared = self.shared_sd * random.normal();
        let mut ratio = || (shared + self.own_sd * random.normal()).exp();
        let (shared_power, idle) = (ratio(), ratio());
        let active = cluster.curve.iter().map(|_| ratio()).collect();
        ClusterRatios { shared: shared_power, idle, active }
    }
}

struct ClusterRatios {
    shared: f64,
    idle: f64,
    active: Vec<f64>,
}

/// True power of this phone at one frequency, in watts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TruePoint {
    pub shared: f64,
    pub active: f64,
    pub idle0: f64,
    pub idle1: f64,
}

/// The true curves of one phone.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TrueCurves {
    pub clusters: Vec<Vec<TruePoint>>,
}

/// Draws this phone, and the ratios of the specimens.
pub(crate) fn draw(
    spec: &PhoneSpec,
    errors: CurveErrors,
    mut random: SplitMix64,
) -> (TrueCurves, Vec<Residual>) {
    let mut clusters = Vec::new();
    for cluster in &spec.clusters {
        let ratios = errors.draw(cluster, &mut random);
        let points = cluster.curve.iter().zip(&ratios.active).map(|(point, ratio)| TruePoint {
            shared: point.static_power.value() * ratios.shared,
            active: point.active.value() * ratio,
            idle0: point.idle0.value() * ratios.idle,
            idle1: point.idle1.value() * ratios.idle,
        });
        clusters.push(points.collect());
    }
    let mut residuals = Vec::new();
    for specimen in 0..errors.specimens {
        for (index, cluster) in spec.clusters.iter().enumerate() {
            let ratios = errors.draw(cluster, &mut random);
            let policy = spec.first_cpu(index);
            let row = |kind, ratio| Residual {
                policy,
                specimen: format!("specimen {}", specimen + 1),
                kind,
                ratio,
            };
            if cluster.curve.iter().any(|point| point.static_power.value() > 0.0) {
                residuals.push(row(ResidualKind::Static, ratios.shared));
            }
            residuals.push(row(ResidualKind::Idle, ratios.idle));
            for (point, ratio) in cluster.curve.iter().zip(&ratios.active) {
                residuals.push(row(ResidualKind::Active(point.frequency), *ratio));
            }
        }
    }
    (TrueCurves { clusters }, residuals)
}
