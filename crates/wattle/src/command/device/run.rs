//! `wattle run`: from an app to a ledger in one go.

use std::time::Instant;

use anyhow::Context as _;
use wattle_device::Progress as _;
use wattle_device::scenario::TestPackage;
use wattle_device::session::Build;
use wattle_recording::Stage;

use super::analysed::Analysed;
use super::build::{Prepared, Preparing, sdk};
use super::connection::{self, Connection};
use super::recorder::Leased;
use super::watcher::Watcher;
use super::{plan, recorder};
use crate::cli::{Mode, Prefer, Probing, Run, SourceFlags, Symbols};
use crate::command::analysis::{AnalysisPlan, LedgerParts};
use crate::command::history::Keeping;
use crate::command::{judgement, output};
use crate::config::Config;
use crate::exit::{Failure, Outcome};
use crate::interrupt;

/// The labels of two builds of an app.
const LABELS: [&str; 2] = ["A", "B"];

/// Runs `wattle run`.
pub fn run(run: &Run) -> Outcome {
    output::check(&run.output)?;
    let config = Config::find(run.modelling.config.as_deref())?;
    let analysis = AnalysisPlan {
        stretches: wattle_ledger::StretchDetail::Bounded,
        keep: LedgerParts::ALL,
        ..AnalysisPlan::new(&config, run.modelling.clone(), Symbols::default())
    };
    let output = &config.human_units(run.output.clone());
    // What is wrong with the command line is said before a device is touched.
    output::options(&[], output)?;
    let keeping = Keeping::new(&output.keeping, &config, output.quiet)?;
    let is_for_one = output.html.is_some() || output.save.is_some() || output.views.by.is_some();
    if (run.series.repeat > 1 || run.compare.is_some()) && is_for_one {
        return Err(Failure::Usage(anyhow::anyhow!(
            "--html, --save and --by apply to a single run: each run of a series has report.html and its ledger in its own folder"
        )));
    }
    check_files(run)?;
    let (sources, probing) = preferred(run, analysis.modelling.prefer);
    let shown = plan::sources(&sources)?;
    if let Some(text) = plan::shown_config(&sources, &run.scenario, None, &shown)? {
        return output::print(text.as_bytes());
    }
    let sources = shown;
    let interrupts = interrupt::handle()?;
    let cancel = &interrupts.cancel;
    let began = Instant::now();
    let connection = connection::open(&run.device, cancel)?;
    let connected = began.elapsed();
    // Before the slow part: a device that somebody else has is said at once.
    let leased = Leased::take(&connection, &run.device, cancel, run.output.quiet)?;
    if run.preparation.restore_only {
        leased.put_back_earlier(&Watcher::new(run.output.quiet))?;
        return Ok(());
    }

    let packages =
        tempfile::tempdir().context("a temporary folder").map_err(Failure::Environment)?;
    let began = Instant::now();
    let prepared = prepare(run, &probing, &connection, packages.path())?;
    let probed = began.elapsed();
    let Some(first) = prepared.first() else { return Ok(()) };
    let package = first.app.package.clone();
    let mut keeper = plan::keeper(&run.preparation, &run.series, &connection, Some(&package))?;
    keeper.files = prepared.iter().filter_map(|build| build.map.clone()).collect();
    let folder = plan::folder(run.out.as_deref(), &package);
    let builds = builds(run, &probing, &connection, packages.path(), prepared)?;
    keeper.packages = builds.iter().flat_map(|build| build.packages.concat()).collect();
    let mut session = plan::session(folder, builds, &run.series, &run.scenario, sources)?;
    let report = recorder::record(&mut session, keeper, &leased, &interrupts, run.output.quiet)?;
    drop(leased);
    drop(connection);

    let began = Instant::now();
    let analysed = Analysed {
        folder: &report.folder,
        recording: &report.recording,
        package: &package,
        plan: &analysis,
        output,
        keeping: keeping.as_ref(),
        threshold: run.threshold.unwrap_or_default(),
    };
    let errors = analysed.show()?;
    if !run.output.quiet && !run.output.is_json_on_stdout() {
        let stage = |name: &str, time: std::time::Duration| Stage {
            name: name.to_owned(),
            seconds: time.as_secs_f64(),
        };
        let more = [
            stage("connect", connected),
            stage("instrument", probed),
            stage("report", began.elapsed()),
        ];
        output::print(recorder::stages(&report.recording, &report.folder, &more).as_bytes())?;
    }
    recorder::verdict(&report)?;
    judgement::judge(run.strictness, &errors)
}

