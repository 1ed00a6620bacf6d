//! Share links: one run or comparison, to be seen by whoever has the link.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use wattle_jobs::{LinkId, NewLink, Project, ProjectId, Role, ShareLink, ShareSubject};
use wattle_store::RunId;

use super::small_json::SmallJson;
use crate::http::{WebError, WebErrorKind};
use crate::site::{ApiCaller, Identity, Site};

/// Days of a life at most, where nothing less is set.
const MOST_DAYS: u32 = 3650;

/// A share link to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ShareRequest {
    /// One run, or the two runs of a comparison.
    pub runs: Vec<i64>,
    /// Days of its life, 1 to 3650; null for as long as nobody deletes it.
    #[schema(minimum = 1, maximum = 3650)]
    pub days: Option<u32>,
    /// Whether it shows nothing but a badge of the run: a picture of its energy for public pages.
    #[serde(default)]
    pub badge: bool,
}

/// A share link, without its secret.
#[derive(Debug, Serialize, ToSchema)]
pub struct ShareState {
    /// Its number.
    pub id: i64,
    /// The run, or the runs of a comparison.
    pub runs: Vec<i64>,
    /// Whether it shows nothing but a badge.
    pub badge: bool,
    /// The time of creation, Unix milliseconds.
    pub created_ms: i64,
    /// The end of its life.
    pub expires_ms: Option<i64>,
    /// `live`, `expired`, or `deleted` if a run of it was.
    pub state: &'static str,
}

/// A share link with its address, which is shown this once.
#[derive(Debug, Serialize, ToSchema)]
pub struct NewShareState {
    /// The address.
    pub url: String,
    /// The link.
    pub link: ShareState,
}

/// The runs that a link shows.
pub fn runs_of(subject: &ShareSubject) -> Vec<i64> {
    match subject {
        ShareSubject::Run { run } | ShareSubject::Badge { run } => vec![*run],
        ShareSubject::Comparison { runs } => runs.clone(),
    }
}

/// The end of a link or token that lives for so many days. With a limit, one that never ends lives as long as that allows.
pub fn expiry(
    now_ms: i64,
    days: Option<u32>,
    most_days: Option<u32>,
) -> Result<Option<i64>, WebError> {
    let most = most_days.unwrap_or(MOST_DAYS);
    match days.or(most_days) {
        None => Ok(None),
        Some(days) if (1..=most).contains(&days) => {
            Ok(Some(now_ms.saturating_add(i64::from(days) * 86_400_000)))
        }
        Some(days) => {
            let text = format!("days: expected 1 to {most}, found {days}");
            Err(WebError::new(WebErrorKind::Invalid, text))
        }
    }
}

impl ShareState {
    fn new(link: &ShareLink, state: &'static str) -> Self {
        Self {
            id: link.id.0,
            runs: runs_of(&link.subject),
            badge: matches!(link.subject, ShareSubject::Badge { .. }),
            created_ms: link.created_ms,
            expires_ms: link.expires_ms,
            state,
        }
    }
}

impl Site {
    /// The share links of a project, and whether they show something: `live`, `expired`, `deleted`.
    pub async fn links(
        &self,
        project: ProjectId,
    ) -> Result<Vec<(ShareLink, &'static str)>, WebError> {
        let history = self.histories.of(project);
        let now = self.data.now_ms();
        let mut links = Vec::new();
        for link in self.data.links().all(project).await? {
            let mut state = "live";
            for run in runs_of(&link.subject) {
                match history.run(RunId(run)).await {
                    Ok(_) => {}
                    Err(error) if error.kind == WebErrorKind::NotFound => state = "deleted",
                    Err(error) => return Err(error),
                }
            }
            if link.expires_ms.is_some_and(|end| end <= now) {
                state = "expired";
            }
            links.push((link, state));
        }
        Ok(links)
    }
}

impl Site {
    /// Makes a share link of runs that exist.
    pub async fn share(
        &self,
        identity: &Identity,
        project: &Project,
        request: &ShareRequest,
    ) -> Result<NewShareState, WebError> {
        let subject = match request.runs.as_slice() {
            [run] if request.badge => ShareSubject::Badge { run: *run },
            [run] => ShareSubject::Run { run: *run },
            _ if request.badge => {
                return Err(WebError::new(WebErrorKind::Invalid, "runs: expected one for a badge"));
            }
            [before, after] if before == after => {
                let text = "runs: expected two different ones for a comparison";
                return Err(WebError::new(WebErrorKind::Invalid, text));
            }
            [before, after] => {
                // One that cannot be shown is no link to anything.
                self.compared(project.id, [*before, *after]).await?;
                ShareSubject::Comparison { runs: request.runs.clone() }
            }
            _ => return Err(WebError::new(WebErrorKind::Invalid, "runs: expected one or two")),
        };
        let history = self.histories.of(project.id);
        for run in &request.runs {
            history.run(RunId(*run)).await?;
        }
        let expires_ms = expiry(self.data.now_ms(), request.days, self.data.limits().link_days)?;
        let new =
            NewLink { project: project.id, author: identity.caller.user_id(), subject, expires_ms };
        let (secret, link) = self.data.links().create(&new).await?;
        let subject = format!("link {}", link.id);
        self.audit(identity, ("link.create", &subject), Some(project.id)).await?;
        let url = match new.subject {
            ShareSubject::Badge { .. } => {
                format!("{}/badge/{}", self.settings.public_url, secret.reveal())
            }
            _ => format!("{}/share/{}", self.settings.public_url, secret.reveal()),
        };
        Ok(NewShareState { url, link: ShareState::new(&link, "live") })
    }
}

/// List share links.
#[utoipa::path(get, path = "/projects/{project}/shares", tag = "shares",
    params(("project" = String, Path, description = "Name of the project")),
    responses((status = 200, body = Vec<ShareState>), (status = "4XX", body = WebError)))]
pub async fn list(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path(project): Path<String>,
) -> Result<Json<Vec<ShareState>>, WebError> {
    let project = site.project(&identity, &project, Role::Member).await?;
    let links = site.links(project.id).await?;
    Ok(Json(links.into_iter().map(|(link, state)| ShareState::new(&link, state)).collect()))
}

/// Make a share link of a run or a comparison. Its address is in the answer, and nowhere else.
#[utoipa::path(post, path = "/projects/{project}/shares", tag = "shares", request_body = ShareRequest,
    params(("project" = String, Path, description = "Name of the project")),
    responses((status = 201, body = NewShareState), (status = "4XX", body = WebError)))]
pub async fn create(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path(project): Path<String>,
    SmallJson(request): SmallJson<ShareRequest>,
) -> Result<(StatusCode, Json<NewShareState>), WebError> {
    let project = site.project(&identity, &project, Role::Member).await?;
    Ok((StatusCode::CREATED, Json(site.share(&identity, &project, &request).await?)))
}

/// Delete a share link: from now on it shows nothing.
#[utoipa::path(delete, path = "/projects/{project}/shares/{link}", tag = "shares",
    params(("project" = String, Path, description = "Name of the project"), ("link" = i64, Path, description = "Number of the link")),
    responses((status = 204), (status = "4XX", body = WebError)))]
pub async fn delete(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path((project, link)): Path<(String, i64)>,
) -> Result<StatusCode, WebError> {
    let project = site.project(&identity, &project, Role::Member).await?;
    site.data.links().delete(project.id, LinkId(link)).await?;
    site.audit(&identity, ("link.delete", &format!("link {link}")), Some(project.id)).await?;
    Ok(StatusCode::NO_CONTENT)
}
