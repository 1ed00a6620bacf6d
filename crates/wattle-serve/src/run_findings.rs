//! Findings of runs, as their jobs made them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use wattle_jobs::ProjectId;
use wattle_store::{KeptRun, RunFilter};

use crate::http::WebError;
use crate::path_segment::segment;
use crate::site::Site;

/// Runs that are looked through at most: each costs a moment when it is looked at first.
pub const MOST_RUNS: usize = 100;

/// A finding of a run: what `wattle diagnose` says of it.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RunFinding {
    /// The number of the run.
    #[serde(default)]
    pub run: i64,
    /// The page of the run, with the finding selected.
    #[serde(default)]
    pub url: String,
    /// The time of the run, Unix milliseconds.
    #[serde(default)]
    pub time_ms: i64,
    /// Package name of the run's app; empty for a run of the whole device.
    #[serde(default)]
    pub app: String,
    /// The rule that found it.
    pub rule: String,
    /// `error`, `warning` or `info`.
    pub severity: String,
    /// The defect, in a line.
    pub title: String,
    /// The process, package or uid; null for the device.
    pub who: Option<String>,
    /// The thread.
    pub thread: Option<String>,
    /// The energy that a fix could save at most, in joules; null if it is unknown.
    pub up_to_joules: Option<f64>,
    /// Its beginning, in seconds of the run.
    pub from_s: Option<f64>,
    /// Its end.
    pub to_s: Option<f64>,
    /// The fix.
    pub remedy: String,
}

/// Findings of runs, and the runs that were looked through.
#[derive(Clone, Debug, Default)]
pub struct FoundInRuns {
    /// The runs that a diagnosis was made of, newest first.
    pub runs: Vec<KeptRun>,
    /// Their findings, those of the newest run first.
    pub findings: Vec<RunFinding>,
    /// Runs without a diagnosis: ledgers that were uploaded have none.
    pub without: usize,
}

/// The parts of a page's data that are read.
#[derive(Deserialize)]
struct PageData {
    #[serde(default)]
    diagnosis: Option<DiagnosisPart>,
    #[serde(default)]
    energies: Option<EnergiesPart>,
}

#[derive(Deserialize)]
struct DiagnosisPart {
    #[serde(default)]
    findings: Vec<FindingPart>,
}

#[derive(Deserialize)]
struct EnergiesPart {
    apps: AppsPart,
}

#[derive(Deserialize)]
struct AppsPart {
    #[serde(default)]
    name: Vec<String>,
}

#[derive(Deserialize)]
struct FindingPart {
    rule: String,
    severity: String,
    title: String,
    who: Option<String>,
    thread: Option<String>,
    #[serde(default)]
    evidence: Vec<EvidencePart>,
    at_stake: Option<StakePart>,
    #[serde(default)]
    remedy: String,
}

#[derive(Deserialize)]
struct EvidencePart {
    window_s: Option<[f64; 2]>,
}

#[derive(Deserialize)]
struct StakePart {
    joules: f64,
}

/// The findings in a page's data; `None` where nobody looked for any, or another version wrote them in another form.
fn findings_of(data: &[u8]) -> Option<Vec<RunFinding>> {
    let data: PageData = serde_json::from_slice(data).ok()?;
    let apps = data.energies.map(|energies| energies.apps.name).unwrap_or_default();
    let findings = data.diagnosis?.findings.into_iter();
    Some(findings.map(|it| it.finding(&apps)).collect())
}

