//! Reasons why nothing of a file can be read.

use thiserror::Error;

/// The reason why nothing of a file can be read. Other defects cost only what they hit ([`Damage`](super::Damage)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PerfFileError {
    /// Another signature than that of `perf.data`.
    #[error("expected PERFILE2 at the beginning of the file, found something else")]
    NotPerfData,
    /// The file ends in its head.
    #[error("the file ends in its head")]
    HeaderCut,
}
