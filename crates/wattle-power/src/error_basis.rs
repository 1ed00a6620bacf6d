//! Uncertainty of two runs' energies and of their differences, where errors of one are also the other's.
//!
//! A curve that reads 5 % high does so in both runs. Its error is common to them: of a difference only what is
//! *not* in both is wrong by 5 %. So a difference is treated like an energy, with the differences by source in
//! the place of energies: `d_s = after_s − before_s`, and where a meter fixes a run's sum,
//! `d_s = w_s(after) − w_s(before)` with that run's deviation weights ([`crate::ErrorModel`]). The meter's own
//! error counts for the difference of the sums that it measured.
//!
//! Numbers of different models err on their own. [`ErrorBasis::new`] therefore joins both models into one:
//! what is the same number of the same model occurs once, all else twice.
//!
//! The interval says what is known of *these two runs*. How far runs of one build lie apart is no error of a
//! model, and one run of each cannot tell it.

use rustc_hash::FxHashMap;
use wattle_units::{Estimate, Interval, Joules, Provenance};

use crate::error_model::{RELEVANT_SHARE, WHOLE_METER, interval};
use crate::student;
use crate::{ErrorGroupId, ErrorModel, Meter, MeterId, SourceId, SourceTotals};

/// One of two runs that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ComparedRun {
    /// The first.
    Before,
    /// The second.
    After,
}

impl ComparedRun {
    /// Both, in order.
    pub const BOTH: [Self; 2] = [Self::Before, Self::After];

    /// Its place in [`Self::BOTH`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the sign of its energy in a difference.
    const fn sign(self) -> f64 {
        match self {
            Self::Before => -1.0,
            Self::After => 1.0,
        }
    }
}

/// By how much one energy is more than another. Below zero: it is less.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnergyDifference {
    /// After less before.
    pub joules: Joules,
    /// 90 % interval.
    pub interval: Interval,
    /// Whether no error can turn the sign of the difference: all of them make it larger or smaller.
    pub is_one_way: bool,
}

/// Energies of sources by run, each source once.
pub type SourceEnergies<'a> = &'a [(SourceId, Joules)];

/// The joined errors of two runs, with all that was metered in each.
#[derive(Clone, Debug)]
pub struct ErrorBasis {
    model: ErrorModel,
    /// By run: the number here of each of the run's own sources.
    ids: [Vec<SourceId>; 2],
    totals: [SourceTotals; 2],
    /// By run and meter: the sum of its sources.
    metered: [Vec<f64>; 2],
    /// By meter and run: its sources that drew something, and what.
    members: Vec<[Vec<(SourceId, f64)>; 2]>,
}

impl ErrorBasis {
    /// Of two runs, each with its errors and what each source drew in it. `is_same_model`: numbers of one name are one number, so
    /// that their errors are common.
    pub fn new(runs: [(&ErrorModel, &SourceTotals); 2], is_same_model: bool) -> Self {
        let mut model = ErrorModel::default();
        let first = join(&mut model, runs[0].0, false);
        let ids = [first, join(&mut model, runs[1].0, is_same_model)];
        let totals = [0, 1].map(|run| {
            let own = runs[run].1.iter().filter(|(_, joules)| *joules != Joules::ZERO);
            own.filter_map(|(id, joules)| Some((*ids[run].get(usize::from(id.0))?, joules)))
                .collect::<SourceTotals>()
        });
        let mut members = vec![[Vec::new(), Vec::new()]; model.meters.len()];
        for (id, source) in (0..=u16::MAX).map(SourceId).zip(&model.sources) {
            let of = source.meter.and_then(|meter| members.get_mut(usize::from(meter.0)));
            for (of, totals) in of.into_iter().flatten().zip(&totals) {
                let joules = totals.get(id).value();
                if joules != 0.0 {
                    of.push((id, joules));
                }
            }
        }
        let metered = [0, 1].map(|run: usize| {
            let sum =
                |of: &[Vec<(SourceId, f64)>; 2]| of[run].iter().map(|(_, joules)| joules).sum();
            members.iter().map(sum).collect()
        });
        Self { model, ids, totals, metered, members }
    }