impl FindingPart {
    fn finding(self, apps: &[String]) -> RunFinding {
        let windows = self.evidence.iter().filter_map(|evidence| evidence.window_s);
        let ends = windows.fold(None, |ends: Option<[f64; 2]>, [from, to]| {
            let [first, last] = ends.unwrap_or([from, to]);
            Some([first.min(from), last.max(to)])
        });
        // As the page itself finds the app of a finding.
        let is_app = |app: &&String| {
            let rest = self.who.as_deref().and_then(|who| who.strip_prefix(app.as_str()));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ':']))
        };
        let app = apps.iter().find(is_app);
        let mut selection = Vec::new();
        if let Some([from, to]) = ends.filter(|[from, to]| to > from) {
            selection.push(format!("t={}-{}", seconds(from), seconds(to)));
        }
        selection.extend(app.map(|app| format!("app={}", segment(app))));
        RunFinding {
            run: 0,
            url: selection.join("&"),
            time_ms: 0,
            app: String::new(),
            rule: self.rule,
            severity: self.severity,
            title: self.title,
            who: self.who,
            thread: self.thread,
            up_to_joules: self.at_stake.map(|stake| stake.joules),
            from_s: ends.map(|[from, _]| from),
            to_s: ends.map(|[_, to]| to),
            remedy: self.remedy,
        }
    }
}

/// Seconds as the page's address has them: at most nine decimals.
fn seconds(value: f64) -> String {
    let text = format!("{value:.9}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl Site {
    /// The findings of one run; `None` where nobody looked for any.
    async fn findings_of_run(
        &self,
        project: ProjectId,
        run: &KeptRun,
    ) -> Result<Option<Vec<RunFinding>>, WebError> {
        let digest = &run.ledger.sha256;
        let Some(data) = self.page_data_of_job(project, run.id, (digest, true)).await? else {
            return Ok(None);
        };
        let tag = data.tag.clone();
        let key = [digest.as_str(), "findings", &tag];
        let view = self.views.get(&key, async { Ok(data) }, |data| {
            let found = findings_of(&data.content()?);
            serde_json::to_vec(&found).map_err(|error| WebError::internal(&error))
        });
        let found = view.await?.content()?;
        serde_json::from_slice(&found).map_err(|error| WebError::internal(&error))
    }

    /// The findings of a project's latest runs, of one app if it is named.
    pub async fn findings(
        &self,
        (project, name): (ProjectId, &str),
        app: Option<String>,
        last: usize,
    ) -> Result<FoundInRuns, WebError> {
        let filter = RunFilter { app, last: Some(last.min(MOST_RUNS)), ..RunFilter::default() };
        let mut runs = self.histories.of(project).runs(filter).await?;
        runs.reverse();
        let mut found = FoundInRuns::default();
        for run in runs {
            let Some(mut findings) = self.findings_of_run(project, &run).await? else {
                found.without += 1;
                continue;
            };
            for finding in &mut findings {
                finding.run = run.id.0;
                finding.time_ms = run.time_ms();
                finding.app.clone_from(&run.facts.app.package);
                let page = format!("/p/{}/runs/{}", segment(name), run.id.0);
                let joint = if finding.url.is_empty() { "" } else { "#" };
                finding.url = format!("{page}{joint}{}", finding.url);
            }
            found.findings.append(&mut findings);
            found.runs.push(run);
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_have_the_selection_of_their_evidence() {
        let data = br#"{"report":{},"energies":{"apps":{"name":["com.a","com.example"]}},"diagnosis":{"findings":[
            {"rule":"r","severity":"warning","title":"t","who":"com.example:sync","thread":null,"remedy":"m",
             "evidence":[{"text":"x","window_s":[2.5,3]},{"text":"y","window_s":null},{"text":"z","window_s":[1,1.25]}],
             "at_stake":{"joules":2.0}}]}}"#;
        let found = findings_of(data).expect("a diagnosis");
        assert_eq!(found[0].url, "t=1-3&app=com.example");
        assert_eq!((found[0].from_s, found[0].to_s), (Some(1.0), Some(3.0)));
        for none in [r#"{"report":{}}"#, r#"{"diagnosis":{"findings":[{"rule":1}]}}"#, "{"] {
            assert!(findings_of(none.as_bytes()).is_none(), "{none}");
        }
    }
}
