//! Figures of methods over runs.

use rustc_hash::FxHashMap;
use wattle_compare::{
    Build, Change, CommonError, Dependence, MeanEnergy, Run, RunComparison, Threshold, adjusted,
};
use wattle_store::MethodFigure;
use wattle_units::{Estimate, Interval, Joules, Provenance};

use super::{MethodChange, MethodChanges, MethodRecord};

/// The distance of the ends of a 90 % interval of a normal distribution from its middle, in standard deviations.
const HALF_OF_90: f64 = 1.644_853_626_951_472_2;

/// The changes of methods that matter.
const THRESHOLD: Threshold = Threshold { share: 0.01, joules: Joules::ZERO };

/// Figures of methods over the runs of a group and of its baseline.
#[derive(Debug, Default)]
pub(super) struct GroupSums {
    names: FxHashMap<String, u32>,
    methods: Vec<MethodSums>,
    /// Own energies and totals by run, and by method in it.
    current: Vec<Vec<[f64; 2]>>,
    before: Vec<Vec<[f64; 2]>>,
}

#[derive(Clone, Debug, Default)]
struct MethodSums {
    calls: f64,
    runs: u32,
    /// Half intervals as parts of energies, by own and total.
    shares: [Share; 2],
    /// The same over the runs of both builds: the error of a difference does not depend on which build is called the first.
    common: [Share; 2],
}

/// Halves of the model's intervals as parts of energies, on average.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    below: f64,
    above: f64,
    joules: f64,
    provenance: Option<Provenance>,
}

impl Share {
    fn add(&mut self, energy: &Estimate) {
        self.below += (energy.joules - energy.interval.low).value().max(0.0);
        self.above += (energy.interval.high - energy.joules).value().max(0.0);
        self.joules += energy.joules.value();
        let provenance = energy.provenance;
        self.provenance = Some(self.provenance.map_or(provenance, |it| it.weakest(provenance)));
    }

    /// The error of a model as a part of the energy, one standard deviation.
    fn common(&self) -> CommonError {
        let half = f64::midpoint(self.below, self.above);
        let share = if self.joules > 0.0 { half / self.joules / HALF_OF_90 } else { 0.0 };
        CommonError::Proportional(share)
    }
}

impl GroupSums {
    /// Adds a run of the group.
    pub fn add(&mut self, figures: Vec<MethodFigure>) {
        let mut column = Vec::with_capacity(figures.len());
        for figure in figures {
            let at = self.number(figure.name, &mut column);
            let method = &mut self.methods[at];
            method.calls += figure.calls as f64;
            method.runs += 1;
            for shares in [&mut method.shares, &mut method.common] {
                shares[0].add(&figure.own);
                shares[1].add(&figure.total);
            }
            column[at] = [figure.own.joules.value(), figure.total.joules.value()];
        }
        self.current.push(column);
    }

    /// Adds a run of the baseline.
    pub fn add_before(&mut self, figures: Vec<MethodFigure>) {
        let mut column = Vec::with_capacity(figures.len());
        for figure in figures {
            let at = self.number(figure.name, &mut column);
            let common = &mut self.methods[at].common;
            common[0].add(&figure.own);
            common[1].add(&figure.total);
            column[at] = [figure.own.joules.value(), figure.total.joules.value()];
        }
        self.before.push(column);
    }

    fn number(&mut self, name: String, column: &mut Vec<[f64; 2]>) -> usize {
        let next = self.methods.len();
        let at = *self.names.entry(name).or_insert(next as u32) as usize;
        if at == next {
            self.methods.push(MethodSums::default());
        }
        if column.len() <= at {
            column.resize(at + 1, [0.0; 2]);
        }
        at
    }

    /// Whether one run is compared with one: their ledgers say what the difference of two such figures is worth, figures alone do not.
    pub fn is_single_pair(&self) -> bool {
        self.current.len() == 1 && self.before.len() == 1
    }

