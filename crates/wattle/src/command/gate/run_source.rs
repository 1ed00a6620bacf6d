//! The history that a check judges by: a local one, or that of a project on a server.

use anyhow::anyhow;
use serde::Deserialize;
use serde_json::json;
use wattle_gate::{EarlierRuns, GateRun, JudgedRuns, KeptRunsError, LatestRuns};
use wattle_ledger::Ledger;
use wattle_store::{RunId, Store};

use super::ledger_run::of_ledger;
use crate::cli::{HistoryPlace, ServerAccess};
use crate::command::kept_runs::{failure, nothing_kept, open_existing};
use crate::command::nearest::suggestion;
use crate::command::server_client::{Content, ServerClient};
use crate::exit::{Failure, Outcome};

/// The history that a check judges by.
pub(super) enum RunSource {
    /// A local one, which is opened when something of it is wanted.
    Local(Box<HistoryPlace>, Option<Box<Store>>),
    /// That of a project on a server, by the path of the project.
    Server(Box<ServerClient>, String),
}

/// The latest runs of a history, and all apps that it has runs of.
#[derive(Debug, Deserialize)]
struct LatestAnswer {
    apps: Vec<String>,
    groups: Vec<JudgedRuns>,
}

impl RunSource {
    /// That of a server if one is named, else the local one.
    pub(super) fn open(
        server: Option<&str>,
        access: &ServerAccess,
        place: &HistoryPlace,
    ) -> Result<Self, Failure> {
        match server {
            Some(url) => {
                let client = ServerClient::new(url, access.token_file.as_deref())?;
                let project = ServerClient::project(&access.project);
                Ok(Self::Server(Box::new(client), project))
            }
            None => Ok(Self::Local(Box::new(place.clone()), None)),
        }
    }

    /// The server that it is of, and the path of the project there.
    fn server(&self) -> Option<(&ServerClient, &str)> {
        match self {
            Self::Local(..) => None,
            Self::Server(client, project) => Some((client, project.as_str())),
        }
    }

    /// The local history; `None` where nothing was ever kept.
    fn local(&mut self) -> Result<Option<&mut Store>, Failure> {
        let Self::Local(place, store) = self else { return Ok(None) };
        if store.is_none() {
            *store = open_existing(place)?.map(Box::new);
        }
        Ok(store.as_deref_mut())
    }

    /// The latest runs.
    pub(super) fn latest(&mut self, wanted: &LatestRuns) -> Result<Vec<JudgedRuns>, Failure> {
        let app = wanted.app.as_deref();
        if let Some((client, project)) = self.server() {
            let path = format!("{project}/check/latest");
            let answer: LatestAnswer = client.ask("POST", &path, Content::Json(&json!(wanted)))?;
            refuse_unknown(app, answer.apps.iter().map(String::as_str))?;
            return Ok(answer.groups);
        }
        let store = self.local()?.ok_or_else(nothing_kept)?;
        let apps = store.apps().map_err(failure)?;
        refuse_unknown(app, apps.iter().map(|(name, _)| name.as_str()))?;
        wattle_gate::latest_runs(store, wanted).map_err(of_history)
    }

    /// The runs before others.
    pub(super) fn earlier(&mut self, wanted: &EarlierRuns) -> Result<Vec<GateRun>, Failure> {
        if let Some((client, project)) = self.server() {
            let path = format!("{project}/check/earlier");
            return Ok(client.ask("POST", &path, Content::Json(&json!(wanted)))?);
        }
        let Some(store) = self.local()? else { return Ok(Vec::new()) };
        wattle_gate::earlier_runs(store, wanted).map_err(of_history)
    }

    /// One run with its figures: those of the history, or of its ledger where another app is asked for.
    pub(super) fn run(&mut self, id: RunId, app: Option<&str>) -> Result<GateRun, Failure> {
        if let Some((client, project)) = self.server() {
            let path = format!("{project}/check/runs/{}", id.0);
            let run: GateRun = client.ask("GET", &path, Content::Nothing)?;
            let own = match run.facts.app.package.as_str() {
                "" => "the whole device",
                app => app,
            };
            return match app.filter(|app| *app != run.facts.app.package) {
                Some(app) => Err(Failure::Usage(anyhow!(
                    "--app {app}: {id} on the server is of {own}; to check another app, download the run's ledger and name that file"
                ))),
                None => Ok(run),
            };
        }
        let store = self.local()?.ok_or_else(nothing_kept)?;
        let run = store.run(id).map_err(failure)?;
        if app.is_none_or(|app| app == run.facts.app.package) {
            let found = wattle_gate::kept_run(store, id).map_err(of_history)?;
            return found.ok_or_else(|| Failure::Internal(anyhow!("a run without figures")));
        }
        let file = store.ledger(id).map_err(failure)?;
        let ledger = Ledger::from_bytes(&file.ledger)
            .map_err(|error| Failure::Input(anyhow!(error).context(format!("ledger of {id}"))))?;
        let mut judged = of_ledger(id.to_string(), run.facts, &ledger, app)?;
        judged.kept_ms = Some(run.kept_ms);
        judged.ledger = Some(run.ledger.sha256);
        Ok(judged)
    }
}

/// Refuses an app that the history has no run of.
fn refuse_unknown<'n>(app: Option<&str>, names: impl Iterator<Item = &'n str> + Clone) -> Outcome {
    match app {
        Some(app) if names.clone().next().is_some() && names.clone().all(|name| name != app) => {
            let near = suggestion(app, names);
            Err(Failure::Usage(anyhow!("{app}: no run of it was kept{near}")))
        }
        _ => Ok(()),
    }
}

/// The failure of a history that does not give runs.
fn of_history(error: KeptRunsError) -> Failure {
    match error {
        KeptRunsError::Store(error) => failure(error),
        other => Failure::Usage(other.into()),
    }
}
