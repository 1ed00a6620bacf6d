//! Power of a GPU by utilisation and clock.

use wattle_timeline::{GpuTimeline, Steps};
use wattle_units::{Amperes, BootNanos, Hertz};

use super::draw::{Rate, Rates};
use crate::{GpuCurve, Measure, clock_unit};

/// Idle, and fully used.
pub(super) const IDLE: &str = "gpu.idle";
pub(super) const ACTIVE: &str = "gpu.active";
/// Points: utilisation on a scale whose last value is full use, and the power at each.
pub(super) const SCALE: &str = "gpu.utilisation";
pub(super) const POWER: &str = "gpu.power";

/// Relation between utilisation and power.
pub(super) enum GpuLaw<'a> {
    /// Straight between points, of utilisation from 0 to 1.
    Points(Vec<(f64, Rate)>),
    /// Straight from idle to fully used.
    Line { idle: Rate, active: Rate },
    /// At each clock straight from power-gated to on.
    Curve { curve: &'a GpuCurve, clocks: &'a Steps<Hertz>, factor: f64 },
}

impl<'a> GpuLaw<'a> {
    /// The device's own points or line; else its curve, where the clock was recorded.
    pub(super) fn new(
        rates: Rates<'_>,
        curve: Option<&'a GpuCurve>,
        gpu: Option<&'a GpuTimeline>,
    ) -> Option<Self> {
        if let Some(points) = points(rates) {
            return Some(Self::Points(points));
        }
        if let Some(active) = rates.first(ACTIVE) {
            let idle = rates.first(IDLE).unwrap_or_default();
            return Some(Self::Line { idle, active });
        }
        let (curve, clocks) = (curve?, &gpu?.frequency);
        let table = curve.points.iter().map(|point| point.frequency);
        let factor = clock_unit::factor(clocks.values().iter().copied(), table);
        Some(Self::Curve { curve, clocks, factor })
    }

    /// The figures that it is of.
    pub(super) fn figures(&self) -> &'static [&'static str] {
        match self {
            Self::Points(_) => &[SCALE, POWER],
            Self::Line { .. } => &[IDLE, ACTIVE],
            Self::Curve { .. } => &[],
        }
    }

    /// When it changes.
    pub(super) fn changes(&self) -> &[BootNanos] {
        match self {
            Self::Curve { clocks, .. } => clocks.times(),
            Self::Points(_) | Self::Line { .. } => &[],
        }
    }

    /// Drawn at a utilisation from 0 to 1; `None` where the clock is not known yet.
    pub(super) fn rate(&self, utilisation: f64, time: BootNanos) -> Option<Rate> {
        let between = |low: Rate, high: Rate, part: f64| low * (1.0 - part) + high * part;
        match self {
            Self::Points(points) => {
                let after = points.partition_point(|(at, _)| *at < utilisation);
                let (high_at, high) = *points.get(after).or(points.last())?;
                let Some((low_at, low)) = after.checked_sub(1).and_then(|i| points.get(i)) else {
                    return Some(high);
                };
                let width = high_at - low_at;
                let part = if width > 0.0 { (utilisation - low_at) / width } else { 1.0 };
                Some(between(*low, high, part))
            }
            Self::Line { idle, active } => Some(between(*idle, *active, utilisation)),
            Self::Curve { curve, clocks, factor } => {
                let clock = clock_unit::scaled(clocks.at(time)?, *factor);
                let (gated, on) = (curve.power(clock, 1), curve.power(clock, 2));
                let power = gated + (on - gated) * utilisation;
                Some(Rate { current: Amperes::ZERO, power })
            }
        }
    }
}

/// `None` where they are missing, of different lengths, not ascending, or of other units.
fn points(rates: Rates<'_>) -> Option<Vec<(f64, Rate)>> {
    let scale = rates.figures.get(SCALE).filter(|figure| figure.unit == Measure::Ratio)?;
    let power = rates.figures.get(POWER)?;
    let full = scale.values.last().copied().filter(|full| *full > 0.0)?;
    if scale.values.len() != power.values.len() || !scale.values.is_sorted() {
        return None;
    }
    let point = |(level, at): (usize, &f64)| rates.get(POWER, level).map(|rate| (*at / full, rate));
    scale.values.iter().enumerate().map(point).collect()
}
