//! Error sizes of a model's numbers, and which of the numbers err together.
//!
//! A power curve that reads 5 % high reads 5 % high in every slice that uses it: errors of one curve
//! are common to all of its slices and add linearly, not in quadrature. What a figure needs in order to
//! have an interval is therefore its energy per *source* (one number of the model: a curve point, a
//! cluster's leakage, a rail) and the sizes of two kinds of error:
//!
//! - each source errs on its own, with relative standard deviation [`ErrorSource::own`];
//! - all sources of a *group* (a cluster's curve) err together as well, with [`ErrorGroup::shared`].
//!
//! With energies `E_s`, groups `g`: `Var = Σ_g shared_g² (Σ_{s∈g} E_s)² + Σ_s own_s² E_s²`.
//!
//! Sources whose sum is fixed by a meter (a rail: the measurement scales, the model splits) can be wrong only in the
//! *share* of a figure. With `E_s` the figure's energy, `T_s` the metered total by source, the deviation weight of a
//! source is `w_s = E_s − (ΣE/ΣT)·T_s` (first-order error propagation of the ratio), which takes the place of `E_s`
//! above; the meter's own error then adds `(meter · ΣE)²`. What meters of one instrument have in common (a reference voltage) is a
//! group of its own, to which each of them adds its `ΣE`.
//!
//! No part of what meters fix is more than all of it: an upper bound ends at that of the sums of the meters that a figure has energy of.
//!
//! The interval is two-sided 90 %, with Student's t for the degrees of freedom from which the sizes were
//! learnt, and log-normal where the relative error is large, so that no energy gets a negative bound.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use wattle_units::{CompensatedSum, Estimate, Interval, Joules, Provenance};

use crate::student;

/// One number of a model whose error is its own. Index into [`ErrorModel::sources`].
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct SourceId(pub u16);

/// Index into [`ErrorModel::groups`].
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct ErrorGroupId(pub u16);

/// Index into [`ErrorModel::meters`].
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct MeterId(pub u16);

/// One number of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorSource {
    /// Name of the source (`policy 4 at 2.25 GHz`).
    pub name: String,
    /// The group it errs with.
    pub group: ErrorGroupId,
    /// Relative standard deviation of its own error.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub own: f64,
    /// The meter that fixes the sum this source is part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meter: Option<MeterId>,
    /// Provenance of the number.
    pub provenance: Provenance,
}

/// Numbers of a model that err together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorGroup {
    /// Name of the group (`policy 4`).
    pub name: String,
    /// Relative standard deviation of the common error.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub shared: f64,
    /// Degrees of freedom from which `shared` was learnt; `None` when it is a judgement, and then the
    /// normal quantile is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freedom: Option<f64>,
}

/// An instrument that measured the sum of several sources.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Meter {
    /// Its name (the rail's).
    pub name: String,
    /// Relative standard deviation of its own error.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub error: f64,
    /// The group of the error that it has in common with other meters of its instrument.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<ErrorGroupId>,
}

/// All that is known of the errors of one estimate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorModel {
    /// Sources by [`SourceId`].
    pub sources: Vec<ErrorSource>,
    /// Groups by [`ErrorGroupId`].
    pub groups: Vec<ErrorGroup>,
    /// Meters by [`MeterId`].
    pub meters: Vec<Meter>,
}

/// Energy of every source over the whole estimate, by [`SourceId`]: what a figure's share is taken of
/// where a meter fixes the sum.
#[derive(Clone, Debug, Default)]
pub struct SourceTotals {
    energies: Vec<Joules>,
    /// The sums of an error model's meters; worked out once. Totals are those of one model.
    metered: OnceLock<Vec<MeterTotal>>,
}

/// Equal energies.
impl PartialEq for SourceTotals {
    fn eq(&self, other: &Self) -> bool {
        self.energies == other.energies
    }
}

/// Everything that a meter fixes.
#[derive(Clone, Debug, Default)]
struct MeterTotal {
    /// Its sum, `ΣT`.
    sum: f64,
    /// By group that has sources of the meter: `Σ_{s∈g} T_s` and `Σ_{s∈g} own² T_s²`.
    groups: Vec<(ErrorGroupId, f64, f64)>,
}

impl SourceTotals {
    /// The total of one source; zero for one that has none.
    pub fn get(&self, source: SourceId) -> Joules {
        self.energies.get(usize::from(source.0)).copied().unwrap_or_default()
    }

