//! The open uploads of a server.

use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};
use sqlx::AssertSqlSafe;

use super::file_registry::{named_upload, store_content};
use super::file_title::file_title;
use super::running_digests::RunningDigests;
use super::stored_file::{FILE_COLUMNS, stored_file};
use super::upload_lock::LockedFile;
use super::upload_record::{UPLOAD_COLUMNS, upload};
use super::{NewUpload, StoredFile, Upload, UploadWriter};
use crate::accounts::{UsageSums, check_upload};
use crate::base::{
    LimitKind, LimitReached, ProjectId, ServerCore, ServerError, StillnessWatch, UploadId,
    free_bytes, hex, random_digits,
};

/// The time for which this process must have seen an upload stand still before it expires, so that a clock that jumps
/// ends no upload that is under way.
const STILL: Duration = Duration::from_mins(10);

/// The open uploads of a server.
#[derive(Clone, Debug)]
pub struct Uploads {
    core: ServerCore,
    digests: RunningDigests,
}

impl Uploads {
    pub(crate) fn new(core: ServerCore) -> Self {
        Self { core, digests: RunningDigests::default() }
    }

    /// Begins an upload, if limits and the disk have room for all of it.
    pub async fn begin(&self, new: &NewUpload) -> Result<Upload, ServerError> {
        let sha256 = new.sha256.as_deref().map(digits_of_sha256).transpose()?;
        let digits = random_digits::<16>()?;
        let Some(id) = UploadId::from_digits(&digits) else {
            return Err(ServerError::NotFound("upload"));
        };
        let name = file_title(&new.name);
        let set = new.set.as_deref().map(file_title);
        let now = self.core.now_ms();
        let mut write = self.core.write().await?;
        self.core.take_turn(&mut write).await?;
        check_upload(&mut write, self.core.limits(), new.owner, new.project, new.bytes).await?;
        self.check_disk(&mut write, new.bytes).await?;
        // The file first: one without a row is swept, a row without a file would be a lie.
        let path = self.core.location().upload_file(&id);
        create(&path).map_err(ServerError::file(&path))?;
        let text = "INSERT INTO upload (id, project, owner, name, bytes, received, sha256, file_set, created_ms, touched_ms) \
            VALUES ($1, $2, $3, $4, $5, 0, $6, $7, $8, $8)";
        let query = sqlx::query(text)
            .bind(id.as_str().to_owned())
            .bind(new.project.0)
            .bind(new.owner.map(|owner| owner.0))
            .bind(name)
            .bind(i64::try_from(new.bytes).unwrap_or(i64::MAX))
            .bind(sha256)
            .bind(set)
            .bind(now);
        let inserted = query.execute(&mut *write).await;
        if let Err(error) = inserted {
            let _ = std::fs::remove_file(&path);
            return Err(error.into());
        }
        write.commit().await?;
        self.digests.begin(&id);
        self.upload(new.project, &id).await
    }

    async fn check_disk(
        &self,
        connection: &mut crate::base::Connected,
        bytes: u64,
    ) -> Result<(), ServerError> {
        use sqlx::Row as _;
        let pending = "SELECT CAST(COALESCE(SUM(bytes - received), 0) AS BIGINT) FROM upload";
        let pending: i64 = sqlx::query(pending).fetch_one(connection).await?.try_get(0)?;
        let free = free_bytes(&self.core.location().uploads())?;
        let reserved = self.core.limits().reserve_bytes.saturating_add(pending.max(0) as u64);
        let available = free.saturating_sub(reserved);
        Ok(LimitReached::check(LimitKind::FreeDisk, bytes, available)?)
    }

    /// An upload of a project.
    pub async fn upload(&self, project: ProjectId, id: &UploadId) -> Result<Upload, ServerError> {
        let text = format!("SELECT {UPLOAD_COLUMNS} FROM upload WHERE id = $1 AND project = $2");
        let query = sqlx::query(AssertSqlSafe(text)).bind(id.as_str().to_owned()).bind(project.0);
        let row = query.fetch_optional(self.core.reader()).await?;
        Ok(upload(&row.ok_or(ServerError::NotFound("upload"))?)?)
    }