    /// The number here of a run's own source; `None` for one that its error model does not have.
    pub fn id(&self, run: ComparedRun, source: SourceId) -> Option<SourceId> {
        self.ids[run.index()].get(usize::from(source.0)).copied()
    }

    /// All that a run drew, by source.
    pub fn totals(&self, run: ComparedRun) -> &SourceTotals {
        &self.totals[run.index()]
    }

    /// An energy of one run: what [`ErrorModel::estimate`] says of it, in time that depends on its own sources alone.
    pub fn estimate(&self, run: ComparedRun, energies: SourceEnergies<'_>) -> Estimate {
        let mut of = [&[][..], &[][..]];
        of[run.index()] = energies;
        let EnergyDifference { joules, interval, .. } = self.difference(of[0], of[1]);
        let (joules, interval) = match run {
            ComparedRun::After => (joules, interval),
            // What is before counts as less.
            ComparedRun::Before => (Joules::ZERO - joules, mirrored(interval)),
        };
        let totals = &self.metered[run.index()];
        let interval =
            self.model.within_meters(interval, energies, |meter| totals[usize::from(meter.0)]);
        Estimate { joules, interval, provenance: self.provenance(run, energies) }
    }

    /// One energy less another, by the rules in the module's text. Sources are those of [`Self::id`].
    ///
    /// The interval is that of a positive energy where the difference is one: where one run has nothing, or where no source has less
    /// and nothing is metered. Common errors make such a difference larger or smaller and never turn it round. Else it reaches
    /// equally far to both sides.
    pub fn difference(
        &self,
        before: SourceEnergies<'_>,
        after: SourceEnergies<'_>,
    ) -> EnergyDifference {
        let joules: Joules = after.iter().map(|(_, joules)| *joules).sum::<Joules>()
            - before.iter().map(|(_, joules)| *joules).sum::<Joules>();
        let mut weights = Vec::with_capacity(before.len() + after.len());
        for (run, energies) in ComparedRun::BOTH.into_iter().zip([before, after]) {
            weights.extend(energies.iter().map(|(id, joules)| (*id, run.sign() * joules.value())));
        }
        let sums = self.metered_sums(before, after);
        let is_alone = before.is_empty() || after.is_empty();
        let is_one_way = is_alone || sums.is_empty() && is_one_way(&mut weights);
        if sums.is_empty() {
            merge(&mut weights);
        } else {
            weights = self.without_shares(&weights, &sums);
        }
        let metered = sums.iter().map(|(meter, sums)| (*meter, sums[1] - sums[0]));
        let (variance, freedom) = self.model.spread(weights, metered);
        let deviation = variance.sqrt();
        let reach = Joules::new(student::quantile(freedom) * deviation);
        let interval = match is_one_way {
            _ if deviation == 0.0 => Interval::exact(joules),
            true if joules < Joules::ZERO => mirrored(interval(-joules, deviation, freedom)),
            true => interval(joules, deviation, freedom),
            false => Interval { low: joules - reach, high: joules + reach },
        };
        EnergyDifference { joules, interval, is_one_way: is_one_way || deviation == 0.0 }
    }

    /// By meter that some of the energies are part of: their sum in each run.
    fn metered_sums(
        &self,
        before: SourceEnergies<'_>,
        after: SourceEnergies<'_>,
    ) -> Vec<(MeterId, [f64; 2])> {
        let mut sums: Vec<(MeterId, [f64; 2])> = Vec::new();
        for (run, energies) in [before, after].into_iter().enumerate() {
            for (id, joules) in energies {
                let Some(meter) = self.meter(*id) else { continue };
                let at = sums.iter().position(|(known, _)| *known == meter).unwrap_or_else(|| {
                    sums.push((meter, [0.0; 2]));
                    sums.len() - 1
                });
                sums[at].1[run] += joules.value();
            }
        }
        sums
    }

    fn meter(&self, source: SourceId) -> Option<MeterId> {
        self.model.sources.get(usize::from(source.0))?.meter
    }