    /// The sources that have an energy.
    pub fn iter(&self) -> impl Iterator<Item = (SourceId, Joules)> + '_ {
        (0..=u16::MAX).map(SourceId).zip(self.energies.iter().copied())
    }

    /// The sums by meter.
    fn metered(&self, errors: &ErrorModel) -> &[MeterTotal] {
        self.metered.get_or_init(|| {
            let mut meters = vec![MeterTotal::default(); errors.meters.len()];
            for (source, joules) in errors.sources.iter().zip(&self.energies) {
                let of = source.meter.and_then(|meter| meters.get_mut(usize::from(meter.0)));
                let Some(of) = of.filter(|_| *joules != Joules::ZERO) else { continue };
                of.sum += joules.value();
                let own = (source.own * joules.value()).powi(2);
                match of.groups.iter_mut().find(|(known, ..)| *known == source.group) {
                    Some((_, sum, owns)) => {
                        *sum += joules.value();
                        *owns += own;
                    }
                    None => of.groups.push((source.group, joules.value(), own)),
                }
            }
            meters
        })
    }
}

/// Energies of one source add up, compensated.
impl FromIterator<(SourceId, Joules)> for SourceTotals {
    fn from_iter<I: IntoIterator<Item = (SourceId, Joules)>>(energies: I) -> Self {
        let mut sums: Vec<CompensatedSum> = Vec::new();
        for (source, energy) in energies {
            let index = usize::from(source.0);
            if sums.len() <= index {
                sums.resize(index + 1, CompensatedSum::default());
            }
            sums[index].add(energy.value());
        }
        let energies = sums.into_iter().map(|sum| Joules::new(sum.value())).collect();
        Self { energies, metered: OnceLock::new() }
    }
}

/// A source counts for a figure's provenance from this share of it on.
pub(crate) const RELEVANT_SHARE: f64 = 0.01;

/// A figure that lacks no more than this of a meter's sum *is* the sum that was measured.
pub(crate) const WHOLE_METER: f64 = 1e-6;

/// Past this many standard deviations times size, bounds are a factor of 1e13 apart and say only
/// "not known"; the cap keeps them finite.
const LARGEST_LOG_WIDTH: f64 = 15.0;

/// Energy of one meter's sources, of a figure and in total.
#[derive(Clone, Copy, Default)]
struct Metered {
    figure: f64,
    total: f64,
}

impl ErrorModel {
    /// Appends all sources, groups and meters of another model; gives by how much the numbers of its sources rise.
    pub(crate) fn append(&mut self, other: Self) -> usize {
        let shift = self.sources.len();
        let (groups, meters) = (self.groups.len() as u16, self.meters.len() as u16);
        for mut source in other.sources {
            source.group.0 = source.group.0.wrapping_add(groups);
            source.meter = source.meter.map(|meter| MeterId(meter.0.wrapping_add(meters)));
            self.add_source(source);
        }
        self.groups.extend(other.groups);
        self.meters.extend(other.meters.into_iter().map(|meter| Meter {
            group: meter.group.map(|group| ErrorGroupId(group.0.wrapping_add(groups))),
            ..meter
        }));
        shift
    }

    /// Appends a group and says its id.
    pub fn add_group(&mut self, group: ErrorGroup) -> ErrorGroupId {
        self.groups.push(group);
        ErrorGroupId((self.groups.len() - 1) as u16)
    }

    /// Appends a source and says its id. Past 65,535 sources the last one stands for the rest.
    pub fn add_source(&mut self, source: ErrorSource) -> SourceId {
        if self.sources.len() > usize::from(u16::MAX) {
            return SourceId(u16::MAX);
        }
        self.sources.push(source);
        SourceId((self.sources.len() - 1) as u16)
    }

    /// Appends a meter and says its id.
    pub fn add_meter(&mut self, meter: Meter) -> MeterId {
        self.meters.push(meter);
        MeterId((self.meters.len() - 1) as u16)
    }