    /// The methods that occurred in the group, in order of names. The changes of a single pair come from a comparison of its ledgers.
    pub fn finish(mut self, of_pair: &MethodChanges) -> Vec<MethodRecord> {
        let mut names: Vec<(String, u32)> = std::mem::take(&mut self.names).into_iter().collect();
        names.retain(|(_, at)| self.methods[*at as usize].runs > 0);
        names.sort();
        let is_single_pair = self.is_single_pair();
        let mut changes: Vec<Option<[Change; 2]>> =
            names.iter().map(|(_, at)| self.changes(*at as usize)).collect();
        for kind in 0..2 {
            let known: Vec<f64> = changes.iter().flatten().map(|it| it[kind].p_value).collect();
            let values = adjusted(&known, Dependence::Positive);
            for (change, value) in changes.iter_mut().flatten().zip(values) {
                change[kind] = change[kind].with_p_value(value);
            }
        }
        let record = |((name, at), change): ((String, u32), Option<[Change; 2]>)| {
            let at = at as usize;
            let changes = match change {
                _ if is_single_pair => of_pair.get(&name).copied(),
                change => change.map(|both| both.map(|it| MethodChange::from(&it))),
            };
            let method = &self.methods[at];
            Some(MethodRecord {
                name,
                calls: method.calls / self.current.len() as f64,
                runs: method.runs,
                own: self.mean(at, 0)?,
                total: self.mean(at, 1)?,
                changes,
            })
        };
        names.into_iter().zip(changes).filter_map(record).collect()
    }

    fn values(runs: &[Vec<[f64; 2]>], at: usize, kind: usize) -> impl Iterator<Item = Joules> {
        // A run without the method has it for nothing.
        runs.iter().map(move |run| Joules::new(run.get(at).map_or(0.0, |both| both[kind])))
    }

    /// The mean of runs, with the model's error, which all runs share, and that of the mean by the scatter between runs.
    fn mean(&self, at: usize, kind: usize) -> Option<Estimate> {
        let share = &self.methods[at].shares[kind];
        let values: Vec<Joules> = Self::values(&self.current, at, kind).collect();
        let mean = MeanEnergy::new(&values)?;
        let runs = values.len() as f64;
        // The lower end may be cut off at 0.
        let scatter = mean.interval.map_or(0.0, |it| (it.high - mean.joules).value());
        let reach = |model: f64| Joules::new(scatter.hypot(model / runs));
        let low = mean.joules - reach(share.below);
        Some(Estimate {
            joules: mean.joules,
            interval: Interval {
                low: low.max(Joules::ZERO.min(mean.joules)),
                high: mean.joules + reach(share.above),
            },
            provenance: share.provenance?,
        })
    }

