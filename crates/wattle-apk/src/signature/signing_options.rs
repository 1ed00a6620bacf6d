//! Which signatures to make.

use crate::crypto::{Hash, SigningKey};
use crate::signature::entry_hash::entry_hash;
use crate::zip::{Alignment, Apk};

/// Which schemes to sign with, and for which platforms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SignOptions {
    /// Sign every entry (JAR signature), which platforms before Android 7.0 (API level 24) need.
    pub v1: bool,
    /// Sign the file as a whole; Android 7.0 and later prefer it.
    pub v2: bool,
    /// Sign the file as a whole, with room for key rotation; Android 9 (API level 28) and later prefer it.
    pub v3: bool,
    /// The lowest API level the package installs on, which decides the digests of v1.
    pub min_sdk: u32,
    /// Alignment of stored entries.
    pub alignment: Alignment,
}

impl SignOptions {
    /// First API level that knows scheme v2.
    pub const V2_SINCE: u32 = 24;
    /// First API level that knows scheme v3.
    pub const V3_SINCE: u32 = 28;

    /// The choice of `apksigner` for a package from this API level on: v2 and v3, and v1 if a platform needs it.
    pub const fn for_min_sdk(min_sdk: u32) -> Self {
        Self {
            v1: min_sdk < Self::V2_SINCE,
            v2: true,
            v3: true,
            min_sdk,
            alignment: Alignment { native_libraries: crate::PageSize::K16 },
        }
    }

    /// The digest that the JAR signature needs of each entry; `None` without one, or where the key cannot sign for these platforms.
    pub fn entry_hash(&self, key: &SigningKey) -> Option<Hash> {
        self.v1.then(|| entry_hash(key, self.min_sdk).ok()).flatten()
    }

    /// The choice for a package by what its manifest says; without a readable manifest for every platform.
    pub fn for_apk(apk: &Apk<'_>) -> Self {
        Self::for_min_sdk(apk.manifest().ok().and_then(|m| m.min_sdk).unwrap_or(1))
    }
}

impl Default for SignOptions {
    /// All schemes, for every platform.
    fn default() -> Self {
        Self::for_min_sdk(1)
    }
}