    /// The sum of the energies with its interval and provenance, by the rules in the module's text.
    /// `totals` is the energy of every source over the whole estimate.
    ///
    /// Provenance is the weakest among the sources that carry at least 1 % of the figure. A figure that
    /// is what a meter measured, undivided, is *measured*; a share of it is *modelled*.
    pub fn estimate(
        &self,
        energies: impl IntoIterator<Item = (SourceId, Joules)>,
        totals: &SourceTotals,
    ) -> Estimate {
        let figure = FigureEnergies::new(energies);
        let joules: Joules = figure.0.iter().map(|(_, energy)| *energy).sum();
        let totals = (totals, totals.metered(self));
        let metered = self.metered(&figure, totals.1);
        let (variance, freedom) = self.variance(&figure, totals, &metered);
        Estimate {
            joules,
            interval: self.within_meters(
                interval(joules, variance.max(0.0).sqrt(), freedom),
                &figure.0,
                |meter| metered.get(usize::from(meter.0)).map_or(0.0, |sum| sum.total),
            ),
            provenance: self.provenance(&figure, &metered),
        }
    }

    /// The interval of these energies, each source once. If meters fix all of them, it ends at the upper bound of the sums of those
    /// meters, all errors in one direction. `total` is the sum that a meter fixes, in joules.
    pub(crate) fn within_meters(
        &self,
        interval: Interval,
        energies: &[(SourceId, Joules)],
        total: impl Fn(MeterId) -> f64,
    ) -> Interval {
        let mut meters: Vec<(MeterId, Joules)> = Vec::new();
        for (id, energy) in energies {
            let source = self.sources.get(usize::from(id.0));
            let Some(meter) = source.and_then(|source| source.meter) else { return interval };
            let is_part = *energy >= Joules::ZERO;
            if !is_part {
                return interval;
            }
            match meters.iter_mut().find(|(known, _)| *known == meter) {
                Some((_, sum)) => *sum += *energy,
                None => meters.push((meter, *energy)),
            }
        }
        let touched = meters.iter().filter(|(_, sum)| *sum > Joules::ZERO);
        let most: f64 = touched
            .map(|(id, _)| {
                let meter = self.meters.get(usize::from(id.0));
                let deviation = meter.map_or(0.0, |meter| self.deviation(meter));
                total(*id) * (student::NORMAL * deviation).exp()
            })
            .sum();
        Interval { high: interval.high.min(Joules::new(most)), ..interval }
    }

    /// Relative standard deviation of a meter: its own error and the one that it has in common with others.
    pub fn deviation(&self, meter: &Meter) -> f64 {
        let group = meter.group.and_then(|group| self.groups.get(usize::from(group.0)));
        meter.error.hypot(group.map_or(0.0, |group| group.shared))
    }

    /// The estimate of everything there is: its energies are the totals, too.
    pub fn whole(&self, energies: impl IntoIterator<Item = (SourceId, Joules)>) -> Estimate {
        let totals: SourceTotals = energies.into_iter().collect();
        self.estimate(totals.iter(), &totals)
    }

    /// Sums by meter: of the figure and of everything.
    fn metered(&self, figure: &FigureEnergies, totals: &[MeterTotal]) -> Vec<Metered> {
        let mut metered: Vec<Metered> =
            totals.iter().map(|of| Metered { figure: 0.0, total: of.sum }).collect();
        for (id, energy) in &figure.0 {
            let source = self.sources.get(usize::from(id.0));
            let meter = source.and_then(|source| source.meter);
            if let Some(sum) = meter.and_then(|meter| metered.get_mut(usize::from(meter.0))) {
                sum.figure += energy.value();
            }
        }
        metered
    }

    /// Variance in J² and the degrees of freedom it is known with. Sources that the figure does not have count only where it has others
    /// of their meter, and then by sums that are worked out once: `Σ own² w² = Σ_F own² (E² − 2·E·r·T) + r² Σ own² T²` with the
    /// figure's part `r = ΣE/ΣT` of the meter's sum.
    fn variance(
        &self,
        figure: &FigureEnergies,
        (totals, by_meter): (&SourceTotals, &[MeterTotal]),
        metered: &[Metered],
    ) -> (f64, f64) {
        let mut parts = GroupParts::new(self.groups.len());
        for (id, energy) in &figure.0 {
            let Some(source) = self.sources.get(usize::from(id.0)) else { continue };
            let sum = source.meter.and_then(|meter| metered.get(usize::from(meter.0)));
            let energy = energy.value();
            let share = sum.map_or(0.0, |sum| sum.share());
            let own = energy * (energy - 2.0 * share * totals.get(*id).value());
            parts.add(source.group, energy, source.own.powi(2) * own);
        }
        for (sum, of) in metered.iter().zip(by_meter) {
            let share = sum.share();
            if share == 0.0 {
                continue;
            }
            for (group, total, own) in &of.groups {
                parts.add(*group, -share * total, share.powi(2) * own);
            }
        }
        let metered = (0..=u16::MAX).map(MeterId).zip(metered.iter().map(|sum| sum.figure));
        self.spread_of(parts, metered)
    }