    /// The weights by source, less what the runs' shares of metered sums cannot be wrong about: `(ΣE/ΣT)·T_s` of each source.
    fn without_shares(
        &self,
        weights: &[(SourceId, f64)],
        sums: &[(MeterId, [f64; 2])],
    ) -> Vec<(SourceId, f64)> {
        // Meters have hundreds of sources, of every frame of a flame graph again: adding is faster than sorting.
        let mut of_source = vec![0.0; self.model.sources.len()];
        let mut add = |id: SourceId, weight: f64| {
            if let Some(sum) = of_source.get_mut(usize::from(id.0)) {
                *sum += weight;
            }
        };
        for (id, weight) in weights {
            add(*id, *weight);
        }
        for (meter, figures) in sums {
            for run in ComparedRun::BOTH {
                let total = self.metered[run.index()][usize::from(meter.0)];
                let figure = figures[run.index()];
                if total == 0.0 || figure == 0.0 {
                    continue;
                }
                let share = run.sign() * figure / total;
                let members = &self.members[usize::from(meter.0)][run.index()];
                for (id, joules) in members {
                    add(*id, -share * joules);
                }
            }
        }
        let drew = (0..=u16::MAX).map(SourceId).zip(of_source);
        drew.filter(|(_, weight)| *weight != 0.0).collect()
    }

    fn provenance(&self, run: ComparedRun, energies: SourceEnergies<'_>) -> Provenance {
        let whole: f64 = energies.iter().map(|(_, joules)| joules.value().abs()).sum();
        let sums = self.metered_sums(energies, &[]);
        let is_whole = |meter: MeterId| {
            let total = self.metered[run.index()][usize::from(meter.0)];
            let sum = sums.iter().find(|(known, _)| *known == meter).map_or(0.0, |(_, sum)| sum[0]);
            (sum - total).abs() <= total.abs() * WHOLE_METER
        };
        energies
            .iter()
            .filter(|(_, joules)| joules.value().abs() >= whole * RELEVANT_SHARE)
            .filter_map(|(id, _)| self.model.sources.get(usize::from(id.0)))
            .map(|source| match source.meter {
                Some(meter) if is_whole(meter) => Provenance::Measured,
                Some(_) => source.provenance.weakest(Provenance::Modelled),
                None => source.provenance,
            })
            .reduce(Provenance::weakest)
            .unwrap_or(Provenance::Modelled)
    }
}

/// Adds the numbers of a model to another; returns the new number of each of its sources.
fn join(to: &mut ErrorModel, from: &ErrorModel, is_same_model: bool) -> Vec<SourceId> {
    let mut known = if is_same_model { to.groups.iter().map(Some).collect() } else { Vec::new() };
    let same_groups: Vec<_> = from.groups.iter().map(|group| take(&mut known, group)).collect();
    let groups: Vec<ErrorGroupId> = same_groups
        .into_iter()
        .zip(&from.groups)
        .map(|(same, group)| same.map_or_else(|| to.add_group(group.clone()), ErrorGroupId))
        .collect();
    let renumbered = from.meters.iter().map(|meter| Meter {
        group: meter.group.and_then(|it| groups.get(usize::from(it.0)).copied()),
        ..meter.clone()
    });
    let renumbered: Vec<Meter> = renumbered.collect();
    let mut known = if is_same_model { to.meters.iter().map(Some).collect() } else { Vec::new() };
    let same_meters: Vec<_> = renumbered.iter().map(|meter| take(&mut known, meter)).collect();
    let meters: Vec<MeterId> = same_meters
        .into_iter()
        .zip(renumbered)
        .map(|(same, meter)| same.map_or_else(|| to.add_meter(meter), MeterId))
        .collect();
    // By name: models have thousands of numbers.
    let mut names: FxHashMap<String, Vec<u16>> = FxHashMap::default();
    for (id, source) in (0..=u16::MAX).zip(&to.sources).filter(|_| is_same_model) {
        names.entry(source.name.clone()).or_default().push(id);
    }
    from.sources
        .iter()
        .map(|source| {
            let mut source = source.clone();
            let group = groups.get(usize::from(source.group.0)).copied();
            source.group = group.unwrap_or(ErrorGroupId(u16::MAX));
            source.meter = source.meter.and_then(|m| meters.get(usize::from(m.0)).copied());
            let same = names.get_mut(&source.name).and_then(|ids| {
                let at = ids.iter().position(|id| to.sources[usize::from(*id)] == source)?;
                // One number of this model stands for one of that one.
                Some(ids.remove(at))
            });
            same.map_or_else(|| to.add_source(source), SourceId)
        })
        .collect()
}