/// Refuses packages that do not exist, before a device is asked for.
fn check_files(run: &Run) -> Outcome {
    let flags = [(&run.test_apk, "--test-apk "), (&run.compare, "--compare ")];
    let of_flags = flags.into_iter().filter_map(|(path, flag)| Some((path.as_ref()?, flag)));
    let all = run.inputs.iter().map(|path| (path, "")).chain(of_flags);
    match all.into_iter().find(|(path, _)| !path.exists()) {
        Some((path, flag)) => {
            Err(Failure::Usage(anyhow::anyhow!("{flag}{}: no such file", path.display())))
        }
        None => Ok(()),
    }
}

/// The sources and probes for the priority of `--prefer`; a given flag wins.
fn preferred(run: &Run, prefer: Option<Prefer>) -> (SourceFlags, Probing) {
    let (mut sources, mut probing) = (run.sources.clone(), run.probing.clone());
    if let Some(prefer) = prefer {
        sources.poll = sources.poll.or(Some(prefer.poll()));
    }
    if prefer == Some(Prefer::Split) {
        // Only probes around calls see bytes.
        probing.mode = probing.mode.or(Some(Mode::Both));
    }
    (sources, probing)
}

/// The app, and the build that it is compared with.
fn prepare(
    run: &Run,
    probing: &Probing,
    connection: &Connection,
    folder: &std::path::Path,
) -> Result<Vec<Prepared>, Failure> {
    let watcher = Watcher::new(run.output.quiet);
    watcher.stage("instrument", None);
    let sdk = sdk(connection)?;
    let preparing = Preparing { probing, probes: !run.no_probes, sdk, folder };
    let prepared = match &run.compare {
        None => vec![preparing.app(&run.inputs, None, None)?],
        Some(other) => vec![
            preparing.app(&run.inputs, Some(LABELS[0]), Some(other))?,
            preparing.app(std::slice::from_ref(other), Some(LABELS[1]), run.inputs.first())?,
        ],
    };
    if let [first, second] = prepared.as_slice()
        && first.app.package != second.app.package
    {
        return Err(Failure::Usage(anyhow::anyhow!(
            "--compare: expected another build of {}, found {}",
            first.app.package,
            second.app.package
        )));
    }
    for note in prepared.iter().flat_map(|build| &build.notes) {
        watcher.note(note);
    }
    Ok(prepared)
}

fn builds(
    run: &Run,
    probing: &Probing,
    connection: &Connection,
    folder: &std::path::Path,
    prepared: Vec<Prepared>,
) -> Result<Vec<Build>, Failure> {
    let sdk = sdk(connection)?;
    let preparing = Preparing { probing, probes: false, sdk, folder };
    let mut builds = Vec::new();
    for build in prepared {
        let mut packages = vec![build.packages];
        let mut tests = None;
        if let Some(path) = &run.test_apk {
            tests = Some(
                TestPackage::read(path, Some(&build.app.package))
                    .map_err(super::failure::failure)?,
            );
            packages.push(preparing.tests(path, &build.key, build.app.label.as_deref())?);
        }
        let scenario = plan::scenario(&run.scenario, Some(&build.app.package), tests)?;
        builds.push(Build { app: Some(build.app), packages, scenario });
    }
    Ok(builds)
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::{Cli, Verb};

    #[track_caller]
    fn check(flags: &[&str], poll: Option<u32>, mode: Option<Mode>) {
        let words = ["wattle", "run", "a.apk"].into_iter().chain(flags.iter().copied());
        let Ok(Cli { verb: Verb::Run(run) }) = Cli::try_parse_from(words) else {
            panic!("{flags:?}")
        };
        let (sources, probing) = preferred(&run, run.modelling.prefer);
        assert_eq!((sources.poll, probing.mode), (poll, mode), "{flags:?}");
    }

    #[test]
    fn what_is_preferred_decides_what_is_collected() {
        check(&[], None, None);
        check(&["--prefer", "total"], Some(2000), None);
        check(&["--prefer", "low-overhead"], Some(3000), None);
        check(&["--prefer", "split"], Some(500), Some(Mode::Both));
        check(
            &["--prefer", "split", "--mode", "apis", "--poll", "100"],
            Some(100),
            Some(Mode::Apis),
        );
    }
}
