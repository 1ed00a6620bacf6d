//! `wattle lsp`.

use std::ffi::OsString;
use std::io::{BufReader, BufWriter, Write as _};

use anyhow::{Context as _, anyhow};
use wattle_ledger::Ledger;
use wattle_lsp::digest::{
    DigestError, MethodChange, MethodChanges, ProjectChoice, write_calls, write_energies,
};
use wattle_lsp::server::{MessageStreams, ServerSetup, run_server};
use wattle_report::{DiffReport, FlameOptions, MergedNodes, Per};
use wattle_store::{RunId, Store, StoreLocation};

use crate::cli::{Lsp, LspDigest};
use crate::command::kept_runs::{failure, location, nothing_kept, open_existing};
use crate::config::Config;
use crate::exit::{Failure, Outcome};

/// Runs `wattle lsp`.
pub fn run(flags: &Lsp) -> Outcome {
    match flags.digest {
        None => serve(flags),
        Some(digest) => write_digest(flags, digest),
    }
}

/// Serves the editor that started this program.
fn serve(flags: &Lsp) -> Outcome {
    let program = std::env::current_exe().context("this program's own path");
    let program = program.map_err(Failure::Environment)?;
    let mut arguments: Vec<OsString> = Vec::new();
    let mut variables = Vec::new();
    // The server's children work in the project's folder, which only the editor knows.
    let whole = |path: &std::path::Path| {
        std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).into_os_string()
    };
    if let Some(app) = &flags.app {
        arguments.extend(["--app".into(), app.into()]);
    }
    if let Some(config) = &flags.place.config {
        arguments.extend(["--config".into(), whole(config)]);
    }
    // In the environment, where no list of processes shows a password.
    match &flags.place.store.store {
        Some(StoreLocation::Folder(folder)) => {
            variables.push(("WATTLE_STORE".to_owned(), whole(folder)));
        }
        Some(StoreLocation::Postgres(url)) => {
            variables.push(("WATTLE_STORE".to_owned(), url.into()));
        }
        None => {}
    }
    let digest = |what: &str| {
        let mut all: Vec<OsString> = ["lsp", "--digest", what].map(OsString::from).to_vec();
        all.extend(arguments.iter().cloned());
        all
    };
    let config = Config::find(flags.place.config.as_deref()).unwrap_or_default();
    let watched = match location(&flags.place.store, &config) {
        Ok(StoreLocation::Folder(folder)) => Some(StoreLocation::database_file(&folder)),
        _ => None,
    };
    let findings = flags.findings.iter().map(|path| whole(path).into()).collect();
    let setup = ServerSetup {
        program,
        energy_arguments: digest("energies"),
        call_arguments: digest("calls"),
        variables,
        watched,
        findings,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let input = BufReader::new(std::io::stdin());
    let streams = MessageStreams::connect(input, std::io::stdout());
    let (connection, direct, streams) =
        streams.context("threads for messages").map_err(Failure::Environment)?;
    let served = run_server(&connection, direct, setup);
    // The writer ends when nobody can send any more.
    drop(connection);
    // What was wrong with a message says more than that there are no more.
    streams.join().context("messages of the client").map_err(Failure::Environment)?;
    served.map_err(|error| Failure::Environment(error.into()))
}

/// Writes what the server needs to know.
fn write_digest(flags: &Lsp, digest: LspDigest) -> Outcome {
    let config = Config::find(flags.place.config.as_deref())?;
    let policy = config.check_policy();
    let mut store = open_existing(&flags.place)?.ok_or_else(nothing_kept)?;
    let mut output = BufWriter::new(std::io::stdout().lock());
    let written = match digest {
        LspDigest::Energies => {
            let choice = ProjectChoice {
                app: flags.app.clone().or(policy.app),
                baseline_branch: policy.baseline.branch,
                baseline_runs: policy.baseline.last,
            };
            write_energies(&mut store, &choice, &compared, &mut output)
        }
        LspDigest::Calls => {
            let run = flags
                .run
                .ok_or_else(|| Failure::Usage(anyhow!("--digest calls: expected a run")))?;
            let file = store.ledger(run).map_err(failure)?;
            let ledger =
                Ledger::from_bytes(&file.ledger).context("ledger").map_err(Failure::Input)?;
            write_calls(&ledger, &mut output)
        }
    };
    written.map_err(|error| match error {
        DigestError::Store(error) => failure(error),
        error @ DigestError::Write(_) => Failure::Environment(error.into()),
    })?;
    output.flush().context("standard output").map_err(Failure::Environment)
}

/// The changes of methods between two runs, as `wattle diff` of both says; nothing where it refuses them.
fn compared(store: &mut Store, runs: [RunId; 2]) -> MethodChanges {
    let [Some(before), Some(after)] = runs.map(|run| ledger(store, run)) else {
        return MethodChanges::new();
    };
    let names = runs.map(|run| format!("run:{}", run.0));
    let sides = [(names[0].as_str(), &before), (names[1].as_str(), &after)];
    let options = FlameOptions::default();
    let Ok(report) = DiffReport::new(sides, &Per::Run, &options, MergedNodes::default()) else {
        return MethodChanges::new();
    };
    let mut changes = MethodChanges::new();
    if report.refusals().next().is_some() {
        return changes;
    }
    let mut twice = Vec::new();
    for method in &report.methods {
        let both = [method.own.change, method.total.change];
        let [Some(own), Some(total)] = both else { continue };
        let both = [&own, &total].map(MethodChange::from);
        // Several processes have it: their rows are differences of parts of the figure.
        if changes.insert(method.name.clone(), both).is_some() {
            twice.push(method.name.as_str());
        }
    }
    for name in twice {
        changes.remove(name);
    }
    changes
}

/// The ledger of a run; `None` where it cannot be read, which is no reason to show no energies.
fn ledger(store: &mut Store, run: RunId) -> Option<Ledger> {
    Ledger::from_bytes(&store.ledger(run).ok()?.ledger).ok()
}
