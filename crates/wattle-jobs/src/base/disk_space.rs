//! Room on the disk.

use std::path::Path;

use super::ServerError;

/// Bytes that this program may still write to the disk of a folder; all there could be where the system does not say.
pub(crate) fn free_bytes(folder: &Path) -> Result<u64, ServerError> {
    #[cfg(unix)]
    {
        let space =
            rustix::fs::statvfs(folder).map_err(|error| ServerError::file(folder)(error.into()))?;
        Ok(space.f_bavail.saturating_mul(space.f_frsize))
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        Ok(u64::MAX)
    }
}
