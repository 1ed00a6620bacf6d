//! Files of a subject.

use wattle_apk::{Apk, Manifest};

use super::input::{Input, Kind};

/// A file of a subject.
pub struct Member {
    /// Its path, or its entry in the archive.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
    /// Its kind.
    pub kind: Kind,
}

impl From<Input> for Member {
    fn from(input: Input) -> Self {
        Self { name: input.name, bytes: input.bytes, kind: input.kind }
    }
}

/// The manifest of a package; nothing where it is none or cannot be read.
pub fn manifest(kind: Kind, bytes: &[u8]) -> Option<Manifest> {
    if kind == Kind::Package { Apk::open(bytes).ok()?.manifest().ok() } else { None }
}
