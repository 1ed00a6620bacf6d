//! An upload that has not been finished.

use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::base::{ProjectId, UploadId, UserId};

/// An upload to be begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewUpload {
    /// The project.
    pub project: ProjectId,
    /// The user; `None` on a server without users.
    pub owner: Option<UserId>,
    /// The file's name. It is shown, and never used as a path.
    pub name: String,
    /// The length of the whole file.
    pub bytes: u64,
    /// SHA-256 of the whole file, in hexadecimal digits, if it is known.
    pub sha256: Option<String>,
    /// A name for files that form one recording.
    pub set: Option<String>,
}

/// An upload that has not been finished.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Upload {
    /// Its name.
    pub id: UploadId,
    /// The project.
    pub project: ProjectId,
    /// The user; `None` on a server without users.
    pub owner: Option<UserId>,
    /// The file's name, to be shown.
    pub name: String,
    /// The length of the whole file.
    pub bytes: u64,
    /// The bytes that are on the disk: the offset from which to go on.
    pub received: u64,
    /// SHA-256 that the whole file must have.
    pub sha256: Option<String>,
    /// The set of files that it belongs to.
    pub set: Option<String>,
    /// The time of creation, Unix milliseconds.
    pub created_ms: i64,
    /// The time of the last bytes, Unix milliseconds.
    pub touched_ms: i64,
}

/// Columns of [`upload`].
pub(crate) const UPLOAD_COLUMNS: &str =
    "id, project, owner, name, bytes, received, sha256, file_set, created_ms, touched_ms";

/// From the columns [`UPLOAD_COLUMNS`].
pub(crate) fn upload(row: &AnyRow) -> sqlx::Result<Upload> {
    let id: String = row.try_get(0)?;
    let id = UploadId::from_digits(&id);
    Ok(Upload {
        id: id.ok_or_else(|| sqlx::Error::Decode("no upload's name".into()))?,
        project: ProjectId(row.try_get(1)?),
        owner: row.try_get::<Option<i64>, _>(2)?.map(UserId),
        name: row.try_get(3)?,
        bytes: row.try_get::<i64, _>(4)?.max(0) as u64,
        received: row.try_get::<i64, _>(5)?.max(0) as u64,
        sha256: row.try_get(6)?,
        set: row.try_get(7)?,
        created_ms: row.try_get(8)?,
        touched_ms: row.try_get(9)?,
    })
}