    /// Variance in J² of what weighs so much on each source and each meter, and the degrees of freedom it is
    /// known with (Welch–Satterthwaite). Each source and meter occurs once.
    pub(crate) fn spread(
        &self,
        weights: impl IntoIterator<Item = (SourceId, f64)>,
        metered: impl IntoIterator<Item = (MeterId, f64)>,
    ) -> (f64, f64) {
        let mut parts = GroupParts::new(self.groups.len());
        for (id, weight) in weights {
            if let Some(source) = self.sources.get(usize::from(id.0)) {
                parts.add(source.group, weight, (source.own * weight).powi(2));
            }
        }
        self.spread_of(parts, metered)
    }

    fn spread_of(
        &self,
        mut parts: GroupParts,
        metered: impl IntoIterator<Item = (MeterId, f64)>,
    ) -> (f64, f64) {
        let mut variance = CompensatedSum::default();
        for (id, sum) in metered {
            let Some(meter) = self.meters.get(usize::from(id.0)) else { continue };
            variance.add((meter.error * sum).powi(2));
            if let Some(group) = meter.group {
                parts.add(group, sum, 0.0);
            }
        }
        // Groups of the same size and freedom learnt them from the same residuals: their
        // estimates are one number, not several that could average out.
        let mut learnt: Vec<(f64, f64, f64)> = Vec::new();
        for ((group, linear), own) in self.groups.iter().zip(&parts.linear).zip(&parts.own) {
            let part = ((group.shared * linear).powi(2) + own).max(0.0);
            variance.add(part);
            if let Some(freedom) = group.freedom.filter(|_| part > 0.0) {
                match learnt.iter_mut().find(|l| l.0 == group.shared && l.1 == freedom) {
                    Some(same) => same.2 += part,
                    None => learnt.push((group.shared, freedom, part)),
                }
            }
        }
        let variance = variance.value();
        let spread: f64 =
            learnt.iter().map(|(_, freedom, part)| part * part / freedom.max(1.0)).sum();
        (variance, if spread > 0.0 { variance * variance / spread } else { f64::INFINITY })
    }

    /// The provenance of all of a source's energy together with the rest of its meter's: *measured* where a meter fixes that sum. `None`
    /// for a source that this model does not have.
    pub fn measured_provenance(&self, source: SourceId) -> Option<Provenance> {
        let source = self.sources.get(usize::from(source.0))?;
        Some(if source.meter.is_some() { Provenance::Measured } else { source.provenance })
    }

    fn provenance(&self, figure: &FigureEnergies, metered: &[Metered]) -> Provenance {
        let whole: f64 = figure.0.iter().map(|(_, energy)| energy.value().abs()).sum();
        let relevant = figure
            .0
            .iter()
            .filter(|(_, energy)| energy.value().abs() >= whole * RELEVANT_SHARE)
            .filter_map(|(id, _)| self.sources.get(usize::from(id.0)));
        relevant
            .map(|source| match source.meter.and_then(|m| metered.get(usize::from(m.0))) {
                Some(sum) if sum.is_whole() => Provenance::Measured,
                Some(_) => source.provenance.weakest(Provenance::Modelled),
                None => source.provenance,
            })
            .reduce(Provenance::weakest)
            .unwrap_or(Provenance::Modelled)
    }
}

impl Metered {
    /// Whether the figure is all that the meter measured.
    fn is_whole(self) -> bool {
        (self.figure - self.total).abs() <= self.total.abs() * WHOLE_METER
    }

    /// The figure's part of the sum, `ΣE/ΣT`: what its sources weigh is `E_s − (ΣE/ΣT)·T_s`.
    fn share(self) -> f64 {
        if self.total == 0.0 { 0.0 } else { self.figure / self.total }
    }
}

/// Energies of a figure, each source once, ascending.
struct FigureEnergies(Vec<(SourceId, Joules)>);

