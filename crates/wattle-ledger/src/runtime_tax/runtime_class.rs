//! Purposes that the runtime spends energy on.

use serde::{Deserialize, Serialize};

/// A class of the runtime tax, the strongest first: where several apply to one call path, the first is its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuntimeClass {
    /// Freeing memory: collections, their threads, finalizers, read barriers that do a collector's work.
    GarbageCollection,
    /// Compiling while the app runs, and saving profiles of what should have been compiled.
    JitCompilation,
    /// Opening DEX and OAT files, finding, loading, verifying and linking classes.
    ClassLoading,
    /// The rest of the launch of the app.
    AppStart,
}

impl RuntimeClass {
    /// All of them, the strongest first.
    pub const ALL: [Self; 4] =
        [Self::GarbageCollection, Self::JitCompilation, Self::ClassLoading, Self::AppStart];

    /// The word in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::GarbageCollection => "garbage-collection",
            Self::JitCompilation => "jit-compilation",
            Self::ClassLoading => "class-loading",
            Self::AppStart => "app-start",
        }
    }

    /// The word in tables.
    pub const fn title(self) -> &'static str {
        match self {
            Self::GarbageCollection => "garbage collection",
            Self::JitCompilation => "JIT compilation",
            Self::ClassLoading => "class loading",
            Self::AppStart => "app start",
        }
    }

    /// Its bit in a set of classes; a stronger class has a lower one.
    pub(super) const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// The strongest class of a set.
    pub(super) fn strongest(set: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|class| set & class.bit() != 0)
    }
}
