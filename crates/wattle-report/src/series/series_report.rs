//! A series as a whole.

use serde::{Serialize, Serializer};
use wattle_compare::Threshold;
use wattle_table::Declared;

use super::{BuildRow, DifferenceRow, SeriesRun};
use crate::HumanUnits;

/// The form of the JSON.
pub const SERIES_SCHEMA: &str = "wattle-series/2";

/// A series: its runs, its builds, and what tells them apart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeriesReport {
    /// [`SERIES_SCHEMA`].
    pub schema: &'static str,
    /// The app whose energy is compared; `None` for the whole device.
    pub app: Option<String>,
    /// Conversion of means to human units; `None` if not stated.
    pub human_units: Option<HumanUnits>,
    /// The least difference that matters.
    #[serde(serialize_with = "threshold_keys")]
    pub threshold: Threshold,
    /// Every run, in order.
    pub runs: Vec<SeriesRun>,
    /// The builds, in order of their first run.
    pub builds: Vec<BuildRow>,
    /// Each later build against the first.
    pub differences: Vec<DifferenceRow>,
}

impl SeriesReport {
    /// A report of runs, in their order. Differences up to the threshold do not matter.
    pub fn new(runs: Vec<SeriesRun>, threshold: Threshold) -> Self {
        let mut names: Vec<Option<String>> = Vec::new();
        for run in &runs {
            if !names.contains(&run.build) {
                names.push(run.build.clone());
            }
        }
        let differences = names.split_first().map_or_else(Vec::new, |(first, later)| {
            let difference = |build| DifferenceRow::new(&runs, [first, build], &threshold);
            later.iter().filter_map(difference).collect()
        });
        let row = |name: Option<String>| {
            let of = runs.iter().filter(|run| run.build == name);
            BuildRow::new(name.clone(), of)
        };
        let builds: Vec<BuildRow> = names.into_iter().map(row).collect();
        Self {
            schema: SERIES_SCHEMA,
            app: None,
            human_units: None,
            threshold,
            runs,
            builds,
            differences,
        }
    }