impl FigureEnergies {
    fn new(energies: impl IntoIterator<Item = (SourceId, Joules)>) -> Self {
        let mut sums: Vec<(SourceId, CompensatedSum)> = Vec::new();
        let mut at: FxHashMap<SourceId, usize> = FxHashMap::default();
        for (source, energy) in energies {
            let place = *at.entry(source).or_insert_with(|| {
                sums.push((source, CompensatedSum::default()));
                sums.len() - 1
            });
            if let Some((_, sum)) = sums.get_mut(place) {
                sum.add(energy.value());
            }
        }
        sums.sort_unstable_by_key(|(source, _)| *source);
        Self(sums.into_iter().map(|(source, sum)| (source, Joules::new(sum.value()))).collect())
    }
}

/// Weights by group: their sum, which errs together, and the variance of what errs alone.
struct GroupParts {
    linear: Vec<f64>,
    own: Vec<f64>,
}

impl GroupParts {
    fn new(groups: usize) -> Self {
        Self { linear: vec![0.0; groups], own: vec![0.0; groups] }
    }

    fn add(&mut self, group: ErrorGroupId, weight: f64, own: f64) {
        let group = usize::from(group.0);
        if let (Some(linear), Some(sum)) = (self.linear.get_mut(group), self.own.get_mut(group)) {
            *linear += weight;
            *sum += own;
        }
    }
}

