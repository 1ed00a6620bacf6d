//! Titles of runs.

use std::collections::HashMap;

use wattle_jobs::ProjectId;
use wattle_store::{KeptRun, RunId};

use crate::http::WebError;
use crate::site::Site;

/// Titles of a project's runs.
#[derive(Clone, Debug, Default)]
pub struct RunTitles {
    /// Names that somebody gave them.
    given: HashMap<RunId, String>,
    /// Titles of the jobs that made them: those that were typed in, else names of files.
    of_jobs: HashMap<RunId, String>,
}

impl RunTitles {
    /// Of a project.
    pub async fn read(site: &Site, project: ProjectId) -> Result<Self, WebError> {
        let names = site.data.run_names();
        Ok(Self { given: names.all(project).await?, of_jobs: names.of_jobs(project).await? })
    }

    /// The name that somebody gave a run.
    pub fn given(&self, run: RunId) -> Option<&str> {
        self.given.get(&run).map(String::as_str)
    }

    /// The title of a run beside others of its app: the name that somebody gave it, or version or commit, and number.
    pub fn beside_others(&self, run: &KeptRun) -> String {
        let facts = &run.facts;
        let commit = facts.code.commit.as_deref().map(|it| it.chars().take(8).collect::<String>());
        let given = self.given(run.id).map(str::to_owned);
        match given.or_else(|| facts.app.version_name.clone()).or(commit) {
            Some(version) => format!("{version} (run {})", run.id.0),
            None => format!("run {}", run.id.0),
        }
    }

    /// The title of a run: the name that somebody gave it, else its app and version, else the title of its job.
    pub fn title(&self, run: &KeptRun) -> String {
        if let Some(name) = self.given(run.id) {
            return name.to_owned();
        }
        let app = &run.facts.app;
        let package = Some(app.package.as_str()).filter(|package| !package.is_empty());
        let name = package.or_else(|| self.of_jobs.get(&run.id).map(String::as_str));
        let scenario = run.facts.circumstances.scenario.as_deref();
        let parts = [name, app.version_name.as_deref(), scenario];
        let title = parts.into_iter().flatten().collect::<Vec<_>>().join(" · ");
        if title.is_empty() { format!("run {}", run.id.0) } else { title }
    }
}
