//! `wattle mcp`.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use wattle_diagnose::Input;
use wattle_ledger::{Ledger, StretchDetail};
use wattle_mcp::{
    ANALYSED_FINDINGS, ANALYSED_LEDGER, ListenError, ServerSetup, serve_http, serve_stdio,
};
use wattle_store::StoreLocation;

use crate::cli::{Mcp, Modelling, Symbols};
use crate::command::analysis::{self, AnalysisPlan, LedgerParts};
use crate::command::usual_findings::Findings;
use crate::command::{inputs, kept_runs, other_file, output};
use crate::config::Config;
use crate::exit::{Failure, Outcome};
use crate::interrupt;

/// Runs `wattle mcp`.
pub fn run(flags: &Mcp) -> Outcome {
    match &flags.analyse {
        None => serve(flags),
        Some(folder) => analyse(flags, folder),
    }
}

/// Serves agents.
fn serve(flags: &Mcp) -> Outcome {
    // A configuration that cannot be read is reported now, not to an agent later.
    Config::find(flags.place.config.as_deref())?;
    let setup = setup(flags)?;
    let Some(address) = flags.listen else {
        return serve_stdio(setup).map_err(|error| Failure::Environment(anyhow!(error)));
    };
    let interrupts = interrupt::handle_server()?;
    let quiet = flags.place.quiet;
    let is_ready = |address| {
        if !quiet {
            // Where standard error is closed nobody reads it.
            let _ = writeln!(std::io::stderr(), "listening at http://{address}/ (Ctrl-C ends)");
        }
    };
    serve_http(setup, address, is_ready, move || interrupts.cancel.is_cancelled()).map_err(
        |error| match error {
            error @ ListenError::NotLoopback(_) => Failure::Usage(error.into()),
            error @ ListenError::Refused(..) => Failure::Environment(error.into()),
        },
    )
}

fn setup(flags: &Mcp) -> Result<ServerSetup, Failure> {
    let program = std::env::current_exe().context("this program's own path");
    let mut roots = flags.root.clone();
    if roots.is_empty() && flags.listen.is_some() {
        roots.push(PathBuf::from("."));
    }
    let whole = |root: &PathBuf| {
        let name = || format!("--root {}", root.display());
        root.canonicalize().with_context(name).map_err(Failure::Usage)
    };
    let config: Vec<OsString> = match &flags.place.config {
        Some(path) => vec!["--config".into(), path.into()],
        None => Vec::new(),
    };
    let store: Vec<OsString> = match &flags.place.store.store {
        Some(StoreLocation::Folder(folder)) => vec!["--store".into(), folder.into()],
        // In the environment already, where no list of processes shows a password.
        Some(StoreLocation::Postgres(_)) if std::env::var_os("WATTLE_STORE").is_some() => {
            Vec::new()
        }
        Some(StoreLocation::Postgres(url)) => vec!["--store".into(), url.into()],
        None => Vec::new(),
    };
    let is_placed = flags.place.store.store.is_some()
        || flags.place.config.is_some()
        || Config::find(None)?.store().is_some();
    let mut analysis: Vec<OsString> = vec!["mcp".into()];
    analysis.extend(config.iter().chain(&store).cloned());
    analysis.push("--analyse".into());
    Ok(ServerSetup {
        program: program.map_err(Failure::Environment)?,
        analysis_arguments: analysis,
        history_near: (!is_placed).then_some(kept_runs::history_near),
        store_arguments: store,
        config_arguments: config,
        device_arguments: flags.device_argument.iter().map(OsString::from).collect(),
        roots: roots.iter().map(whole).collect::<Result<_, _>>()?,
        recordings: flags.recordings.clone(),
        allows_devices: flags.allow_device,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    })
}

/// Analyses a recording for the server: writes its ledger, and its findings where they can be looked for.
fn analyse(flags: &Mcp, folder: &Path) -> Outcome {
    let config = Config::find(flags.place.config.as_deref())?;
    let modelling = Modelling {
        device_model: flags.device_model.iter().cloned().collect(),
        ..Modelling::default()
    };
    let plan = AnalysisPlan {
        stretches: StretchDetail::Bounded,
        keep: LedgerParts::ALL,
        store: flags.place.store.clone(),
        ..AnalysisPlan::new(&config, modelling, Symbols::default())
    };
    if let [path] = flags.traces.as_slice() {
        other_file::refuse_path(path)?;
    }
    if !inputs::saved_ledgers(&flags.traces)?.is_empty() {
        let [path] = flags.traces.as_slice() else {
            let text = "expected one saved ledger, or the files of one recording";
            return Err(Failure::Usage(anyhow!(text)));
        };
        let mut ledger = kept_runs::load(path, &flags.place.store)?;
        if ledger.recording.apps.is_empty() {
            ledger.recording.apps.extend(kept_runs::app(path, &flags.place.store)?);
        }
        return save(&ledger, folder);
    }
    let reading = plan.reading.options();
    let mut timeline = analysis::read_as(&flags.traces, &reading, true)?;
    analysis::symbolise(&mut timeline, &plan.symbols, &reading.unpacking)?;
    let window = timeline.scenario;
    let (power, mut ledger) = analysis::energy(&timeline, &flags.traces, &plan, window)?;
    let apps = match &flags.app {
        Some(app) => vec![app.clone()],
        None => config.apps(ledger.recording.apps.clone()),
    };
    if ledger.recording.apps.is_empty() {
        ledger.recording.apps.clone_from(&apps);
    }
    let input = Input { timeline: &timeline, power: &power, ledger: &ledger };
    if let Some(found) = Findings::Usual.find(input, &apps, window, &plan.accepted)? {
        output::write_json(&folder.join(ANALYSED_FINDINGS), &found)?;
    }
    save(&ledger, folder)
}

fn save(ledger: &Ledger, folder: &Path) -> Outcome {
    let bytes = ledger.to_bytes().context("ledger").map_err(Failure::Internal)?;
    output::write_file(&folder.join(ANALYSED_LEDGER), &bytes)
}
