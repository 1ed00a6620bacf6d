//! Defects of a file, as values.

/// A defect of a file. What is whole is read nevertheless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Damage {
    /// The file ends before its records do, so everything that stands behind them is missing.
    FileCut {
        /// Length of the file.
        at: usize,
    },
    /// Bytes among the records that are no records, and were stepped over.
    NotRecords {
        /// Offset of the first one.
        at: usize,
        /// Number of bytes.
        bytes: usize,
    },
    /// A run of records ends inside of one, or in something else.
    RecordCut {
        /// Offset of that record.
        at: usize,
    },
    /// Packed records that could not be unpacked to their end.
    Packed,
    /// Samples whose time lies apart from all others, against their order in the file: they were set apart.
    DisplacedTimes {
        /// Number of samples.
        records: usize,
    },
    /// Records whose time cannot be right, such as one with a flipped bit: they were set apart.
    FarTimes {
        /// Number of records.
        records: usize,
    },
}