    /// The open uploads of a project, oldest first.
    pub async fn open(&self, project: ProjectId) -> Result<Vec<Upload>, ServerError> {
        let text = format!(
            "SELECT {UPLOAD_COLUMNS} FROM upload WHERE project = $1 ORDER BY created_ms, id"
        );
        let rows = sqlx::query(AssertSqlSafe(text)).bind(project.0);
        let rows = rows.fetch_all(self.core.reader()).await?;
        Ok(rows.iter().map(upload).collect::<sqlx::Result<_>>()?)
    }

    /// Begins to write bytes from an offset on, which must be the one that the upload stands at.
    pub async fn writer(
        &self,
        project: ProjectId,
        id: &UploadId,
        offset: u64,
    ) -> Result<UploadWriter, ServerError> {
        let before = self.upload(project, id).await?;
        let (core, digests) = (self.core.clone(), self.digests.clone());
        if before.received != offset {
            return Err(ServerError::WrongOffset { expected: before.received, found: offset });
        }
        // Nobody else had the file open, so that the row is what it was, or a later one.
        let lock = LockedFile::open(&core.location().upload_file(id))?;
        let upload = self.upload(project, id).await?;
        if upload.received != offset {
            return Err(ServerError::WrongOffset { expected: upload.received, found: offset });
        }
        UploadWriter::open(core, digests, upload, lock)
    }

