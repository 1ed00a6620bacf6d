//! Budgets of a project: the part `[check]` of a `wattle.toml` that was given to it, and how its latest runs keep it.

use std::io::{ErrorKind, Read as _};

use serde::Deserialize;
use wattle_gate::{
    Baseline, BaselineOrigin, EarlierRuns, GateError, GateReport, KeptRunsError, LatestRuns,
    Policy, Subject,
};
use wattle_jobs::ProjectId;
use wattle_store::Store;

use crate::http::{WebError, WebErrorKind};
use crate::site::Site;

/// Bytes of a policy.
const MOST_BYTES: u64 = 60_000;
/// Apps that are judged on one page.
const MOST_APPS: usize = 50;

/// The part of a `wattle.toml` that is read; what it says of commands is not for a server.
#[derive(Debug, Default, Deserialize)]
struct WattleToml {
    #[serde(default)]
    check: Policy,
}

/// The error of a history that does not give runs.
pub fn of_history(error: KeptRunsError) -> WebError {
    match error {
        KeptRunsError::Store(error) => error.into(),
        other => WebError::new(WebErrorKind::Invalid, other.to_string()),
    }
}

/// The policy of a project.
#[derive(Clone, Debug, PartialEq)]
pub struct ProjectPolicy {
    /// The text as it was given.
    pub text: String,
    /// Its meaning.
    pub policy: Policy,
}

impl ProjectPolicy {
    /// Of the text of a `wattle.toml`.
    pub fn parse(text: &str) -> Result<Self, WebError> {
        let invalid = |text: String| WebError::new(WebErrorKind::Invalid, text);
        if text.len() as u64 > MOST_BYTES {
            return Err(invalid(format!("budgets: expected at most {MOST_BYTES} bytes")));
        }
        let read: WattleToml =
            toml::from_str(text).map_err(|error| invalid(format!("budgets: {error}")))?;
        read.check.validate().map_err(|error: GateError| invalid(format!("budgets: {error}")))?;
        Ok(Self { text: text.to_owned(), policy: read.check })
    }
}

/// The runs of an app, judged by a policy: one report of all scenarios, or the reason why there is no report.
#[derive(Clone, Debug)]
pub struct JudgedApp {
    /// Package name; empty for runs without an app.
    pub app: String,
    /// The report.
    pub report: Result<GateReport, String>,
}

impl Site {
    /// The policy of a project; `None` where none was given.
    pub async fn policy(&self, project: ProjectId) -> Result<Option<ProjectPolicy>, WebError> {
        let path = self.data.location().budget_file(project);
        let read = tokio::task::spawn_blocking(move || {
            let mut text = String::new();
            match std::fs::File::open(path) {
                Ok(file) => file.take(MOST_BYTES + 1).read_to_string(&mut text).map(|_| Some(text)),
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
                Err(error) => Err(error),
            }
        });
        let read = read.await.map_err(|error| WebError::internal(&error))?;
        let text = read.map_err(|error| WebError::internal(&error))?;
        // A later version of the program may read less than the one that took it.
        text.map(|text| ProjectPolicy::parse(&text)).transpose()
    }

    /// Gives a project a policy; an empty text takes it away.
    pub async fn set_policy(&self, project: ProjectId, text: &str) -> Result<(), WebError> {
        let text = text.replace("\r\n", "\n");
        if !text.trim().is_empty() {
            ProjectPolicy::parse(&text)?;
        }
        let path = self.data.location().budget_file(project);
        let written = tokio::task::spawn_blocking(move || {
            if text.trim().is_empty() {
                return match std::fs::remove_file(&path) {
                    Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
                    _ => Ok(()),
                };
            }
            wattle_jobs::private_folder(path.parent().unwrap_or(&path))?;
            // Written beside and renamed: a reader sees all of it or nothing.
            let beside = path.with_extension("part");
            std::fs::write(&beside, text)?;
            std::fs::rename(&beside, &path)
        });
        let written = written.await.map_err(|error| WebError::internal(&error))?;
        written.map_err(|error| WebError::internal(&error))
    }

    /// The latest runs of a project's apps, judged by its policy.
    pub async fn judged_apps(
        &self,
        project: ProjectId,
        policy: &Policy,
    ) -> Result<Vec<JudgedApp>, WebError> {
        let policy = policy.clone();
        let judge = move |store: &mut Store| {
            let apps: Vec<String> = match &policy.app {
                Some(app) => vec![app.clone()],
                None => store.apps()?.into_iter().map(|(app, _)| app).take(MOST_APPS).collect(),
            };
            let mut judged_apps = Vec::new();
            for app in apps {
                let report = judged(store, &app, &policy)?;
                if let Some(report) = report.transpose() {
                    judged_apps.push(JudgedApp { app, report });
                }
            }
            Ok(judged_apps)
        };
        self.histories.of(project).blocking(judge).await
    }
}

/// The reason why rules about findings are not judged here.
const FINDINGS: &str = "not judged on this page: findings are judged by `wattle check --findings`, which is given those of `wattle diagnose --json`";

fn is_of_findings(subject: &Subject) -> bool {
    matches!(subject, Subject::Finding(_))
}

/// The rules that runs of an app can be judged by; runs without an app have no energy of one.
fn for_pages(policy: &Policy, app: &str) -> Policy {
    let mut policy = policy.clone();
    policy.rule.retain(|rule| !(app.is_empty() && rule.subject == Subject::App));
    policy
}

/// The report of an app's latest runs; `None` where there are none, and a sentence where they cannot be judged together.
fn judged(
    store: &mut Store,
    app: &str,
    policy: &Policy,
) -> Result<Result<Option<GateReport>, String>, WebError> {
    let policy = &for_pages(policy, app);
    if policy.rule.is_empty() {
        return Ok(Ok(None));
    }
    let wanted =
        LatestRuns { app: Some(app.to_owned()), commit: None, methods: policy.method_patterns() };
    let mut reports = Vec::new();
    for group in wattle_gate::latest_runs(store, &wanted).map_err(of_history)? {
        let (runs, origin) = if let Some(other) = group.other_build() {
            other
        } else {
            let earlier = EarlierRuns::of_runs(&group.current, policy);
            let earlier = earlier.map(|wanted| wattle_gate::earlier_runs(store, &wanted));
            let earlier = earlier.transpose().map_err(of_history)?.unwrap_or_default();
            (earlier, BaselineOrigin::History(policy.baseline.branch.clone()))
        };
        let baseline = Baseline::new(&runs, origin, &policy.baseline);
        match wattle_gate::check(policy, &group.current, &baseline) {
            Ok(mut report) => {
                for row in report.rows.iter_mut().filter(|row| is_of_findings(&row.rule.subject)) {
                    FINDINGS.clone_into(&mut row.text);
                }
                reports.push(report);
            }
            Err(error) => return Ok(Err(error.to_string())),
        }
    }
    Ok(Ok(GateReport::joined(reports)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_wattle_toml_is_read_for_its_checks() {
        let text = "[report]\ntop = 5\n[[check.rule]]\nsubject = \"app\"\nat-most = \"2 J\"\n";
        let read = ProjectPolicy::parse(text).expect("read");
        assert_eq!(read.policy.rule.len(), 1);
        for wrong in
            ["[report]\n", "[[check.rule]]\nsubject = \"app\"\n", "x = ", "[check]\nrules = 1\n"]
        {
            assert!(ProjectPolicy::parse(wrong).is_err(), "{wrong}");
        }
    }
}
