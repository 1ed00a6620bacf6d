//! One input file before it is known what it is.

use wattle_recording::ArtifactKind;

use crate::registry::{FileType, recognise_as};

/// An input file as messages name it, and its size if that is known.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    pub name: &'a str,
    pub total: Option<u64>,
    /// Kind under which the recording lists it.
    pub kind: Option<ArtifactKind>,
}

impl<'a> Input<'a> {
    /// One of which nothing but the name is known.
    pub fn named(name: &'a str) -> Self {
        Self { name, total: None, kind: None }
    }

    /// Its type, by its first bytes and by what the recording lists it as.
    pub fn file_type(&self, head: &[u8]) -> FileType {
        recognise_as(self.kind, head)
    }
}
