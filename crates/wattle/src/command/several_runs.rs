//! `wattle diff` of several runs of each build: what tells the builds apart, and not only two of their runs.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use wattle_ledger::Ledger;
use wattle_recording::Iteration;
use wattle_report::{Report, SeriesReport, SeriesRun, self_energies};
use wattle_store::RunLabels;

use super::analysis::{self, AnalysisPlan};
use super::device::write_series;
use super::run_ledger::RUN_LEDGER;
use super::{asked_names, input_names, judgement, kept_runs, output, series_row};
use crate::cli::{Diff, DiffPer, Merge, Output, StoreChoice};
use crate::exit::{Failure, Outcome};

/// The most runs of a comparison.
const MOST_RUNS: usize = 2000;

/// Whether several runs are compared: they are named, or a folder has several.
pub fn are_meant(diff: &Diff) -> bool {
    !diff.before_runs.is_empty() || diff.inputs().into_iter().any(|path| is_series(path))
}

/// Compares the runs of both builds.
pub fn compare(diff: &Diff, plan: &AnalysisPlan) -> Outcome {
    refuse_flags(diff)?;
    let [before, after] = sides(diff)?;
    let all: Vec<&NamedRun> = before.runs.iter().chain(&after.runs).collect();
    if all.len() > MOST_RUNS {
        let text = format!("expected at most {MOST_RUNS} runs, found {}", all.len());
        return Err(Failure::Usage(anyhow!(text)));
    }
    refuse_twice(&all)?;
    let series = |run: &NamedRun| run.place.as_ref().map(|(series, _)| series.clone());
    let takes_turns = all
        .first()
        .and_then(|run| series(run))
        .is_some_and(|first| all.iter().all(|run| series(run).as_ref() == Some(&first)));
    let names = if before.name == after.name {
        ["before", "after"].map(str::to_owned)
    } else {
        [before.name.clone(), after.name.clone()]
    };
    let mut rows: Vec<SeriesRun> = Vec::new();
    let mut errors = Vec::new();
    let mut first: Option<(String, Ledger)> = None;
    for (side, name) in [(&before, &names[0]), (&after, &names[1])] {
        for run in &side.runs {
            let ledger = run.ledger(plan, diff.output.quiet)?;
            if let Some((first_name, first)) = &first {
                refuse_incomparable(diff, (first_name, first), (run, &ledger))?;
            }
            asked_names::check_apps(&diff.app, &ledger)?;
            let at = u32::try_from(rows.len()).unwrap_or(u32::MAX);
            // Numbers say who came when, where all are of one series.
            let number =
                run.place.as_ref().filter(|_| takes_turns).map_or(at, |(_, number)| *number);
            let label = input_names::shown(&run.path);
            rows.push(SeriesRun { name: Some(label), ..row(diff, name, number, &ledger)? });
            let of_run = |error| format!("{}: {error}", input_names::shown(&run.path));
            errors.extend(ledger.quality.errors().into_iter().map(of_run));
            first.get_or_insert_with(|| (input_names::shown(&run.path), ledger));
        }
    }
    let app = first.as_ref().and_then(|(_, ledger)| compared_app(diff, ledger));
    let series = SeriesReport::new(rows, diff.threshold).of_app(app);
    if series.differences.is_empty() {
        let text = "no component has a known energy in both builds";
        return Err(Failure::Refused(anyhow!(text)));
    }
    let to =
        Output { json: diff.output.json.clone(), quiet: diff.output.quiet, ..Output::default() };
    write_series(&series, &to)?;
    judgement::judge(diff.strictness, &errors)
}

/// Runs of one build.
struct Side {
    name: String,
    runs: Vec<NamedRun>,
}

/// A run, with its place in a series.
struct NamedRun {
    path: PathBuf,
    place: Option<(String, u32)>,
}

impl NamedRun {
    fn ledger(&self, plan: &AnalysisPlan, quiet: bool) -> Result<Ledger, Failure> {
        let saved = self.path.join(RUN_LEDGER);
        let has_choice = plan.modelling.asked().is_some() || plan.symbols.asked().is_some();
        if saved.is_file() && !has_choice {
            return kept_runs::load(&saved, &plan.store);
        }
        analysis::ledger_of(std::slice::from_ref(&self.path), plan, quiet)
    }
}

/// The runs of both sides: of a series' folder those that count.
fn sides(diff: &Diff) -> Result<[Side; 2], Failure> {
    let side = |name: &str, named: &[PathBuf]| -> Result<Side, Failure> {
        let mut runs = Vec::new();
        for path in named {
            if is_series(path) {
                runs.extend(of_series(path)?);
            } else {
                runs.push(NamedRun { path: path.clone(), place: place(path, &diff.store)? });
            }
        }
        Ok(Side { name: name.to_owned(), runs })
    };
    if !diff.before_runs.is_empty() {
        return Ok([side("before", &diff.before_runs)?, side("after", &diff.after_runs)?]);
    }
    let of_positional = |path: &Option<PathBuf>| {
        let path = path.clone().unwrap_or_default();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        side(&name.unwrap_or_default(), &[path])
    };
    Ok([of_positional(&diff.before)?, of_positional(&diff.after)?])
}

