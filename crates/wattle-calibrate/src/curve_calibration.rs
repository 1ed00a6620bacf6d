//! Power curves of clusters from a few measured clocks.

use serde::Serialize;
use wattle_fit::{PowerCurve, ShapePrior};
use wattle_power::{DeviceModel, ErrorSizes, FigureUnit, Policy, StatePower, library};
use wattle_units::{Hertz, Volts, Watts};

use crate::{CalibrateError, ClusterPoints};

/// The curve of one cluster.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClusterCurve {
    /// The cpufreq policy.
    pub policy: u32,
    /// Points used, kHz and mW.
    pub points: Vec<(u64, f64)>,
    /// Points that the others leave no room for.
    pub rejected: Vec<(u64, f64)>,
    /// The curve: kHz and mW, rising.
    pub curve: Vec<(u64, f64)>,
    /// Each point said by the others: root mean square of the logarithm of the ratio; `None` below three points.
    pub left_out_error: Option<f64>,
    #[serde(skip)]
    cpus: Vec<wattle_timeline::CpuId>,
}

/// The curves of several clusters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CurveCalibration {
    /// By policy.
    pub clusters: Vec<ClusterCurve>,
    /// Curves of other SoCs from which the usual shape was learnt; 0: straight lines between the logarithms.
    pub learnt_from: usize,
    /// Warnings that a reader should know.
    pub warnings: Vec<String>,
}

/// Clock and power.
type Point = (f64, f64);

/// Rows of a curve whose clocks nobody names: between two rows Wattle interpolates linearly, so they are dense enough
/// that the logarithm in between is off by less than a percent.
const ROWS: u64 = 32;

/// A fuel gauge of a phone is some 5 % off, for all points together.
const GAUGE: f64 = 0.05;

/// Curves of the library: what power over clock usually looks like.
fn usual_shape() -> Option<ShapePrior> {
    let models = library().iter().filter(|model| model.unit == FigureUnit::Power);
    let curve = |policy: &Policy| -> Vec<(f64, f64)> {
        let power = |clock: Hertz| policy.power(clock, policy.lowest_dependency());
        let point = |clock: Hertz| {
            (clock.value() as f64, (power(clock).shared + power(clock).core[0]).value())
        };
        policy.frequencies().map(point).filter(|(_, power)| *power > 0.0).collect()
    };
    let curves: Vec<Vec<(f64, f64)>> =
        models.flat_map(|model| model.policies.iter().map(curve)).collect();
    ShapePrior::learn(&curves).ok()
}

impl CurveCalibration {
    /// Fits each cluster. The clocks of its rows are those of the known model, where it has the policy.
    pub fn new(
        clusters: &[ClusterPoints],
        known: Option<&DeviceModel>,
    ) -> Result<Self, CalibrateError> {
        let prior = usual_shape();
        let mut warnings = Vec::new();
        let mut curves = Vec::new();
        for cluster in clusters {
            let points: Vec<(f64, f64)> = cluster
                .points
                .iter()
                .map(|(clock, power)| (clock.value() as f64, power.value()))
                .collect();
            let named: Vec<Hertz> = known
                .and_then(|model| model.policies.iter().find(|policy| policy.id == cluster.policy))
                .map(|policy| policy.frequencies().collect())
                .unwrap_or_default();
            let range = match (named.first(), named.last()) {
                (Some(low), Some(high)) => Some((low.value() as f64, high.value() as f64)),
                _ => None,
            };
            let fit = |points: &[(f64, f64)]| match &prior {
                Some(prior) => PowerCurve::fit(points, range, prior),
                None => PowerCurve::interpolate(points),
            };
            let curve = fit(&points)?;
            let policy = cluster.policy.0;
            if points.len() < 3 {
                warnings.push(format!(
                    "policy {policy}: {} points only: three to five are needed",
                    points.len()
                ));
            }
            let read = |points: &[(f64, f64)]| -> Vec<(u64, f64)> {
                points.iter().map(|(clock, power)| (khz(*clock), power * 1e3)).collect()
            };
            for (clock, milliwatts) in read(&curve.rejected) {
                warnings.push(format!(
                    "policy {policy}: {milliwatts:.1} mW at {clock} kHz does not fit the other points and was left out"
                ));
            }
            let clocks = clocks(&named, &curve.points);
            let rows =
                clocks.into_iter().map(|clock| (khz(clock), rounded(curve.power(clock) * 1e3)));
            curves.push(ClusterCurve {
                policy,
                points: read(&curve.points),
                rejected: read(&curve.rejected),
                curve: rows.collect(),
                left_out_error: left_out(&curve.points, &fit),
                cpus: cluster.cpus.clone(),
            });
        }
        Ok(Self { clusters: curves, learnt_from: prior.map_or(0, |prior| prior.curves), warnings })
    }

