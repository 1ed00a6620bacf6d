//! Limits on the memory that an importer uses for one input, whatever the input declares.

/// Bytes of a Windows event log that comes out of an archive or a stream, which is held in memory. A file is not: of it a few buffers a
/// CPU are.
pub const MAX_ETL: u64 = 4 << 30;
