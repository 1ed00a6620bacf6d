//! Errors of Dalvik executables, and of requests that cannot be written into one.

use thiserror::Error;

use crate::Section;

/// A defect of the bytes, with its place, or an edit that the format cannot express.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DexError {
    /// The bytes end, or an offset points past their end.
    #[error("{section} at {offset:#x}: expected {expected} bytes, found {found} before the end")]
    Truncated {
        /// The section that is being read.
        section: Section,
        /// Offset of the read.
        offset: u64,
        /// Bytes wanted.
        expected: u64,
        /// Bytes there are.
        found: u64,
    },
    /// The first eight bytes are not `dex\n` and a version of three digits.
    #[error(
        "not a Dalvik executable: expected `dex\\n035\\0` to `dex\\n041\\0`, found {found:02x?}"
    )]
    Magic {
        /// The bytes found.
        found: [u8; 8],
    },
    /// A version of the format that does not exist or that this crate does not know.
    #[error("version {found} of the format, expected 035 or 037 to 041")]
    Version {
        /// The version in the magic.
        found: u16,
    },
    /// A value that the format forbids.
    #[error("{section} at {offset:#x}: expected {expected}, found {found:#x}")]
    Malformed {
        /// The section that holds the value.
        section: Section,
        /// Offset of the value.
        offset: u64,
        /// The requirement of the format.
        expected: &'static str,
        /// The value.
        found: u64,
    },
    /// A number of a string, type, … that has no entry.
    #[error("{section} at {offset:#x}: expected a number of {pool} below {limit}, found {found}")]
    Index {
        /// The section that holds the reference.
        section: Section,
        /// The place of the reference.
        offset: u64,
        /// The pool that it points into.
        pool: Section,
        /// The number of entries of that pool.
        limit: u32,
        /// The reference.
        found: u32,
    },
    /// An instruction that cannot be read.
    #[error("code at {offset:#x}, unit {unit}: expected {expected}, found {found:#x}")]
    Instruction {
        /// File offset of the code item; 0 where the code has none yet.
        offset: u64,
        /// Address in 16-bit units.
        unit: u32,
        /// The requirement of the format.
        expected: &'static str,
        /// The value found.
        found: u64,
    },
    /// More entries than the index type of the format can number.
    #[error("{found} {pool}, the format can number {limit}")]
    TooMany {
        /// The pool that overflows.
        pool: Section,
        /// Entries wanted.
        found: u64,
        /// Entries possible.
        limit: u64,
    },
    /// An instruction operand that does not fit the instruction's encoding.
    #[error("{opcode}: {operand} {found} does not fit, the encoding holds {limit}")]
    Operand {
        /// The mnemonic.
        opcode: &'static str,
        /// Which operand.
        operand: &'static str,
        /// Its value.
        found: i64,
        /// The largest value that fits.
        limit: i64,
    },
    /// A label that is used and placed nowhere, or placed twice.
    #[error("label {label} is {found}, expected to be placed exactly once")]
    Label {
        /// The number of the label.
        label: u32,
        /// The kind found instead.
        found: &'static str,
    },
    /// An edit that contradicts itself or the file.
    #[error("{subject}: expected {expected}, found {found}")]
    Edit {
        /// The edited part.
        subject: &'static str,
        /// The number needed.
        expected: String,
        /// The number given.
        found: String,
    },
}

/// The result of reading or writing.
pub type Result<T> = std::result::Result<T, DexError>;
