//! Errors of `.gnu_debugdata`.

/// Why a `.gnu_debugdata` cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MiniDebugError {
    /// Something else.
    #[error("expected an xz file")]
    NotXz,
    /// It ends early, or its sum is another one.
    #[error("the xz file is damaged")]
    Damaged,
    /// Packed with a filter other than LZMA2.
    #[error("expected LZMA2 as the only filter of the xz file")]
    Filter,
    /// It would become larger than anything real.
    #[error("expected at most {limit} bytes")]
    TooLarge {
        /// The most that is unpacked.
        limit: usize,
    },
}
