//! A file of a project.

use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::base::{FileId, ProjectId, UploadId, UserId};

/// A file of a project. Its content is stored once, by its SHA-256.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct StoredFile {
    /// The number.
    pub id: FileId,
    /// The project.
    pub project: ProjectId,
    /// The user; `None` on a server without users.
    pub owner: Option<UserId>,
    /// The upload that it was.
    pub upload: UploadId,
    /// The name, to be shown.
    pub name: String,
    /// SHA-256, in hexadecimal digits.
    pub sha256: String,
    /// The length.
    pub bytes: u64,
    /// The set of files that it belongs to.
    pub set: Option<String>,
    /// The time at which it was complete, Unix milliseconds.
    pub created_ms: i64,
}

/// Columns of [`stored_file`].
pub(crate) const FILE_COLUMNS: &str =
    "id, project, owner, upload, name, sha256, bytes, file_set, created_ms";

/// From the columns [`FILE_COLUMNS`].
pub(crate) fn stored_file(row: &AnyRow) -> sqlx::Result<StoredFile> {
    let upload: String = row.try_get(3)?;
    let upload = UploadId::from_digits(&upload);
    Ok(StoredFile {
        id: FileId(row.try_get(0)?),
        project: ProjectId(row.try_get(1)?),
        owner: row.try_get::<Option<i64>, _>(2)?.map(UserId),
        upload: upload.ok_or_else(|| sqlx::Error::Decode("no upload's name".into()))?,
        name: row.try_get(4)?,
        sha256: row.try_get(5)?,
        bytes: row.try_get::<i64, _>(6)?.max(0) as u64,
        set: row.try_get(7)?,
        created_ms: row.try_get(8)?,
    })
}
