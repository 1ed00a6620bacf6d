//! Writing the bytes of an upload.

use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;

use sha2::{Digest as _, Sha256};

use super::Upload;
use super::running_digests::RunningDigests;
use super::upload_lock::LockedFile;
use crate::base::{ServerCore, ServerError};

/// Bytes after which what was written is put on record.
const CHECKPOINT: u64 = 64 << 20;

/// Writes bytes of an upload, from the offset at which it stands. There is one writer of an upload at a time.
///
/// Bytes count once they are on record: after [`commit`](Self::commit), and every 64 MiB. What a dropped writer wrote since does not.
#[derive(Debug)]
pub struct UploadWriter {
    core: ServerCore,
    digests: RunningDigests,
    upload: Upload,
    file: LockedFile,
    path: PathBuf,
    written: u64,
    digest: Option<Sha256>,
}

impl UploadWriter {
    pub(crate) fn open(
        core: ServerCore,
        digests: RunningDigests,
        upload: Upload,
        file: LockedFile,
    ) -> Result<Self, ServerError> {
        let path = core.location().upload_file(&upload.id);
        // What is behind is of a writer that was interrupted.
        file.set_len(upload.received).map_err(ServerError::file(&path))?;
        let mut writer = Self {
            digest: digests.take(&upload.id, upload.received),
            core,
            digests,
            written: upload.received,
            upload,
            file,
            path,
        };
        let seek = writer.file.seek(SeekFrom::Start(writer.written));
        seek.map_err(ServerError::file(&writer.path))?;
        Ok(writer)
    }

    /// The offset of the next byte.
    pub fn offset(&self) -> u64 {
        self.written
    }

    /// Writes bytes. More than the upload was declared to have are refused before any of them is written.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<(), ServerError> {
        let after = self.written.saturating_add(bytes.len() as u64);
        if after > self.upload.bytes {
            let reason = format!("expected {} bytes in all, found more", self.upload.bytes);
            return Err(ServerError::invalid("upload", reason));
        }
        if let Err(error) = self.file.write_all(bytes) {
            // What is not on record is of no use, and may be what the disk is full of.
            let _ = self.file.set_len(self.upload.received);
            return Err(ServerError::file(&self.path)(error));
        }
        if let Some(digest) = &mut self.digest {
            digest.update(bytes);
        }
        self.written = after;
        if self.written - self.upload.received >= CHECKPOINT {
            self.record().await?;
        }
        Ok(())
    }

    /// Puts what was written on the disk and on record. Returns the offset from which to go on.
    pub async fn commit(mut self) -> Result<u64, ServerError> {
        self.record().await?;
        if let Some(digest) = self.digest.take() {
            self.digests.put(&self.upload.id, self.written, digest);
        }
        Ok(self.written)
    }

    async fn record(&mut self) -> Result<(), ServerError> {
        let file = self.file.try_clone().map_err(ServerError::file(&self.path))?;
        let synced = tokio::task::spawn_blocking(move || file.sync_data()).await;
        let synced = synced.unwrap_or_else(|error| Err(std::io::Error::other(error)));
        synced.map_err(ServerError::file(&self.path))?;
        let mut write = self.core.write().await?;
        let text =
            "UPDATE upload SET received = $1, touched_ms = $2 WHERE id = $3 AND received = $4";
        let query = sqlx::query(text)
            .bind(self.written as i64)
            .bind(self.core.now_ms())
            .bind(self.upload.id.as_str().to_owned())
            .bind(self.upload.received as i64);
        if query.execute(&mut *write).await?.rows_affected() == 0 {
            return Err(ServerError::NotFound("upload"));
        }
        write.commit().await?;
        self.upload.received = self.written;
        Ok(())
    }
}