fn is_series(path: &Path) -> bool {
    path.is_dir()
        && wattle_recording::load(path).is_ok_and(|recording| recording.iterations.len() > 1)
}

/// The runs of a series that count. Those of two builds are no side of a comparison.
fn of_series(path: &Path) -> Result<Vec<NamedRun>, Failure> {
    let recording = wattle_recording::load(path).map_err(|error| Failure::Input(error.into()))?;
    let counting: Vec<&Iteration> =
        recording.iterations.iter().filter(|run| run.counts()).collect();
    let Some(first) = counting.first() else {
        return Err(Failure::Input(anyhow!("{}: no run of the series passed", path.display())));
    };
    if counting.iter().any(|run| run.app != first.app) {
        return Err(Failure::Usage(anyhow!(
            "{}: a series of two builds, which `wattle report {}` compares; for other pairs name its runs: --before {}/0 … --after …",
            path.display(),
            path.display(),
            path.display()
        )));
    }
    let run = |run: &Iteration| NamedRun {
        path: path.join(run.number.to_string()),
        // Other folders are other sessions: nothing is known of their order.
        place: Some((series_key(path), run.number)),
    };
    Ok(counting.into_iter().map(run).collect())
}

/// The series of a run and its number there: of a kept run as it was kept, of a folder by the series that it is in.
fn place(path: &Path, store: &StoreChoice) -> Result<Option<(String, u32)>, Failure> {
    if kept_runs::is_run_name(path) {
        let RunLabels { series, iteration, .. } = kept_runs::labels(path, store)?;
        return Ok(series.zip(iteration));
    }
    let number = path.file_name().and_then(|name| name.to_str()?.parse::<u32>().ok());
    let series = path.parent().filter(|folder| is_series(folder));
    Ok(series.map(series_key).zip(number))
}

fn series_key(folder: &Path) -> String {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned()).display().to_string()
}

/// One run would be two, and no scatter between them.
fn refuse_twice(runs: &[&NamedRun]) -> Outcome {
    let key = |run: &NamedRun| run.path.canonicalize().unwrap_or_else(|_| run.path.clone());
    let mut keys: Vec<PathBuf> = runs.iter().map(|run| key(run)).collect();
    keys.sort();
    match keys.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Failure::Usage(anyhow!("{}: named twice", pair[0].display()))),
        None => Ok(()),
    }
}

fn refuse_incomparable(
    diff: &Diff,
    (first_name, first): (&str, &Ledger),
    (run, ledger): (&NamedRun, &Ledger),
) -> Outcome {
    let refusals = wattle_report::refusals([first, ledger]);
    let app = |ledger: &Ledger| {
        compared_app(diff, ledger).unwrap_or_else(|| "the whole device".to_owned())
    };
    if app(first) != app(ledger) && !diff.anyway {
        return Err(Failure::Refused(anyhow!(
            "{first_name} is of {}, and {} of {}: name an app that both have by --app (--anyway shows the difference)",
            app(first),
            run.path.display(),
            app(ledger)
        )));
    }
    match refusals.first() {
        Some(objection) if !diff.anyway => Err(Failure::Refused(anyhow!(
            "{first_name} and {} are not comparable: {} (--anyway shows the difference)",
            run.path.display(),
            objection.text
        ))),
        _ => Ok(()),
    }
}

/// Refuses flags of two runs for many.
fn refuse_flags(diff: &Diff) -> Outcome {
    match flag_of_two_runs(diff) {
        Some(flag) => Err(Failure::Usage(anyhow!(
            "{flag} is for one run of each build; choose one, such as FOLDER/0"
        ))),
        None if diff.app.len() > 1 => {
            Err(Failure::Usage(anyhow!("--app: expected one app for several runs")))
        }
        None => Ok(()),
    }
}

/// The first flag that is for two runs alone.
fn flag_of_two_runs(diff: &Diff) -> Option<&'static str> {
    let flags = [
        (diff.output.html.is_some() || diff.output.open, "--html"),
        (diff.output.folded.is_some(), "--folded"),
        (diff.per == DiffPer::Second, "--per second"),
        (diff.per_call.is_some(), "--per-call"),
        (diff.merge == Merge::Process, "--merge process"),
        (diff.full || diff.output.top.is_some(), "--full"),
        (!diff.also_before.is_empty() || !diff.also_after.is_empty(), "--also-before"),
    ];
    flags.into_iter().find(|(is_given, _)| *is_given).map(|(_, flag)| flag)
}

/// The app whose energy is compared: the one that was named, else the one that the recording is of; `None` for the device.
fn compared_app(diff: &Diff, ledger: &Ledger) -> Option<String> {
    diff.app.first().or_else(|| ledger.recording.apps.first()).cloned()
}

fn row(diff: &Diff, build: &str, number: u32, ledger: &Ledger) -> Result<SeriesRun, Failure> {
    let apps: Vec<String> = compared_app(diff, ledger).into_iter().collect();
    let report = Report::new(ledger, &output::options(&apps, &Output::default())?);
    let methods = apps.first().map(|app| self_energies(ledger, app)).unwrap_or_default();
    let build = Some(build.to_owned());
    Ok(SeriesRun { build, methods, ..series_row::of_report(number, Some(&report)) })
}