    /// Of the energy of this app; without one, of the whole device.
    #[must_use]
    pub fn of_app(self, app: Option<String>) -> Self {
        Self { app: app.filter(|app| !app.is_empty()), ..self }
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

/// Writes a threshold with the keys of `wattle diff`.
fn threshold_keys<S: Serializer>(threshold: &Threshold, to: S) -> Result<S::Ok, S::Error> {
    Declared(threshold).serialize(to)
}

#[cfg(test)]
mod tests {
    use wattle_units::{Estimate, Interval, Joules, Provenance};

    use super::*;
    use crate::EnergyPart;
    use crate::series::PartDifferenceRow;
    use crate::{Figure, HumanOptions, Outlook, Verdict};

    fn run(number: u32, build: &str, outcome: &str, joules: f64) -> SeriesRun {
        let joules = Joules::new(joules);
        let estimate = Estimate {
            joules,
            interval: Interval::exact(joules),
            provenance: Provenance::Measured,
        };
        SeriesRun {
            number,
            name: None,
            build: (!build.is_empty()).then(|| build.to_owned()),
            outcome: outcome.to_owned(),
            message: None,
            duration: None,
            total: Figure(Some(estimate)),
            coverage: None,
            no_energy_reason: None,
            app: Figure::NO_DATA,
            human: None,
            components: Vec::new(),
            methods: Vec::new(),
        }
    }

    fn series(a: &[f64], b: &[f64]) -> SeriesReport {
        let energies = a.iter().map(|joules| ("A", joules)).chain(b.iter().map(|j| ("B", j)));
        let runs =
            (0..).zip(energies).map(|(at, (build, joules))| run(at, build, "passed", *joules));
        SeriesReport::new(runs.collect(), Threshold::default())
    }

    /// Interval of the difference, worked by hand with the printed tables of t.
    #[track_caller]
    fn check(a: &[f64], b: &[f64], expected: (f64, f64), verdict: Verdict) {
        let report = series(a, b);
        let difference = &report.differences[0];
        let interval = difference.change.interval().expect("an interval");
        assert!((interval.low.value() - expected.0).abs() < 2e-3, "{interval:?}");
        assert!((interval.high.value() - expected.1).abs() < 2e-3, "{interval:?}");
        assert_eq!(difference.change.verdict(), verdict);
    }

    #[test]
    fn differences_are_welchs() {
        // Worked by hand: means 3 and 6, variances of the means 0.5 and 0.5, 8 degrees of freedom, t = 1.8595.
        check(
            &[1.0, 2.0, 3.0, 4.0, 5.0],
            &[4.0, 5.0, 6.0, 7.0, 8.0],
            (1.1405, 4.8595),
            Verdict::Higher,
        );
        check(
            &[4.0, 5.0, 6.0, 7.0, 8.0],
            &[1.0, 2.0, 3.0, 4.0, 5.0],
            (-4.8595, -1.1405),
            Verdict::Lower,
        );
        check(&[1.0, 2.0, 3.0], &[1.5, 2.5, 3.5], (-1.2406, 2.2406), Verdict::Inconclusive);
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
        let report = SeriesReport::new(runs, Threshold::default());
        assert_eq!(report.builds.len(), 1);
        let build = &report.builds[0];
        assert_eq!((build.runs, build.left_out), (1, 1));
        assert_eq!(build.mean_joules, Some(Joules::new(2.0)));
        assert_eq!(build.interval_joules, None);
        assert_eq!(report.differences, []);
        let single = series(&[1.0], &[2.0]).differences[0].change;
        let found = (single.verdict(), single.outlook(), single.interval());
        assert_eq!(found, (Verdict::Inconclusive, Outlook::ScatterUnknown, None));
    }

    fn part(name: &str, joules: f64, reach: f64) -> EnergyPart {
        let [low, high] = [joules * (1.0 - reach), joules * (1.0 + reach)];
        let interval = Interval { low: Joules::new(low), high: Joules::new(high) };
        EnergyPart { name: name.to_owned(), joules: Joules::new(joules), interval }
    }

    /// Builds that take turns while the device heats up: B draws 0.5 J more in one method, through the CPU.
    #[test]
    fn turns_cancel_drift_and_parts_explain_the_difference() {
        let noise = [0.01, -0.02, 0.015, 0.0, -0.01, 0.02, -0.015, 0.01, 0.0, -0.01];
        let runs = (0..).zip(["A", "B", "B", "A", "A", "B", "B", "A", "A", "B"]).zip(noise).map(
            |((at, build), noise)| {
                let more = if build == "B" { 0.5 } else { 0.0 };
                let (cpu, display) = (4.0 + 0.3 * f64::from(at) + noise + more, 2.0 - noise / 2.0);
                let mut run = run(at, build, "passed", cpu + display);
                run.components = vec![part("cpu", cpu, 0.2), part("display", display, 0.1)];
                let methods = [part("load", 1.0 + more + noise / 4.0, 0.2), part("draw", 0.5, 0.2)];
                run.methods = EnergyPart::sorted(methods);
                run
            },
        );
        let report = SeriesReport::new(runs.collect(), Threshold::default());
        let difference = &report.differences[0];
        assert_eq!(difference.change.verdict(), Verdict::Higher, "{difference:?}");
        let joules = difference.change.change.joules.value();
        assert!((joules - 0.5).abs() < 0.05, "{joules}");
        let interval = difference.change.interval().expect("an interval");
        assert!(interval.contains(Joules::new(0.5)) && interval.half_width().value() < 0.2);
        let names: Vec<&str> = difference.methods.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["load"]);
        assert_eq!(difference.methods[0].change.verdict(), Verdict::Higher);
        let sum = |rows: &[PartDifferenceRow]| -> f64 {
            rows.iter().map(|row| row.change.change.joules.value()).sum()
        };
        assert!((sum(&difference.components) - joules).abs() < 1e-9, "{difference:?}");
        let outside = difference.outside_methods_joules.expect("methods").value();
        assert!((sum(&difference.methods) + outside - joules).abs() < 1e-9, "{difference:?}");
        let text = crate::series_terminal(&report, &crate::ReportOptions::default());
        assert!(text.contains("B is higher than A: "), "{text}");
        assert!(
            text.contains("Methods (self)") && text.contains("outside these methods"),
            "{text}"
        );
    }

    #[test]
    fn what_is_open_says_how_many_runs_would_settle_it() {
        let report = series(&[10.0, 10.4, 9.7, 10.2, 9.9], &[10.2, 10.6, 9.9, 10.5, 10.1]);
        let change = report.differences[0].change;
        assert_eq!(change.verdict(), Verdict::Inconclusive);
        let needed = change.outlook().runs_needed().expect("a number of runs");
        let text = crate::series_terminal(&report, &crate::ReportOptions::default());
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let expected = format!("about {needed} more runs of each build would settle it");
        assert!(words.contains(&expected), "{text}");
        let json = serde_json::to_value(&report).expect("JSON");
        assert_eq!(json["differences"][0]["runs_needed"], needed);
        assert_eq!(json["differences"][0]["verdict"], "inconclusive");
        assert_eq!(json["threshold"]["share"], 0.01);
    }
}
