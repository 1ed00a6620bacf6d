//! Sections of a file, and where the file says that they are.

use std::ops::{Deref, Range};
use std::sync::Arc;

/// Bytes of a section, shared by all places that the file is mapped to.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedBytes(Arc<[u8]>);

impl From<Vec<u8>> for SharedBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }
}

impl Deref for SharedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// A section with its addresses in the file.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) addresses: Range<u64>,
    pub(super) bytes: SharedBytes,
}
