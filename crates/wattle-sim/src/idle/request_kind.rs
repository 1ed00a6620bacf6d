//! Kinds of disk operations.

/// Kind of an operation of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RequestKind {
    /// Bytes are read.
    Read,
    /// Bytes are written.
    Write,
    /// The disk makes permanent what was written.
    Flush,
}