    /// Writes bytes from an offset on and puts them on record: one step of [`writer`](Self::writer). Returns the offset from which to go on.
    pub async fn append(
        &self,
        project: ProjectId,
        id: &UploadId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<u64, ServerError> {
        let mut writer = self.writer(project, id, offset).await?;
        writer.write(bytes).await?;
        writer.commit().await
    }

    /// Makes a file of an upload whose bytes are all there. Asked again, the answer is the same file.
    pub async fn finish(
        &self,
        project: ProjectId,
        id: &UploadId,
    ) -> Result<StoredFile, ServerError> {
        let upload = match self.upload(project, id).await {
            Err(ServerError::NotFound(_)) => return named_upload(&self.core, project, id).await,
            other => other?,
        };
        if upload.received != upload.bytes {
            return Err(ServerError::WrongOffset {
                expected: upload.received,
                found: upload.bytes,
            });
        }
        let path = self.core.location().upload_file(id);
        let file = LockedFile::open(&path)?;
        let digest = match self.digests.take(id, upload.bytes) {
            Some(digest) => digest,
            None => digest_of(path.clone()).await?,
        };
        let sha256 = hex(&digest.finalize());
        if let Some(expected) = &upload.sha256
            && *expected != sha256
        {
            drop(file);
            self.abandon(project, id).await?;
            let reason = format!("expected the SHA-256 {expected}, found {sha256}; send it again");
            return Err(ServerError::invalid("upload", reason));
        }
        let mut write = self.core.write().await?;
        let text =
            format!("DELETE FROM upload WHERE id = $1 AND project = $2 RETURNING {UPLOAD_COLUMNS}");
        let query = sqlx::query(AssertSqlSafe(text)).bind(id.as_str().to_owned()).bind(project.0);
        if query.fetch_optional(&mut *write).await?.is_none() {
            drop(write);
            return named_upload(&self.core, project, id).await;
        }
        // Within the transaction, so that whoever sweeps files without rows waits.
        self.core.take_turn(&mut write).await?;
        store_content(&path, &self.core.location().content_file(project, &sha256), upload.bytes)?;
        let text = format!(
            "INSERT INTO stored_file (project, owner, upload, name, sha256, bytes, file_set, created_ms) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING {FILE_COLUMNS}"
        );
        let query = sqlx::query(AssertSqlSafe(text))
            .bind(project.0)
            .bind(upload.owner.map(|owner| owner.0))
            .bind(id.as_str().to_owned())
            .bind(upload.name)
            .bind(sha256)
            .bind(upload.bytes as i64)
            .bind(upload.set)
            .bind(self.core.now_ms());
        let stored = stored_file(&query.fetch_one(&mut *write).await?)?;
        write.commit().await?;
        // What is left is swept later.
        let _ = std::fs::remove_file(&path);
        Ok(stored)
    }

    /// Deletes an upload.
    pub async fn abandon(&self, project: ProjectId, id: &UploadId) -> Result<(), ServerError> {
        let mut write = self.core.write_from_reserve().await?;
        let delete = sqlx::query("DELETE FROM upload WHERE id = $1 AND project = $2");
        let delete = delete.bind(id.as_str().to_owned()).bind(project.0);
        if delete.execute(&mut *write).await?.rows_affected() == 0 {
            return Err(ServerError::NotFound("upload"));
        }
        write.commit().await?;
        self.digests.forget(id);
        let _ = std::fs::remove_file(self.core.location().upload_file(id));
        Ok(())
    }

    /// Deletes uploads that nothing was added to for long, and files of uploads that are none. To be called every few minutes with
    /// the same watch. Returns the number of uploads.
    pub async fn expire(
        &self,
        watch: &mut StillnessWatch<UploadId, u64>,
        now: Instant,
    ) -> Result<usize, ServerError> {
        let text = format!("SELECT {UPLOAD_COLUMNS} FROM upload");
        let rows = sqlx::query(AssertSqlSafe(text)).fetch_all(self.core.reader()).await?;
        let open: Vec<Upload> = rows.iter().map(upload).collect::<sqlx::Result<_>>()?;
        let life = i64::try_from(self.core.limits().upload_expiry.as_millis()).unwrap_or(i64::MAX);
        let patience = STILL.min(self.core.limits().upload_expiry);
        let still = watch.still(open.iter().map(|it| (it.id.clone(), it.received)), now, patience);
        let now_ms = self.core.now_ms();
        let mut expired = 0;
        for upload in open.iter().filter(|upload| still.contains(&upload.id)) {
            if now_ms.saturating_sub(upload.touched_ms) >= life {
                match self.abandon(upload.project, &upload.id).await {
                    Err(ServerError::NotFound(_)) => {}
                    other => {
                        other?;
                        expired += 1;
                    }
                }
            }
        }
        self.sweep().await?;
        Ok(expired)
    }

    /// Deletes files of uploads that are none.
    async fn sweep(&self) -> Result<(), ServerError> {
        let folder = self.core.location().uploads();
        let mut write = self.core.write_from_reserve().await?;
        self.core.take_turn(&mut write).await?;
        for entry in std::fs::read_dir(&folder).map_err(ServerError::file(&folder))?.flatten() {
            let name = entry.file_name();
            let Some(id) = name.to_str().and_then(UploadId::from_digits) else { continue };
            let known = sqlx::query("SELECT 1 FROM upload WHERE id = $1");
            let known = known.bind(id.as_str().to_owned()).fetch_optional(&mut *write).await?;
            if known.is_none() {
                let _ = std::fs::remove_file(entry.path());
            }
        }
        Ok(())
    }

    /// Bytes that are stored or reserved on the whole server, for metrics.
    pub async fn stored_bytes(&self) -> Result<u64, ServerError> {
        let mut connection = self.core.reader().acquire().await?;
        Ok(UsageSums::of_server(&mut connection).await?.bytes)
    }
}

fn create(path: &std::path::Path) -> std::io::Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

async fn digest_of(path: PathBuf) -> Result<Sha256, ServerError> {
    let digest = move || {
        let mut digest = Sha256::new();
        let mut file = File::open(&path).map_err(ServerError::file(&path))?;
        let mut buffer = vec![0; 1 << 20];
        loop {
            match file.read(&mut buffer).map_err(ServerError::file(&path))? {
                0 => return Ok(digest),
                count => digest.update(buffer.get(..count).unwrap_or_default()),
            }
        }
    };
    let digest = tokio::task::spawn_blocking(digest).await;
    digest.map_err(|error| ServerError::Machine { task: "digest", reason: error.to_string() })?
}

/// The digits as they are stored: in lower case.
fn digits_of_sha256(text: &str) -> Result<String, ServerError> {
    if text.len() == 64 && text.bytes().all(|it| it.is_ascii_hexdigit()) {
        return Ok(text.to_ascii_lowercase());
    }
    Err(ServerError::invalid("sha256", "expected 64 hexadecimal digits"))
}
