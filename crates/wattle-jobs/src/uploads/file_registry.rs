//! The files of projects.

use std::collections::HashSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use sqlx::{AssertSqlSafe, Row as _};

use super::StoredFile;
use super::stored_file::{FILE_COLUMNS, stored_file};
use crate::base::{FileId, ProjectId, ServerCore, ServerError, UploadId};

/// The files of projects.
#[derive(Clone, Debug)]
pub struct StoredFiles {
    core: ServerCore,
}

impl StoredFiles {
    pub(crate) fn new(core: ServerCore) -> Self {
        Self { core }
    }

    /// A file of a project.
    pub async fn file(&self, project: ProjectId, id: FileId) -> Result<StoredFile, ServerError> {
        let text = format!("SELECT {FILE_COLUMNS} FROM stored_file WHERE id = $1 AND project = $2");
        let query = sqlx::query(AssertSqlSafe(text)).bind(id.0).bind(project.0);
        let row = query.fetch_optional(self.core.reader()).await?;
        Ok(stored_file(&row.ok_or(ServerError::NotFound("file"))?)?)
    }

    /// The newest files of a project before a number, newest first.
    pub async fn newest(
        &self,
        project: ProjectId,
        before: Option<FileId>,
        most: u32,
    ) -> Result<Vec<StoredFile>, ServerError> {
        let text = format!(
            "SELECT {FILE_COLUMNS} FROM stored_file WHERE project = $1 AND id < $2 ORDER BY id DESC LIMIT $3"
        );
        let query = sqlx::query(AssertSqlSafe(text)).bind(project.0);
        let query = query.bind(before.map_or(i64::MAX, |before| before.0)).bind(i64::from(most));
        let rows = query.fetch_all(self.core.reader()).await?;
        Ok(rows.iter().map(stored_file).collect::<sqlx::Result<_>>()?)
    }

    /// The files of a set, in the order in which they were completed.
    pub async fn in_set(
        &self,
        project: ProjectId,
        set: &str,
    ) -> Result<Vec<StoredFile>, ServerError> {
        let text = format!(
            "SELECT {FILE_COLUMNS} FROM stored_file WHERE project = $1 AND file_set = $2 ORDER BY id"
        );
        let query = sqlx::query(AssertSqlSafe(text)).bind(project.0).bind(set.to_owned());
        let rows = query.fetch_all(self.core.reader()).await?;
        Ok(rows.iter().map(stored_file).collect::<sqlx::Result<_>>()?)
    }

    /// The content of a file, to be opened for reading.
    pub fn path(&self, file: &StoredFile) -> PathBuf {
        self.core.location().content_file(file.project, &file.sha256)
    }

    /// Deletes a file, unless a job that has not ended uses it.
    pub async fn delete(&self, project: ProjectId, id: FileId) -> Result<(), ServerError> {
        let mut write = self.core.write_from_reserve().await?;
        self.core.take_turn(&mut write).await?;
        let used = "SELECT COUNT(*) FROM job_input i JOIN job j ON j.id = i.job WHERE i.file = $1 AND j.state < 2";
        let used: i64 = sqlx::query(used).bind(id.0).fetch_one(&mut *write).await?.try_get(0)?;
        if used > 0 {
            let text = "a job that has not ended uses this file; cancel it first".to_owned();
            return Err(ServerError::Conflict(text));
        }
        let delete = "DELETE FROM stored_file WHERE id = $1 AND project = $2 RETURNING sha256";
        let delete = sqlx::query(delete).bind(id.0).bind(project.0);
        let row = delete.fetch_optional(&mut *write).await?;
        let sha256: String = row.ok_or(ServerError::NotFound("file"))?.try_get(0)?;
        let is_used = self.is_used(&mut write, project, &sha256).await?;
        write.commit().await?;
        if !is_used {
            self.sweep_one(project, &sha256).await?;
        }
        Ok(())
    }

    /// The number of files that [`delete_before`](Self::delete_before) would delete.
    pub async fn count_before(
        &self,
        project: ProjectId,
        time_ms: i64,
    ) -> Result<usize, ServerError> {
        let count = "SELECT COUNT(*) FROM stored_file f WHERE f.project = $1 AND f.created_ms < $2 AND NOT EXISTS \
            (SELECT 1 FROM job_input i JOIN job j ON j.id = i.job WHERE i.file = f.id AND j.state < 2)";
        let count = sqlx::query(count).bind(project.0).bind(time_ms);
        let row = count.fetch_one(self.core.reader()).await?;
        Ok(usize::try_from(row.try_get::<i64, _>(0)?).unwrap_or_default())
    }

    /// Deletes the files of a project from before a time, Unix milliseconds, except those that jobs use which have not ended. Runs that were
    /// made of them stay. Returns their number.
    pub async fn delete_before(
        &self,
        project: ProjectId,
        time_ms: i64,
    ) -> Result<usize, ServerError> {
        let old = "SELECT id FROM stored_file WHERE project = $1 AND created_ms < $2 ORDER BY id";
        let old = sqlx::query(old).bind(project.0).bind(time_ms);
        let mut deleted = 0;
        for row in old.fetch_all(self.core.reader()).await? {
            match self.delete(project, FileId(row.try_get(0)?)).await {
                Err(ServerError::Conflict(_) | ServerError::NotFound(_)) => {}
                other => {
                    other?;
                    deleted += 1;
                }
            }
        }
        Ok(deleted)
    }