    fn changes(&self, at: usize) -> Option<[Change; 2]> {
        if self.before.is_empty() || self.is_single_pair() {
            return None;
        }
        let change = |kind: usize| {
            let runs = |build, runs: &[Vec<[f64; 2]>], first: usize| -> Vec<Run> {
                Self::values(runs, at, kind)
                    .enumerate()
                    .map(|(number, joules)| Run {
                        build,
                        number: (first + number) as u32,
                        joules,
                        own_error: Joules::ZERO,
                    })
                    .collect()
            };
            let mut all = runs(Build::Before, &self.before, 0);
            all.extend(runs(Build::After, &self.current, self.before.len()));
            let common = self.methods[at].common[kind].common();
            RunComparison::new(&all, common, &THRESHOLD).map(|it| it.change)
        };
        Some([change(0)?, change(1)?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(name: &str, joules: f64) -> MethodFigure {
        let energy = |joules: f64| Estimate {
            joules: Joules::new(joules),
            interval: Interval { low: Joules::new(joules * 0.9), high: Joules::new(joules * 1.2) },
            provenance: Provenance::Modelled,
        };
        MethodFigure {
            name: name.to_owned(),
            calls: 4,
            own: energy(joules),
            total: energy(joules * 2.0),
        }
    }

    #[test]
    fn figures_are_means_of_runs() {
        let mut sums = GroupSums::default();
        sums.add(vec![figure("a", 1.0), figure("b", 2.0)]);
        sums.add(vec![figure("a", 3.0)]);
        let records = sums.finish(&MethodChanges::new());
        let [a, b] = records.as_slice() else { panic!("{records:?}") };
        assert_eq!((a.name.as_str(), a.runs, a.calls), ("a", 2, 4.0));
        assert_eq!((a.own.joules.value(), a.total.joules.value()), (2.0, 4.0));
        // Half of the mean's interval by scatter is t(0.95, 1) × √2 / √2 = 6.314, and more than the mean.
        assert_eq!(a.own.interval.low.value(), 0.0);
        assert!(
            (a.own.interval.high.value() - (2.0 + 6.313_75_f64.hypot(0.4))).abs() < 1e-4,
            "{a:?}"
        );
        // A run without the method has it for nothing.
        assert_eq!((b.own.joules.value(), b.runs, b.calls), (1.0, 1, 2.0));
        assert_eq!(a.changes, None);
    }

    #[test]
    fn one_run_has_the_interval_of_the_model() {
        let mut sums = GroupSums::default();
        sums.add(vec![figure("a", 1.0)]);
        let records = sums.finish(&MethodChanges::new());
        let interval = records[0].own.interval;
        assert!(
            (interval.low.value() - 0.9).abs() < 1e-12
                && (interval.high.value() - 1.2).abs() < 1e-12
        );
    }

    #[test]
    fn changes_are_certain_where_runs_are() {
        let mut sums = GroupSums::default();
        for joules in [1.0, 1.01, 0.99, 1.0, 1.005] {
            sums.add_before(vec![figure("a", joules), figure("gone", 1.0)]);
            sums.add(vec![figure("a", joules * 1.5), figure("new", joules)]);
        }
        let records = sums.finish(&MethodChanges::new());
        let verdicts: Vec<_> = records
            .iter()
            .map(|it| (it.name.as_str(), it.changes.expect("a baseline")[0].verdict))
            .collect();
        assert_eq!(verdicts, [("a", Some(1)), ("new", Some(1))]);
    }

    #[test]
    fn changes_are_the_same_the_other_way_round() {
        let wide = |joules: f64, half: f64| MethodFigure {
            own: Estimate {
                interval: Interval {
                    low: Joules::new(joules - half),
                    high: Joules::new(joules + half),
                },
                ..figure("a", joules).own
            },
            ..figure("a", joules)
        };
        let sums = |is_swapped: bool| {
            let mut sums = GroupSums::default();
            for joules in [1.0, 1.01, 0.99, 1.0] {
                let mut sides = [wide(joules, 0.1), wide(joules * 1.5, 0.6)];
                if is_swapped {
                    sides.reverse();
                }
                let [before, after] = sides;
                sums.add_before(vec![before]);
                sums.add(vec![after]);
            }
            sums.finish(&MethodChanges::new())[0].changes.expect("a baseline")[0]
        };
        let (there, back) = (sums(false), sums(true));
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(near(there.joules, -back.joules), "{there:?} {back:?}");
        assert!(near(there.interval[0], -back.interval[1]), "{there:?} {back:?}");
        assert!(near(there.interval[1], -back.interval[0]), "{there:?} {back:?}");
    }

    #[test]
    fn one_run_against_one_has_the_changes_of_their_ledgers() {
        let mut sums = GroupSums::default();
        sums.add_before(vec![figure("a", 1.0), figure("b", 1.0)]);
        sums.add(vec![figure("a", 1.5), figure("b", 1.5)]);
        let change = MethodChange { joules: 0.5, interval: [-0.2, 1.2], verdict: None };
        let records = sums.finish(&MethodChanges::from([("a".to_owned(), [change; 2])]));
        assert_eq!(records[0].changes, Some([change; 2]));
        assert_eq!(records[1].changes, None, "figures alone do not know");
    }
}