/// Two-sided 90 %. Log-normal for a positive energy: with `σ = sd / E` (the error of `ln E` to first
/// order) the bounds are `E·exp(∓t·σ)`, which is `E ∓ t·sd` where σ is small.
pub(crate) fn interval(joules: Joules, deviation: f64, freedom: f64) -> Interval {
    if deviation == 0.0 {
        return Interval::exact(joules);
    }
    let reach = student::quantile(freedom) * deviation;
    if joules > Joules::ZERO {
        let factor = (reach / joules.value()).min(LARGEST_LOG_WIDTH).exp();
        return Interval { low: joules / factor, high: joules * factor };
    }
    let reach = Joules::new(reach);
    Interval { low: joules - reach, high: joules + reach }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two groups: the first of two sources, the second of one.
    fn model(meter: bool) -> ErrorModel {
        let source = |group, own, meter| ErrorSource {
            name: String::new(),
            group: ErrorGroupId(group),
            own,
            meter,
            provenance: Provenance::Modelled,
        };
        let meter_id = meter.then_some(MeterId(0));
        ErrorModel {
            sources: vec![
                source(0, 0.02, meter_id),
                source(0, 0.01, meter_id),
                source(1, 0.0, None),
            ],
            groups: vec![
                ErrorGroup { name: String::new(), shared: 0.10, freedom: None },
                ErrorGroup { name: String::new(), shared: 0.05, freedom: None },
            ],
            meters: vec![Meter { name: String::new(), error: 0.01, group: None }],
        }
    }

    fn energies(values: &[f64]) -> Vec<(SourceId, Joules)> {
        (0..).map(SourceId).zip(values.iter().map(|v| Joules::new(*v))).collect()
    }

    #[track_caller]
    fn check(model: &ErrorModel, figure: &[f64], totals: &[f64], deviation: f64, factor: f64) {
        let totals = energies(totals).into_iter().collect();
        let found = model.estimate(energies(figure), &totals);
        let joules: f64 = figure.iter().sum();
        assert_eq!(found.joules.value(), joules);
        let high = joules * (factor * deviation / joules).exp();
        let low = joules * (-factor * deviation / joules).exp();
        let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-6;
        assert!(
            close(found.interval.high.value(), high) && close(found.interval.low.value(), low),
            "{found:?} is not {low}..{high}"
        );
    }

    #[test]
    fn errors_of_a_group_add_linearly_and_own_errors_in_quadrature() {
        // √((0.1·(3+5))² + (0.05·2)² + (0.02·3)² + (0.01·5)²), by hand
        let deviation = (0.64_f64 + 0.01 + 0.0036 + 0.0025).sqrt();
        check(&model(false), &[3.0, 5.0, 2.0], &[], deviation, student::NORMAL);
    }

    #[test]
    fn where_a_meter_fixes_the_sum_only_the_share_is_unsure() {
        // Everything of both sources: no share to be wrong about, the meter's 1 % of 8 J is left.
        check(&model(true), &[3.0, 5.0], &[3.0, 5.0], 0.08, student::NORMAL);
        // All of the first, none of the second: weights 3 − 3/8·3 and −3/8·5.
        let (w0, w1) = (3.0 - 9.0 / 8.0, -15.0 / 8.0);
        let shared: f64 = 0.1 * (w0 + w1);
        let variance =
            shared.powi(2) + (0.02 * w0).powi(2) + (0.01 * w1).powi(2) + 0.03_f64.powi(2);
        check(&model(true), &[3.0, 0.0], &[3.0, 5.0], variance.sqrt(), student::NORMAL);
    }

    /// Two meters of 1 J and 2 J with 1 % of their own and 2 % in common; of the second the first half.
    #[test]
    fn meters_of_one_instrument_err_together_and_bound_their_parts() {
        let mut model = model(true);
        model.groups.push(ErrorGroup { name: "rails".into(), shared: 0.02, freedom: None });
        let common = Some(ErrorGroupId(2));
        model.meters[0].group = common;
        model.meters.push(Meter { name: String::new(), error: 0.01, group: common });
        model.sources[2].meter = Some(MeterId(1));
        let whole = [0.4, 0.6, 2.0];
        let deviation = ((0.02_f64 * 3.0).powi(2) + 0.01_f64.powi(2) + 0.02_f64.powi(2)).sqrt();
        check(&model, &whole, &whole, deviation, student::NORMAL);
        // A part of which nothing is known is at most all that its meter counted.
        model.sources[0].own = 50.0;
        let totals = energies(&whole).into_iter().collect();
        let part = model.estimate(energies(&[0.4, 0.0, 0.0]), &totals);
        let most = (student::NORMAL * 0.01_f64.hypot(0.02)).exp();
        assert!((part.interval.high.value() - most).abs() < 1e-9, "{part:?}");
        assert!(part.interval.low.value() < 1e-3);
        // Beside something that no meter has, nothing is known to be a part.
        model.sources[2].meter = None;
        let mixed = model.estimate(energies(&[0.4, 0.0, 0.001]), &totals);
        assert!(mixed.interval.high.value() > 2.0, "{mixed:?}");
    }

    #[test]
    fn sizes_learnt_from_few_residuals_take_students_t() {
        let mut model = model(false);
        model.groups[0].freedom = Some(2.0);
        // One group alone: its freedom is the figure's.
        check(&model, &[10.0, 0.0], &[], (1.0_f64 + 0.04).sqrt(), 2.919_985_580_4);
        // Two groups that learnt from the same residuals are no surer than one.
        model.groups[1] = model.groups[0].clone();
        check(&model, &[0.0, 0.0, 10.0], &[], 1.0, 2.919_985_580_4);
        let pooled = model.estimate(energies(&[0.0, 10.0, 10.0]), &SourceTotals::default());
        let reach = (pooled.interval.high / pooled.joules).ln();
        let expected = 2.919_985_580_4 * (2.0_f64 + 0.01).sqrt() / 20.0;
        assert!((reach / expected - 1.0).abs() < 1e-6, "{reach} {expected}");
    }

    #[test]
    fn provenance_is_the_weakest_that_matters() {
        let mut model = model(true);
        model.sources[2].provenance = Provenance::Assumed;
        let totals: SourceTotals = energies(&[3.0, 5.0, 2.0]).into_iter().collect();
        let of = |figure: &[f64]| model.estimate(energies(figure), &totals).provenance;
        assert_eq!(of(&[3.0, 5.0, 2.0]), Provenance::Assumed);
        assert_eq!(of(&[3.0, 5.0, 0.05]), Provenance::Measured);
        assert_eq!(of(&[3.0, 1.0, 0.0]), Provenance::Modelled);
        assert_eq!(of(&[0.0, 0.0, 1e-3]), Provenance::Assumed);
    }

    #[test]
    fn nothing_is_exactly_nothing_and_bounds_never_cross_zero() {
        let none = model(false).estimate([], &SourceTotals::default());
        assert_eq!(none.interval, Interval::exact(Joules::ZERO));
        let mut wide = model(false);
        wide.groups[0].shared = 40.0;
        let found = wide.estimate(energies(&[1.0]), &SourceTotals::default());
        assert!(found.interval.low > Joules::ZERO && found.interval.high.is_finite());
    }
}
