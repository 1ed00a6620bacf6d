//! Alignment of stored data.

use crate::zip::entry_name::is_native_library;

/// Size of the memory pages that uncompressed native libraries are aligned to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PageSize {
    /// 4 KiB, enough for devices before Android 15.
    K4,
    /// 16 KiB, which devices with large pages need and which is right for 4 KiB pages, too.
    #[default]
    K16,
}

impl PageSize {
    /// The size.
    pub const fn bytes(self) -> usize {
        match self {
            Self::K4 => 4 << 10,
            Self::K16 => 16 << 10,
        }
    }
}

/// Alignment of the data of stored entries, as `zipalign` defines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Alignment {
    /// For `lib/**/*.so`.
    pub native_libraries: PageSize,
}

impl Alignment {
    /// For all other stored entries.
    const STORED: usize = 4;

    /// The multiple at which this stored entry's data must begin.
    pub fn of(self, name: &str) -> usize {
        if is_native_library(name) { self.native_libraries.bytes() } else { Self::STORED }
    }
}
