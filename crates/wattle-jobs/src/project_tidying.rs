//! Deleting what projects no longer keep.

use std::collections::BTreeSet;

use wattle_store::{AsyncStore, Retention, RunFilter, RunId};

use crate::accounts::{NewAuditEntry, Project, RetentionRules};
use crate::base::ServerError;
use crate::server_data::ServerData;

const DAY_MS: i64 = 86_400_000;
/// Runs that are deleted in one transaction.
const AT_ONCE: usize = 200;

/// The runs and files of a project that are no longer kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tidied {
    /// The project.
    pub project: String,
    /// Runs.
    pub runs: Vec<RunId>,
    /// Uploaded files.
    pub files: usize,
}

impl ServerData {
    /// Deletes the runs and files that projects no longer keep by their rules, with an entry in the audit log for each project. A run with a
    /// name stays, and so does a file of a job that has not ended. Projects without anything to delete are not in the result.
    pub async fn tidy(&self, is_dry: bool) -> Result<Vec<Tidied>, ServerError> {
        let mut all = Vec::new();
        for project in self.projects().all().await? {
            let tidied = self.tidy_project(&project, is_dry).await?;
            if !tidied.runs.is_empty() || tidied.files > 0 {
                all.push(tidied);
            }
        }
        Ok(all)
    }

    async fn tidy_project(&self, project: &Project, is_dry: bool) -> Result<Tidied, ServerError> {
        let rules = self.retention().rules(project.id).await?;
        let mut tidied = Tidied { project: project.name.clone(), ..Tidied::default() };
        let before = |days: u32| self.now_ms().saturating_sub(i64::from(days) * DAY_MS);
        if rules.run_days.is_some() || rules.series_runs.is_some() {
            let mut history = self.history(project.id).await?;
            tidied.runs = self.expired_runs(&mut history, (project, rules)).await?;
            if !is_dry {
                for runs in tidied.runs.chunks(AT_ONCE) {
                    history.delete(runs).await?;
                }
                self.jobs().forget_runs(project.id, &tidied.runs).await?;
            }
            history.close().await?;
        }
        if let Some(days) = rules.file_days {
            tidied.files = if is_dry {
                self.files().count_before(project.id, before(days)).await?
            } else {
                self.files().delete_before(project.id, before(days)).await?
            };
        }
        if !is_dry && (!tidied.runs.is_empty() || tidied.files > 0) {
            self.note_tidied(project, &tidied).await?;
        }
        Ok(tidied)
    }

    async fn expired_runs(
        &self,
        history: &mut AsyncStore,
        (project, rules): (&Project, RetentionRules),
    ) -> Result<Vec<RunId>, ServerError> {
        let old = Retention {
            older_than_ms: rules.run_days.map(|days| i64::from(days) * DAY_MS),
            keep_last: None,
        };
        let many = Retention {
            older_than_ms: None,
            keep_last: rules.series_runs.map(|runs| runs as usize),
        };
        let named = self.run_names().all(project.id).await?;
        let mut expired = BTreeSet::new();
        // One app after the other, so that not all runs are in memory at once.
        for (app, _) in history.apps().await? {
            let runs = history.runs(&RunFilter::of_app(&app)).await?;
            for rule in [old, many] {
                expired.extend(rule.expired(&runs, self.now_ms()).iter().map(|run| run.id));
            }
        }
        Ok(expired.into_iter().filter(|run| !named.contains_key(run)).collect())
    }

    async fn note_tidied(&self, project: &Project, tidied: &Tidied) -> Result<(), ServerError> {
        let list = |runs: &[RunId]| {
            let shown: Vec<String> = runs.iter().take(30).map(|run| run.0.to_string()).collect();
            let more = if runs.len() > shown.len() { ", …" } else { "" };
            format!("{}{more}", shown.join(", "))
        };
        let runs = match tidied.runs.len() {
            0 => "no run".to_owned(),
            1 => format!("1 run ({})", list(&tidied.runs)),
            count => format!("{count} runs ({})", list(&tidied.runs)),
        };
        let files = if tidied.files == 1 { "1 file" } else { &format!("{} files", tidied.files) };
        let entry = NewAuditEntry {
            actor: "retention",
            action: "retention.delete",
            project: Some(project.id),
            subject: &format!("{runs}, {files}"),
            origin: "",
        };
        self.audit().add(&entry).await
    }
}
