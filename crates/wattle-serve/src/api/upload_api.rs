//! Uploads: begun with a name and a length, sent in parts, resumed from what has arrived.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use futures_util::StreamExt as _;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use utoipa::ToSchema;
use wattle_jobs::{NewUpload, Role, StoredFile, Upload, UploadId};

use super::small_json::SmallJson;
use crate::http::{WebError, WebErrorKind};
use crate::site::{ApiCaller, Site};

/// Bytes of one part that clients should send.
const PART: u64 = 16 << 20;
/// Bytes of one part at most.
const MOST_PART: u64 = 64 << 20;
/// Time within which the next bytes of a part must arrive.
const PATIENCE: Duration = Duration::from_secs(30);
/// Time for a whole part.
const PART_TIME: Duration = Duration::from_mins(15);

/// An upload to be begun.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UploadRequest {
    /// The file's name. It is shown, and never used as a path.
    pub name: String,
    /// The length of the whole file.
    pub bytes: u64,
    /// SHA-256 of the whole file, in hexadecimal digits, if it is known.
    pub sha256: Option<String>,
}

/// An upload that has not been finished.
#[derive(Debug, Serialize, ToSchema)]
pub struct UploadState {
    /// Its name in addresses.
    pub id: String,
    /// The file's name.
    pub name: String,
    /// The length of the whole file.
    pub bytes: u64,
    /// The bytes that have arrived: the offset of the next part.
    pub received: u64,
    /// Bytes of a part that clients should send. At most four times as many are taken.
    pub part_bytes: u64,
}

impl From<Upload> for UploadState {
    fn from(upload: Upload) -> Self {
        Self {
            id: upload.id.to_string(),
            name: upload.name,
            bytes: upload.bytes,
            received: upload.received,
            part_bytes: PART,
        }
    }
}

/// A file of a project.
#[derive(Debug, Serialize, ToSchema)]
pub struct FileState {
    /// Its number.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// SHA-256 of its content.
    pub sha256: String,
}

impl From<StoredFile> for FileState {
    fn from(file: StoredFile) -> Self {
        Self { id: file.id.0, name: file.name, bytes: file.bytes, sha256: file.sha256 }
    }
}

fn upload_id(text: &str) -> Result<UploadId, WebError> {
    text.parse().map_err(|_| WebError::new(WebErrorKind::NotFound, "no such upload"))
}

/// Begin an upload.
#[utoipa::path(post, path = "/projects/{project}/uploads", tag = "uploads", request_body = UploadRequest,
    params(("project" = String, Path, description = "Name of the project")),
    responses((status = 201, body = UploadState), (status = "4XX", body = WebError), (status = 507, body = WebError)))]
pub async fn begin(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path(project): Path<String>,
    SmallJson(request): SmallJson<UploadRequest>,
) -> Result<(StatusCode, Json<UploadState>), WebError> {
    let project = site.project(&identity, &project, Role::Member).await?;
    let new = NewUpload {
        project: project.id,
        owner: identity.caller.user_id(),
        name: request.name,
        bytes: request.bytes,
        sha256: request.sha256,
        set: None,
    };
    let upload = site.data.uploads().begin(&new).await?;
    Ok((StatusCode::CREATED, Json(upload.into())))
}

/// Show how much of an upload has arrived.
#[utoipa::path(get, path = "/projects/{project}/uploads/{upload}", tag = "uploads",
    params(("project" = String, Path, description = "Name of the project"), ("upload" = String, Path, description = "The upload")),
    responses((status = 200, body = UploadState), (status = "4XX", body = WebError)))]
pub async fn show(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path((project, upload)): Path<(String, String)>,
) -> Result<Json<UploadState>, WebError> {
    let project = site.project(&identity, &project, Role::Member).await?;
    let upload = site.data.uploads().upload(project.id, &upload_id(&upload)?).await?;
    Ok(Json(upload.into()))
}

/// Send the next part of an upload, as raw bytes. `Upload-Offset` is the offset of its first byte, which must be what has arrived.
#[utoipa::path(patch, path = "/projects/{project}/uploads/{upload}", tag = "uploads",
    params(("project" = String, Path, description = "Name of the project"), ("upload" = String, Path, description = "The upload"),
        ("upload-offset" = u64, Header, description = "Offset of the first byte")),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 200, body = UploadState), (status = "4XX", body = WebError), (status = 507, body = WebError)))]
pub async fn append(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path((project, upload)): Path<(String, String)>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<UploadState>, WebError> {
    let project = site.project(&identity, &project, Role::Member).await?;
    let id = upload_id(&upload)?;
    let offset = headers.get("upload-offset").and_then(|value| value.to_str().ok()?.parse().ok());
    let no_offset = || WebError::new(WebErrorKind::Invalid, "expected the header upload-offset");
    let offset: u64 = offset.ok_or_else(no_offset)?;
    let mut writer = site.data.uploads().writer(project.id, &id, offset).await?;
    let mut parts = body.into_data_stream();
    let end = Instant::now() + PART_TIME;
    let mut count: u64 = 0;
    let broken = loop {
        let next = tokio::time::timeout_at(end.min(Instant::now() + PATIENCE), parts.next());
        match next.await {
            Ok(None) => break None,
            Ok(Some(Ok(bytes))) => {
                count += bytes.len() as u64;
                if count > MOST_PART {
                    let text = format!(
                        "a part has at most {MOST_PART} bytes; send the rest as another one"
                    );
                    return Err(WebError::new(WebErrorKind::TooLarge, text));
                }
                writer.write(&bytes).await?;
                site.metrics.uploaded(bytes.len() as u64);
            }
            Ok(Some(Err(_))) => {
                break Some(WebError::new(WebErrorKind::Invalid, "the part broke off"));
            }
            Err(_) => break Some(WebError::new(WebErrorKind::TooSlow, "the part took too long")),
        }
    };
    // What has arrived is kept, even if no more comes.
    writer.commit().await?;
    match broken {
        Some(error) => Err(error),
        None => Ok(Json(site.data.uploads().upload(project.id, &id).await?.into())),
    }
}

/// Give an upload up.
#[utoipa::path(delete, path = "/projects/{project}/uploads/{upload}", tag = "uploads",
    params(("project" = String, Path, description = "Name of the project"), ("upload" = String, Path, description = "The upload")),
    responses((status = 204), (status = "4XX", body = WebError)))]
pub async fn abandon(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path((project, upload)): Path<(String, String)>,
) -> Result<StatusCode, WebError> {
    let project = site.project(&identity, &project, Role::Member).await?;
    site.data.uploads().abandon(project.id, &upload_id(&upload)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Make a file of an upload whose bytes have all arrived. Asked again, the answer is the same file.
#[utoipa::path(post, path = "/projects/{project}/uploads/{upload}/finish", tag = "uploads",
    params(("project" = String, Path, description = "Name of the project"), ("upload" = String, Path, description = "The upload")),
    responses((status = 200, body = FileState), (status = "4XX", body = WebError)))]
pub async fn finish(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path((project, upload)): Path<(String, String)>,
) -> Result<Json<FileState>, WebError> {
    let project = site.project(&identity, &project, Role::Member).await?;
    let file = site.data.uploads().finish(project.id, &upload_id(&upload)?).await?;
    site.audit(&identity, ("upload.finish", &file.name), Some(project.id)).await?;
    Ok(Json(file.into()))
}
