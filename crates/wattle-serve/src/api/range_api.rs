//! A part of a run's recording, read again with all its detail: the ledger of a long run has its tracks in as much detail as a ledger holds.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;
use wattle_jobs::{Job, JobInput, JobKind, NewJob, Project, ProjectId, RangeOptions, Role};
use wattle_store::RunId;
use wattle_units::Nanos;

use super::job_api::JobInfo;
use super::small_json::SmallJson;
use crate::http::{WebError, WebErrorKind};
use crate::site::{ApiCaller, Identity, Site};

/// Endings of saved ledgers, which have no more detail than the run.
const LEDGERS: [&str; 2] = [".ledger.json.zst", ".ledger.json"];

/// A part of a run's recording.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RangeRequest {
    /// The beginning, in seconds from the start of the run.
    pub from_s: f64,
    /// The end.
    pub to_s: f64,
}

impl RangeRequest {
    /// Both ends from the start of a run of this length.
    fn ends(self, duration: Nanos) -> Result<[Nanos; 2], WebError> {
        let length = duration.seconds();
        let is_inside = |end: f64| end.is_finite() && end >= 0.0 && end <= length;
        if !(is_inside(self.from_s) && is_inside(self.to_s) && self.from_s < self.to_s) {
            let text = format!(
                "from, to: expected two instants of 0 to {length:.3} s, the second one later"
            );
            return Err(WebError::new(WebErrorKind::Invalid, text));
        }
        Ok([self.from_s, self.to_s].map(Nanos::from_seconds))
    }
}

impl Site {
    /// The job that made a run and its files, if they can be read again, else why not.
    pub async fn job_to_read_again(
        &self,
        project: ProjectId,
        run: RunId,
    ) -> Result<Result<(Job, Vec<JobInput>), &'static str>, WebError> {
        let jobs = self.data.jobs();
        let Ok(job) = jobs.of_run(project, run).await else {
            return Ok(Err("this run was not made of an upload"));
        };
        if !matches!(job.kind, JobKind::Analyse(_)) {
            return Ok(Err(
                "this run was recorded by a worker; its recording is among the files of its job",
            ));
        }
        let inputs = jobs.inputs(project, job.id).await?;
        if inputs.iter().any(|input| input.sha256.is_none()) {
            return Ok(Err("the uploaded files of this run are no longer kept"));
        }
        let is_ledger = |name: &str| LEDGERS.iter().any(|ending| name.ends_with(ending));
        if inputs.iter().any(|input| is_ledger(&input.name)) {
            return Ok(Err("this run was uploaded as a ledger, which has no more detail"));
        }
        Ok(Ok((job, inputs)))
    }

    /// Submits a job that reads a part of a run's recording again.
    pub async fn read_again(
        &self,
        identity: &Identity,
        (project, run): (&Project, RunId),
        request: RangeRequest,
    ) -> Result<Job, WebError> {
        let history = self.histories.of(project.id);
        let kept = history.run(run).await?;
        let made_by = self.job_to_read_again(project.id, run).await?;
        let (made_by, inputs) =
            made_by.map_err(|why| WebError::new(WebErrorKind::Conflict, why))?;
        let JobKind::Analyse(analysis) = made_by.kind else { return Err(WebError::not_found()) };
        let load = async move { history.ledger(run).await };
        let tracks = self.tracks.get(&kept.ledger.sha256, load).await?;
        let [from, to] = request.ends(tracks.duration)?;
        let seconds =
            |end: f64| format!("{end:.6}").trim_end_matches('0').trim_end_matches('.').to_owned();
        let options =
            RangeOptions { run, from: tracks.start + from, to: tracks.start + to, analysis };
        let new = NewJob {
            project: project.id,
            owner: identity.caller.user_id(),
            title: format!(
                "{}, {} to {} s",
                made_by.title,
                seconds(request.from_s),
                seconds(request.to_s)
            ),
            kind: JobKind::Range(options),
            files: inputs.into_iter().map(|input| input.file).collect(),
            device: None,
        };
        let job = self.data.jobs().submit(&new).await?;
        self.audit(identity, ("job.submit", &format!("job {}", job.id)), Some(project.id)).await?;
        Ok(job)
    }
}

/// Read a part of a run's recording again, with all its detail. The job makes no run; its page leads to the report of this part.
#[utoipa::path(post, path = "/projects/{project}/runs/{run}/ranges", tag = "runs", request_body = RangeRequest,
    params(("project" = String, Path, description = "Name of the project"), ("run" = i64, Path, description = "Number of the run")),
    responses((status = 201, body = JobInfo), (status = "4XX", body = WebError)))]
pub async fn submit(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path((project, run)): Path<(String, i64)>,
    SmallJson(request): SmallJson<RangeRequest>,
) -> Result<(StatusCode, Json<JobInfo>), WebError> {
    let project = site.project(&identity, &project, Role::Member).await?;
    let job = site.read_again(&identity, (&project, RunId(run)), request).await?;
    Ok((StatusCode::CREATED, Json(site.job_info(&project, job).await?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_lie_in_the_run() {
        let check = |from_s: f64, to_s: f64, is_right: bool| {
            let ends = RangeRequest { from_s, to_s }.ends(Nanos::from_seconds(2.5));
            assert_eq!(ends.is_ok(), is_right, "{from_s} to {to_s}");
        };
        check(0.0, 2.5, true);
        check(1.0, 1.000_001, true);
        check(1.0, 1.0, false);
        check(2.0, 1.0, false);
        check(-0.1, 1.0, false);
        check(0.0, 2.6, false);
        check(f64::NAN, 1.0, false);
        check(0.0, f64::INFINITY, false);
    }
}
