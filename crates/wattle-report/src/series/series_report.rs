//! A series as a whole.

use serde::Serialize;

use super::{BuildRow, DifferenceRow, SeriesRun};
use crate::HumanUnits;

/// The form of the JSON.
pub const SERIES_SCHEMA: &str = "wattle-series/1";

/// A series: its runs, its builds, and what tells them apart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeriesReport {
    /// [`SERIES_SCHEMA`].
    pub schema: &'static str,
    /// Conversion of means to human units; `None` if not stated.
    pub human_units: Option<HumanUnits>,
    /// Every run, in order.
    pub runs: Vec<SeriesRun>,
    /// The builds, in order of their first run.
    pub builds: Vec<BuildRow>,
    /// Each later build against the first.
    pub differences: Vec<DifferenceRow>,
}

impl SeriesReport {
    /// Of runs.
    pub fn new(runs: Vec<SeriesRun>) -> Self {
        let mut names: Vec<Option<String>> = Vec::new();
        for run in &runs {
            if !names.contains(&run.build) {
                names.push(run.build.clone());
            }
        }
        let row = |name: Option<String>| {
            let of = runs.iter().filter(|run| run.build == name);
            BuildRow::new(name.clone(), of)
        };
        let builds: Vec<BuildRow> = names.into_iter().map(row).collect();
        let differences = builds.split_first().map_or_else(Vec::new, |(first, later)| {
            later.iter().filter_map(|build| DifferenceRow::new(first, build)).collect()
        });
        Self { schema: SERIES_SCHEMA, human_units: None, runs, builds, differences }
    }

    /// With the means in human units, too. Runs bring their own: each has a battery voltage of its own.
    #[must_use]
    pub fn with_human_units(mut self, units: Option<HumanUnits>) -> Self {
        if let Some(units) = &units {
            self.builds.iter_mut().for_each(|build| build.convert(units));
        }
        self.human_units = units;
        self
    }
}

#[cfg(test)]
mod tests {
    use wattle_units::{Estimate, Interval, Joules, Provenance};

    use super::*;
    use crate::{Figure, HumanOptions, Verdict};

    fn run(number: u32, build: &str, outcome: &str, joules: f64) -> SeriesRun {
        let joules = Joules::new(joules);
        let estimate = Estimate {
            joules,
            interval: Interval::exact(joules),
            provenance: Provenance::Measured,
        };
        SeriesRun {
            number,
            build: (!build.is_empty()).then(|| build.to_owned()),
            outcome: outcome.to_owned(),
            message: None,
            duration: None,
            total: Figure(Some(estimate)),
            coverage: None,
            no_energy_reason: None,
            app: Figure::NO_DATA,
            human: None,
        }
    }

    fn series(a: &[f64], b: &[f64]) -> SeriesReport {
        let of = |build: &'static str, joules: &[f64]| -> Vec<SeriesRun> {
            joules.iter().map(|joules| run(0, build, "passed", *joules)).collect()
        };
        SeriesReport::new([of("A", a), of("B", b)].concat())
    }

    /// Interval of the difference, worked by hand with the printed tables of t.
    #[track_caller]
    fn check(a: &[f64], b: &[f64], expected: (f64, f64), verdict: Verdict) {
        let report = series(a, b);
        let difference = &report.differences[0];
        let interval = difference.interval_joules.expect("an interval");
        assert!((interval.low.value() - expected.0).abs() < 2e-3, "{interval:?}");
        assert!((interval.high.value() - expected.1).abs() < 2e-3, "{interval:?}");
        assert_eq!(difference.verdict, verdict);
    }

    #[test]
    fn differences_are_welchs() {
        // Worked by hand: means 3 and 6, variances of the means 0.5 and 0.5, 8 degrees of freedom, t = 1.8595.
        check(
            &[1.0, 2.0, 3.0, 4.0, 5.0],
            &[4.0, 5.0, 6.0, 7.0, 8.0],
            (1.1405, 4.8595),
            Verdict::More,
        );
        check(
            &[4.0, 5.0, 6.0, 7.0, 8.0],
            &[1.0, 2.0, 3.0, 4.0, 5.0],
            (-4.8595, -1.1405),
            Verdict::Less,
        );
        check(&[1.0, 2.0, 3.0], &[1.5, 2.5, 3.5], (-1.2406, 2.2406), Verdict::NoDifferenceSeen);
    }

    #[test]
    fn means_have_human_units() {
        let ledger = wattle_ledger::Ledger::empty(wattle_timeline::Window::default());
        let units = HumanUnits::new(&ledger, &HumanOptions::default());
        let power = units.as_ref().unwrap().reference.activities[0].power.value();
        let report = series(&[1.0, 2.0, 3.0, 4.0, 5.0], &[]).with_human_units(units);
        let human = report.builds[0].human.as_ref().unwrap();
        let seconds = human.activities[0].seconds;
        assert!((seconds.value - 3.0 / power).abs() < 1e-12, "{seconds:?}");
        // The interval of the mean: t = 2.1318 for 4 degrees of freedom, 0.7071 J each way.
        assert!(
            (seconds.high - (3.0 + 2.1318 * 0.5_f64.sqrt()) / power).abs() < 1e-3,
            "{seconds:?}"
        );
        assert!(series(&[1.0], &[]).builds[0].human.is_none(), "nobody said by what");
    }

    #[test]
    fn a_single_run_has_no_interval_and_a_failed_one_does_not_count() {
        let runs = vec![run(0, "", "passed", 2.0), run(1, "", "failed", 9.0)];
        let report = SeriesReport::new(runs);
        assert_eq!(report.builds.len(), 1);
        let build = &report.builds[0];
        assert_eq!((build.runs, build.left_out), (1, 1));
        assert_eq!(build.mean_joules, Some(Joules::new(2.0)));
        assert_eq!(build.interval_joules, None);
        assert_eq!(report.differences, []);
        assert_eq!(series(&[1.0], &[2.0]).differences[0].verdict, Verdict::TooFewRuns);
    }
}