    async fn is_used(
        &self,
        connection: &mut crate::base::Connected,
        project: ProjectId,
        sha256: &str,
    ) -> Result<bool, ServerError> {
        let used = "SELECT (SELECT COUNT(*) FROM stored_file WHERE project = $1 AND sha256 = $2) + \
            (SELECT COUNT(*) FROM job_output o JOIN job j ON j.id = o.job WHERE j.project = $1 AND o.sha256 = $2)";
        let query = sqlx::query(used).bind(project.0).bind(sha256.to_owned());
        Ok(query.fetch_one(connection).await?.try_get::<i64, _>(0)? > 0)
    }

    /// Deletes a content that no row names. Nobody can add a row meanwhile.
    async fn sweep_one(&self, project: ProjectId, sha256: &str) -> Result<bool, ServerError> {
        let mut write = self.core.write_from_reserve().await?;
        self.core.take_turn(&mut write).await?;
        if self.is_used(&mut write, project, sha256).await? {
            return Ok(false);
        }
        Ok(fs::remove_file(self.core.location().content_file(project, sha256)).is_ok())
    }

    /// Deletes contents that no row names: those of deleted files, and of a server that was killed before it could commit one. Returns
    /// their number.
    pub async fn sweep(&self) -> Result<usize, ServerError> {
        let projects = sqlx::query("SELECT id FROM project").fetch_all(self.core.reader()).await?;
        let mut swept = 0;
        for row in projects {
            let project = ProjectId(row.try_get(0)?);
            let used = "SELECT sha256 FROM stored_file WHERE project = $1 UNION \
                SELECT o.sha256 FROM job_output o JOIN job j ON j.id = o.job WHERE j.project = $1";
            let used = sqlx::query(used).bind(project.0).fetch_all(self.core.reader()).await?;
            let used: HashSet<String> =
                used.iter().map(|row| row.try_get(0)).collect::<sqlx::Result<_>>()?;
            let folder = self.core.location().project(project).join("files");
            for name in names_below(&folder).into_iter().filter(|name| !used.contains(name)) {
                swept += usize::from(self.sweep_one(project, &name).await?);
            }
        }
        Ok(swept)
    }
}

/// The file that an upload became.
pub(crate) async fn named_upload(
    core: &ServerCore,
    project: ProjectId,
    upload: &UploadId,
) -> Result<StoredFile, ServerError> {
    let text = format!("SELECT {FILE_COLUMNS} FROM stored_file WHERE upload = $1 AND project = $2");
    let query = sqlx::query(AssertSqlSafe(text)).bind(upload.as_str().to_owned()).bind(project.0);
    let row = query.fetch_optional(core.reader()).await?;
    Ok(stored_file(&row.ok_or(ServerError::NotFound("upload"))?)?)
}

/// Gives a complete file its name by content. Afterwards both names may exist. The bytes are on the disk, and so is the name.
pub(crate) fn store_content(from: &Path, to: &Path, bytes: u64) -> Result<(), ServerError> {
    let folder = to.parent().unwrap_or(to);
    crate::base::make_private_folder(folder)?;
    let is_whole = fs::symlink_metadata(to).is_ok_and(|it| it.is_file() && it.len() == bytes);
    if is_whole {
        return Ok(());
    }
    File::open(from).and_then(|file| file.sync_all()).map_err(ServerError::file(from))?;
    // A shorter one is a file that something else damaged: it is replaced.
    let _ = fs::remove_file(to);
    if fs::hard_link(from, to).is_err() {
        // File systems without links.
        fs::rename(from, to).map_err(ServerError::file(to))?;
    }
    read_only(to).map_err(ServerError::file(to))?;
    for folder in folder.ancestors().take(3) {
        sync_folder(folder).map_err(ServerError::file(folder))?;
    }
    Ok(())
}

fn read_only(path: &Path) -> std::io::Result<()> {
    let mut permissions = fs::metadata(path)?.permissions();
    permissions.set_readonly(true);
    fs::set_permissions(path, permissions)
}

/// Puts the names in a folder on the disk. Windows has no such call, and needs none.
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    if cfg!(windows) {
        return Ok(());
    }
    File::open(folder)?.sync_all()
}

/// Names of contents: 64 digits, in folders of two.
fn names_below(folder: &Path) -> Vec<String> {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    let is_content =
        |name: &String| name.len() == 64 && name.bytes().all(|it| it.is_ascii_hexdigit());
    let folders = entries(folder).filter(|entry| entry.file_type().is_ok_and(|it| it.is_dir()));
    let files = folders.flat_map(|folder| entries(&folder.path()).collect::<Vec<_>>());
    files.filter_map(|entry| entry.file_name().into_string().ok()).filter(is_content).collect()
}
