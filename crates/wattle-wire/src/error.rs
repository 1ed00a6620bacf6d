//! Defects in the framing of a message.

use thiserror::Error;

/// A defect of the framing and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{defect} at byte {offset}")]
pub struct WireError {
    /// The defect.
    pub defect: Defect,
    /// Offset of the first byte of the field (or number) that cannot be read, counted from the start of
    /// the slice that the cursor was made with, plus the base it was given.
    pub offset: u64,
}

/// Defect in the framing of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Defect {
    /// The bytes end inside a field.
    #[error("the message ends inside a field")]
    Truncated,
    /// A length field says more bytes than there are. This is how a cut file ends, too.
    #[error("a field of {expected} bytes where only {found} are left")]
    Length {
        /// Bytes that the length field promises.
        expected: u64,
        /// Bytes that follow it.
        found: u64,
    },
    /// A varint of more than ten bytes, or one that does not fit 64 bits.
    #[error("a varint longer than 64 bits")]
    Varint,
    /// Field number 0, or one past 2^29 - 1.
    #[error("field number {0}, expected 1 to 536870911")]
    FieldNumber(u64),
    /// Wire types 6 and 7 do not exist.
    #[error("wire type {0}, expected 0 to 5")]
    WireType(u8),
    /// The end of a group that was not begun, or of another group than the innermost.
    #[error("the end of group {0}, which is not open")]
    Group(u32),
}
