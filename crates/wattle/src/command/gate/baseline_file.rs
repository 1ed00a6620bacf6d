//! Baselines as files, and `wattle baseline`.

use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, anyhow};
use serde::{Deserialize, Serialize};
use wattle_gate::{Energy, GateRun};
use wattle_units::Si;

use super::checked_runs;
use super::run_source::RunSource;
use crate::cli::{Baseline, BaselineVerb, ServerAccess, SetBaseline};
use crate::command::{output, whole_file};
use crate::exit::{Failure, Outcome};

/// Name and version of the file's form.
const FORMAT: &str = "wattle-baseline/1";
/// The largest file that is read and written: some hundred runs of a thousand methods. It is read piece by piece, so that a larger one
/// takes no memory.
const LARGEST: u64 = 64 << 20;
/// The most runs of a file.
const MOST_RUNS: usize = 10_000;
/// Most methods of a run that a file keeps, those with most energy first.
const MOST_METHODS: usize = 1000;

/// The file's content.
#[derive(Debug, Serialize, Deserialize)]
struct BaselineFile {
    format: String,
    runs: Vec<GateRun>,
}

/// Runs `wattle baseline`.
pub fn baseline(flags: &Baseline) -> Outcome {
    match &flags.verb {
        BaselineVerb::Set(set) => write(set),
        BaselineVerb::Show { file } => show(file),
    }
}

/// The runs of a file.
pub(super) fn read(path: &Path) -> Result<Vec<GateRun>, Failure> {
    let name = || format!("baseline {}", path.display());
    let size = std::fs::metadata(path).with_context(name).map_err(Failure::Input)?.len();
    if size > LARGEST {
        let text = format!("{}: expected at most {LARGEST} bytes, found {size}", name());
        return Err(Failure::Input(anyhow!(text)));
    }
    let opened = std::fs::File::open(path).with_context(name).map_err(Failure::Input)?;
    let pieces = std::io::BufReader::new(opened.take(LARGEST));
    let file: BaselineFile =
        serde_json::from_reader(pieces).with_context(name).map_err(Failure::Input)?;
    if file.format != FORMAT {
        let text = format!("{}: expected the form {FORMAT}, found {:?}", name(), file.format);
        return Err(Failure::Input(anyhow!(text)));
    }
    if file.runs.is_empty() || file.runs.len() > MOST_RUNS {
        let text = format!("{}: expected 1 to {MOST_RUNS} runs, found {}", name(), file.runs.len());
        return Err(Failure::Input(anyhow!(text)));
    }
    Ok(file.runs)
}

fn write(flags: &SetBaseline) -> Outcome {
    let mut source = RunSource::open(None, &ServerAccess::default(), &flags.place)?;
    let (first, mut runs) = checked_runs::of(&flags.runs, flags.app.as_deref(), &mut source)?;
    refuse_two_builds(&first, &runs)?;
    refuse_two_apps(&runs)?;
    for run in &mut runs {
        let mut methods: Vec<(String, Energy)> =
            std::mem::take(&mut run.methods).into_iter().collect();
        methods.sort_by(|(_, a), (_, b)| b.joules.total_cmp(&a.joules));
        methods.truncate(MOST_METHODS);
        run.methods = methods.into_iter().collect();
    }
    let file = BaselineFile { format: FORMAT.to_owned(), runs };
    let text = serde_json::to_string_pretty(&file).context("JSON").map_err(Failure::Internal)?;
    if text.len() as u64 > LARGEST || file.runs.len() > MOST_RUNS {
        return Err(Failure::Usage(anyhow!(
            "{} runs are {} bytes: a baseline has at most {MOST_RUNS} runs and {LARGEST} bytes; take fewer runs",
            file.runs.len(),
            text.len()
        )));
    }
    if output::is_stdout(Some(&flags.out)) {
        return output::print(text.as_bytes());
    }
    whole_file::write(&flags.out, text.as_bytes())?;
    output::say_written(&flags.out, flags.place.quiet);
    Ok(())
}

/// A baseline is of one build: which of two, only a person knows.
fn refuse_two_builds(first: &[GateRun], second: &[GateRun]) -> Outcome {
    let (Some(one), Some(_)) = (first.first(), second.first()) else { return Ok(()) };
    let names =
        |runs: &[GateRun]| runs.iter().map(|run| run.name.as_str()).collect::<Vec<_>>().join(" ");
    let label = one.facts.labels.build.clone().unwrap_or_else(|| "the first".to_owned());
    let other = second.iter().find_map(|run| run.facts.labels.build.clone());
    Err(Failure::Usage(anyhow!(
        "these are runs of two builds, and a baseline is of one; name the runs of {label}: {}, or of {}: {}",
        names(first),
        other.unwrap_or_else(|| "the second".to_owned()),
        names(second)
    )))
}

/// A baseline is of one app.
fn refuse_two_apps(runs: &[GateRun]) -> Outcome {
    let Some(first) = runs.first() else { return Ok(()) };
    let app = |run: &GateRun| match run.facts.app.package.as_str() {
        "" => "the whole device".to_owned(),
        app => app.to_owned(),
    };
    match runs.iter().find(|run| app(run) != app(first)) {
        Some(other) => Err(Failure::Usage(anyhow!(
            "a baseline is of one app: {} is of {}, and {} of {}",
            first.name,
            app(first),
            other.name,
            app(other)
        ))),
        None => Ok(()),
    }
}

fn show(path: &Path) -> Outcome {
    let runs = read(path)?;
    let mut text = match runs.len() {
        1 => "baseline of 1 run\n".to_owned(),
        count => format!("baseline of {count} runs\n"),
    };
    for run in &runs {
        let energy = run.app.or(run.total);
        let energy = energy.map_or_else(
            || "no energy".to_owned(),
            |it| Si { value: it.joules, unit: "J" }.to_string(),
        );
        let commit = run.facts.code.commit.as_deref().map_or("", |it| it.get(..9).unwrap_or(it));
        let scenario = run.facts.circumstances.scenario.as_deref().unwrap_or_default();
        let line = [&run.name, &energy, &run.facts.app.package, commit, scenario].join("  ");
        text.push_str(&wattle_report::clean(&line));
        text.push('\n');
    }
    output::print(text.as_bytes())
}
