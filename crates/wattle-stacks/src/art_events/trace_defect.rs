//! Defects of a method trace, as values.

/// A defect of a method trace. What is whole is read nevertheless.
#[derive(Debug)]
#[non_exhaustive]
pub enum TraceDefect {
    /// The file ends in the list of threads and methods.
    KeysCut,
    /// The header of the records cannot be read, for this reason.
    Header(String),
    /// Something else than records follows the list of threads and methods.
    NoHeader,
    /// The file ends in the middle of a record.
    RecordCut,
    /// A byte stands where a packet or record of a kind from 0 to 3 should.
    UnknownKind(u8),
    /// The trace was not stopped: its summary is missing.
    NoSummary,
    /// Another trace begins behind the end of this one, which is not read.
    AnotherTrace,
    /// The input ended with an error.
    Input(std::io::Error),
}