    /// The device model that says this and nothing else. With a voltage its figures are currents.
    pub fn device_model(&self, name: &str, source: &str, voltage: Option<Volts>) -> DeviceModel {
        let mut model = DeviceModel::named(name);
        source.clone_into(&mut model.source);
        // A core that does not run draws nothing of its own: nothing was measured of it.
        model.idle_states = vec![1];
        if voltage.is_some() {
            model.unit = FigureUnit::Current;
        }
        let volts = voltage.map_or(1.0, Volts::value);
        for cluster in &self.clusters {
            let row = |(khz, milliwatts): &(u64, f64)| {
                let active = Watts::from_milliwatts(rounded(milliwatts / volts));
                let core = [active, Watts::ZERO, Watts::ZERO];
                (Hertz::from_kilohertz(*khz), StatePower { core, ..StatePower::default() })
            };
            let points: Vec<(Hertz, StatePower)> = cluster.curve.iter().map(row).collect();
            let source = format!("{source}: {} measured clocks", cluster.points.len());
            let id = wattle_power::PolicyId(cluster.policy);
            model.policies.extend(Policy::new(id, cluster.cpus.clone(), &points, &source));
        }
        let errors = self.clusters.iter().filter_map(|cluster| cluster.left_out_error);
        model.error = errors.reduce(f64::max).map(|own| ErrorSizes {
            shared: GAUGE,
            own: rounded(own),
            freedom: None,
            source: "each measured clock said by the others; of all together, a fuel gauge's 5 %"
                .to_owned(),
        });
        model
    }
}

fn khz(hertz: f64) -> u64 {
    (hertz / 1e3).round() as u64
}

/// Five digits: no gauge gives more.
fn rounded(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

fn clocks(named: &[Hertz], points: &[(f64, f64)]) -> Vec<f64> {
    if !named.is_empty() {
        return named.iter().map(|clock| clock.value() as f64).collect();
    }
    let (Some((low, _)), Some((high, _))) = (points.first(), points.last()) else {
        return Vec::new();
    };
    let step = (high - low) / ROWS as f64;
    let mut clocks: Vec<f64> = (0..=ROWS).map(|row| low + step * row as f64).collect();
    clocks.extend(points.iter().map(|(clock, _)| *clock));
    clocks.sort_by(f64::total_cmp);
    clocks.dedup_by_key(|clock| khz(*clock));
    clocks
}

/// Each point by a curve through the others.
fn left_out(
    points: &[(f64, f64)],
    fit: &dyn Fn(&[Point]) -> Result<PowerCurve, wattle_fit::FitError>,
) -> Option<f64> {
    if points.len() < 3 {
        return None;
    }
    let errors: Vec<f64> = (0..points.len())
        .filter_map(|index| {
            let mut rest = points.to_vec();
            let (clock, power) = rest.remove(index);
            let said = fit(&rest).ok()?.power(clock);
            Some((said / power).ln().powi(2)).filter(|square| square.is_finite())
        })
        .collect();
    (!errors.is_empty()).then(|| (errors.iter().sum::<f64>() / errors.len() as f64).sqrt())
}
