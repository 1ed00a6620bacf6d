//! Digests of uploads that this process receives.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest as _, Sha256};

use crate::base::UploadId;

/// Digests of the bytes that this process has seen of open uploads from their beginning, so that finishing them reads nothing again. What
/// is absent here is computed from the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunningDigests(Arc<Mutex<HashMap<UploadId, (u64, Sha256)>>>);

impl RunningDigests {
    /// Takes the digest of the first `bytes` bytes of an upload.
    pub fn take(&self, upload: &UploadId, bytes: u64) -> Option<Sha256> {
        let mut digests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (known, digest) = digests.remove(upload)?;
        (known == bytes).then_some(digest)
    }

    /// Keeps the digest of the first `bytes` bytes of an upload.
    pub fn put(&self, upload: &UploadId, bytes: u64, digest: Sha256) {
        let mut digests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        digests.insert(upload.clone(), (bytes, digest));
    }

    /// Begins the digest of a new upload.
    pub fn begin(&self, upload: &UploadId) {
        self.put(upload, 0, Sha256::new());
    }

    /// Forgets an upload.
    pub fn forget(&self, upload: &UploadId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(upload);
    }
}
