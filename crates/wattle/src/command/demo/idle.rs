//! `wattle demo --idle DIR`: traces of an idle machine on which something was planted, and what.

use std::fmt::Write as _;
use std::path::Path;

use wattle_sim::idle::{EtlForm, IdleMachine};

use crate::command::{output, whole_file};
use crate::exit::{Failure, Outcome};

/// The written files: a Windows event log, the same run as a Perfetto trace, and the ground truth.
const FILES: [&str; 3] = ["idle.etl", "idle.perfetto-trace", "planted.tsv"];

/// The arguments of `wattle demo --idle`.
#[derive(Debug)]
pub struct Request<'a> {
    /// Seed of the simulation.
    pub seed: u64,
    /// The folder that the files go into.
    pub folder: &'a Path,
    /// Print nothing.
    pub quiet: bool,
}

/// Runs `wattle demo --idle`.
pub fn run(request: &Request<'_>) -> Outcome {
    let folder = request.folder;
    whole_file::create_folder(folder)?;
    let run = IdleMachine::article(request.seed).run();
    let failed =
        |error| Failure::Internal(anyhow::Error::new(error).context("the simulated machine"));
    let log = run.write_etl(EtlForm::default(), Vec::new()).map_err(failed)?;
    let trace = run.write_perfetto(Vec::new()).map_err(failed)?;
    for (name, content) in FILES.into_iter().zip([&log, &trace, &run.truth_table().into_bytes()]) {
        output::write_file(&folder.join(name), content)?;
    }
    if request.quiet {
        return Ok(());
    }
    let mut text = format!(
        "A simulated Windows machine was idle for {:.0} s. Planted:\n",
        (run.end - run.start).seconds()
    );
    for planted in &run.planted {
        let period = planted.period.map_or_else(String::new, |it| format!(", every {it}"));
        // Writing to a String does not fail.
        let _ = writeln!(
            text,
            "  {} ({}), thread {}: {} from {:.3} s to {:.3} s{period}",
            run.processes.iter().find(|it| it.pid == planted.pid).map_or("", |it| it.name.as_str()),
            planted.pid,
            planted.tid,
            planted.kind.name(),
            (planted.start - run.start).seconds(),
            (planted.end - run.start).seconds(),
        );
    }
    let first = folder.join(FILES[0]);
    let _ = writeln!(
        text,
        "{} and the same run as {}; the truth is in {}.\nNext: wattle diagnose {}",
        first.display(),
        FILES[1],
        FILES[2],
        first.display()
    );
    output::print(text.as_bytes())
}
