//! Errors of attribution and of saved ledgers.

use std::path::PathBuf;

use wattle_power::Component;
use wattle_units::Joules;

impl From<serde_json::Error> for LedgerError {
    fn from(error: serde_json::Error) -> Self {
        if error.is_eof() { Self::Cut } else { Self::Json(error) }
    }
}

/// Why there is no ledger.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The two sides of a component differ: a bug of attribution or a track with impossible numbers. Never
    /// shipped as a result.
    #[error(
        "the ledger does not close for {component}: its accounts add up to {} J, its power tracks \
         to {} J, which differ by {error:e} relative where 1e-9 is allowed",
        booked.value(), integrated.value()
    )]
    DoesNotClose {
        /// Which component.
        component: Component,
        /// Sum over accounts.
        booked: Joules,
        /// `∫ power dt`.
        integrated: Joules,
        /// Relative difference.
        error: f64,
    },
    /// More rows than the ids of a ledger can count.
    #[error("{count} {what}, a ledger holds at most {limit}")]
    TooMany {
        /// The kind of row.
        what: &'static str,
        /// Number of them.
        count: usize,
        /// Largest number.
        limit: usize,
    },
    /// A word that names no policy.
    #[error("{found:?} is no policy for shared power; expected proportional, none or first-waker")]
    UnknownPolicy {
        /// The word.
        found: String,
    },
    /// A file of API sets is not one.
    #[error("{name}: {reason}")]
    ApiSets {
        /// Which file.
        name: String,
        /// The problem.
        reason: String,
    },
    /// A file could not be read.
    #[error("{}: {source}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The bytes are neither a ledger nor a compressed one.
    #[error("not a ledger: expected {expected}, found {found}")]
    NotALedger {
        /// The expected value.
        expected: &'static str,
        /// The value found.
        found: String,
    },
    /// A ledger of another version of the format.
    #[error("the ledger has the format {found:?}, this program reads {expected:?}")]
    OtherVersion {
        /// The format that is read.
        expected: &'static str,
        /// The format of the file.
        found: String,
    },
    /// More bytes than a ledger may have once unpacked.
    #[error("the ledger unpacks to more than {limit} bytes")]
    TooLarge {
        /// Largest number.
        limit: u64,
    },
    /// The bytes end before the ledger does.
    #[error("the ledger was cut off: its file ends in the middle; save it or copy it again")]
    Cut,
    /// The compressed bytes are not what a writer made.
    #[error(
        "damaged ledger: its compressed bytes are not as they were written; save it or copy it again"
    )]
    DamagedFrame,
    /// The text is not what the format says.
    #[error("damaged ledger: {0}")]
    Json(serde_json::Error),
    /// An index points to a row that is not there, or rows are in an order they must not be in.
    #[error("damaged ledger: {what} {index} {problem}")]
    Inconsistent {
        /// Which kind of row.
        what: &'static str,
        /// Which one.
        index: usize,
        /// The problem.
        problem: String,
    },
}
