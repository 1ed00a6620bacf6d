//! Which tables there are.

use std::fmt;
use std::str::FromStr;

use super::{Column, Sink, accounts, bookings, components, paths, series, stretches, threads};
use crate::{ExportError, Extract};

/// A table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TableKind {
    /// A row for each call path, and for what no path drew.
    Paths,
    /// A row for each thread, and for what no thread drew.
    Threads,
    /// A row for each component.
    Components,
    /// A row for each account.
    Accounts,
    /// A row for each line of the ledger.
    Bookings,
    /// A row for each component and stretch of time.
    Series,
    /// A row for each stretch of time in which a call path drew something.
    Stretches,
}

impl TableKind {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Paths,
        Self::Threads,
        Self::Components,
        Self::Accounts,
        Self::Bookings,
        Self::Series,
        Self::Stretches,
    ];

    /// The word in flags and file names.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Paths => "paths",
            Self::Threads => "threads",
            Self::Components => "components",
            Self::Accounts => "accounts",
            Self::Bookings => "bookings",
            Self::Series => "series",
            Self::Stretches => "stretches",
        }
    }

    /// Whether the table of a ledger, or of a part of it, has any row.
    pub fn has_rows(self, extract: &Extract<'_>) -> bool {
        let ledger = extract.ledger();
        match self {
            Self::Series => !ledger.over_time.series.is_empty(),
            Self::Stretches => !ledger.over_time.stretches.is_empty(),
            Self::Paths | Self::Threads | Self::Components | Self::Accounts | Self::Bookings => {
                !ledger.bookings.is_empty()
            }
        }
    }

    /// All words.
    pub fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }

    /// Its columns.
    pub fn columns(self) -> Vec<Column> {
        match self {
            Self::Paths => paths::columns(),
            Self::Threads => threads::columns(),
            Self::Components => components::columns(),
            Self::Accounts => accounts::columns(),
            Self::Bookings => bookings::columns(),
            Self::Series => series::columns(),
            Self::Stretches => stretches::columns(),
        }
    }

    /// Hands over its rows.
    pub(crate) fn rows(self, extract: &Extract<'_>, to: Sink<'_>) -> Result<(), ExportError> {
        match self {
            Self::Paths => paths::rows(extract, to),
            Self::Threads => threads::rows(extract, to),
            Self::Components => components::rows(extract, to),
            Self::Accounts => accounts::rows(extract, to),
            Self::Bookings => bookings::rows(extract, to),
            Self::Series => series::rows(extract, to),
            Self::Stretches => stretches::rows(extract, to),
        }
    }
}

impl fmt::Display for TableKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for TableKind {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|table| table.name() == word)
            .ok_or_else(|| format!("expected one of {}", Self::names()))
    }
}
