//! The name of a probe map.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// The name of a probe map: the SHA-256 of its bytes, so that a recording cannot be read with another map.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct MapId(pub [u8; 32]);

impl MapId {
    /// Of a map's bytes.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The first eight digits, which every label and record carries.
    pub fn short(&self) -> String {
        self.to_string().chars().take(8).collect()
    }
}

impl fmt::Display for MapId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl fmt::Debug for MapId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "MapId({self})")
    }
}