/// The place of an equal entry that nobody has taken yet.
fn take<T: PartialEq>(known: &mut [Option<&T>], wanted: &T) -> Option<u16> {
    let at = known.iter().position(|entry| *entry == Some(wanted))?;
    known[at] = None;
    u16::try_from(at).ok()
}

/// Adds up the weights of each source; whether none of them goes against the others.
fn is_one_way(weights: &mut Vec<(SourceId, f64)>) -> bool {
    merge(weights);
    let size: f64 = weights.iter().map(|(_, weight)| weight.abs()).sum();
    let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
    // Not more than rounding goes against them.
    (size - sum.abs()) <= size * 1e-12
}

/// One weight a source, ascending.
fn merge(weights: &mut Vec<(SourceId, f64)>) {
    weights.sort_by_key(|(id, _)| *id);
    weights.dedup_by(|later, earlier| {
        let is_same = later.0 == earlier.0;
        if is_same {
            earlier.1 += later.1;
        }
        is_same
    });
}

fn mirrored(interval: Interval) -> Interval {
    Interval { low: Joules::ZERO - interval.high, high: Joules::ZERO - interval.low }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{ErrorGroup, ErrorSource};

    /// Two sources of one group, the second of a second group; the last two are one meter's.
    fn model() -> ErrorModel {
        let source = |name: &str, group, own, meter| ErrorSource {
            name: name.to_owned(),
            group: ErrorGroupId(group),
            own,
            meter,
            provenance: Provenance::Modelled,
        };
        let group =
            |name: &str, shared| ErrorGroup { name: name.to_owned(), shared, freedom: None };
        ErrorModel {
            sources: vec![
                source("little", 0, 0.02, None),
                source("big", 0, 0.01, None),
                source("panel", 1, 0.0, Some(MeterId(0))),
                source("backlight", 1, 0.03, Some(MeterId(0))),
            ],
            groups: vec![group("cpu", 0.1), group("display", 0.05)],
            meters: vec![Meter { name: "rail".into(), error: 0.01, group: None }],
        }
    }

    fn energies(values: &[f64]) -> Vec<(SourceId, Joules)> {
        let of = (0..).map(SourceId).zip(values.iter().map(|v| Joules::new(*v)));
        of.filter(|(_, joules)| *joules != Joules::ZERO).collect()
    }

    fn basis(before: &[f64], after: &[f64], is_same_model: bool) -> ErrorBasis {
        let totals = [before, after].map(|of| energies(of).into_iter().collect::<SourceTotals>());
        let model = model();
        ErrorBasis::new([(&model, &totals[0]), (&model, &totals[1])], is_same_model)
    }

    fn of(basis: &ErrorBasis, run: ComparedRun, values: &[f64]) -> Vec<(SourceId, Joules)> {
        let of = |(id, joules)| (basis.id(run, id).expect("a source"), joules);
        energies(values).into_iter().map(of).collect()
    }

    /// The deviation of the difference of two whole runs, where the interval reaches equally far.
    #[track_caller]
    fn check(before: &[f64], after: &[f64], is_same_model: bool, deviation: f64) {
        let basis = basis(before, after, is_same_model);
        let found = basis.difference(
            &of(&basis, ComparedRun::Before, before),
            &of(&basis, ComparedRun::After, after),
        );
        let joules = after.iter().sum::<f64>() - before.iter().sum::<f64>();
        assert!((found.joules.value() - joules).abs() < 1e-12);
        let reach = found.interval.half_width().value() / student::NORMAL;
        assert!((reach - deviation).abs() < 1e-9, "{reach}, expected {deviation}");
    }

    #[test]
    fn of_numbers_in_both_runs_only_the_difference_is_unsure() {
        // 3 less and 2 more: √((0.1·(2−3))² + (0.02·3)² + (0.01·2)²), by hand.
        check(&[5.0, 1.0], &[2.0, 3.0], true, (0.01_f64 + 0.0036 + 0.0004).sqrt());
        // As two models: √((0.1·6)² + (0.02·5)² + (0.01·1)² + (0.1·5)² + (0.02·2)² + (0.01·3)²)
        let alone = 0.36_f64 + 0.01 + 0.0001 + 0.25 + 0.0016 + 0.0009;
        check(&[5.0, 1.0], &[2.0, 3.0], false, alone.sqrt());
    }

    #[test]
    fn a_meter_reads_both_runs_wrong_in_the_same_way() {
        // All that the meter measured: no share to be wrong about. 8 J, then 10 J: 1 % of 2 J; two meters: √(0.08² + 0.1²).
        check(&[0.0, 0.0, 3.0, 5.0], &[0.0, 0.0, 4.0, 6.0], true, 0.02);
        check(&[0.0, 0.0, 3.0, 5.0], &[0.0, 0.0, 4.0, 6.0], false, 0.0164_f64.sqrt());
    }

    #[test]
    fn common_errors_never_turn_a_difference_round() {
        let (before, after) = ([1.0, 0.0], [10.0, 0.0]);
        let basis = basis(&before, &after, true);
        let [a, b] = [(ComparedRun::Before, before), (ComparedRun::After, after)]
            .map(|(run, values)| of(&basis, run, &values));
        let more = basis.difference(&a, &b);
        // 9 J of one source: exp(±1.645·√(0.1² + 0.02²)).
        let factor = (student::NORMAL * 0.0104_f64.sqrt()).exp();
        assert!((more.interval.low.value() - 9.0 / factor).abs() < 1e-9, "{more:?}");
        let less = basis.difference(&b, &a);
        assert_eq!(less.interval, mirrored(more.interval));
    }

    proptest! {
        #[test]
        fn estimates_are_those_of_the_model(
            figure in prop::collection::vec(0.0..10.0_f64, 4),
            others in prop::collection::vec(0.0..10.0_f64, 4),
            other_run in prop::collection::vec(0.0..10.0_f64, 4),
            is_same in any::<bool>(),
        ) {
            let total: Vec<f64> = figure.iter().zip(&others).map(|(a, b)| a + b).collect();
            let basis = basis(&other_run, &total, is_same);
            let found = basis.estimate(ComparedRun::After, &of(&basis, ComparedRun::After, &figure));
            let totals = energies(&total).into_iter().collect();
            let expected = model().estimate(energies(&figure), &totals);
            let near = |a: Joules, b: Joules| (a - b).value().abs() <= 1e-9;
            prop_assert!(near(found.joules, expected.joules));
            prop_assert!(near(found.interval.low, expected.interval.low), "{found:?} {expected:?}");
            prop_assert!(near(found.interval.high, expected.interval.high));
            prop_assert_eq!(found.provenance, expected.provenance);
        }

        #[test]
        fn swapped_runs_negate_and_a_run_differs_from_itself_by_nothing(
            before in prop::collection::vec(0.0..10.0_f64, 4),
            after in prop::collection::vec(0.0..10.0_f64, 4),
        ) {
            let there = basis(&before, &after, true);
            let back = basis(&after, &before, true);
            let [a, b] = [(ComparedRun::Before, &before), (ComparedRun::After, &after)]
                .map(|(run, values)| of(&there, run, values));
            let (more, less) = (there.difference(&a, &b), back.difference(&b, &a));
            prop_assert!((more.joules + less.joules).value().abs() < 1e-12);
            let sum = more.interval.low + less.interval.high;
            prop_assert!(sum.value().abs() < 1e-9, "{more:?} {less:?}");
            prop_assert!(more.interval.contains(more.joules));
            let same = basis(&before, &before, true);
            let nothing = same.difference(&a, &a);
            prop_assert_eq!(nothing.joules, Joules::ZERO);
            prop_assert_eq!(nothing.interval, Interval::exact(Joules::ZERO));
        }
    }
}
