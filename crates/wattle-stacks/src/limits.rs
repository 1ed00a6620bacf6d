//! Limits on the memory that an importer uses for one input, whatever the input declares.

/// Bytes of a `perf.data` that are read, and that its packed records may unpack to. It is held in memory, because its parts point at
/// each other.
pub const MAX_PERF_DATA: u64 = 4 << 30;

/// Calls that are kept of one method trace: 32 bytes each while it is read.
pub const MAX_METHOD_CALLS: usize = 1 << 26;

/// Bytes of one block of records of a method trace in packets. The runtime's buffer has some three megabytes.
pub const MAX_METHOD_BLOCK: usize = 256 << 20;

/// Bytes of the summary of a streamed method trace: its threads and methods.
pub const MAX_METHOD_SUMMARY: usize = 256 << 20;

/// Different stacks without times that are kept of one artifact: up to 2.5 kB each once they are attributed and shown.
pub const MAX_STACK_TOTALS: usize = 1 << 17;

/// Samples of one simpleperf report that are held until the names at its end come, 40 bytes each.
pub const MAX_REPORT_SAMPLES: usize = 1 << 26;
