//! Limits on the memory that an importer uses for one input, whatever the input declares.

/// Records of probes that are kept: 16 bytes each.
pub const MAX_PROBE_RECORDS: usize = 1 << 27;

/// Events that are kept of the logs of one recording: tests, and calls of tools that write a line for each.
pub const MAX_LOG_EVENTS: usize = 1 << 24;

/// Counts of CPUs' clocks (`time_in_state` beside the lines of a log) that are kept of one artifact, 16 bytes each.
pub const MAX_CLOCK_COUNTS: usize = 1 << 25;

/// A JSON file that is read as a whole has at most so many bytes; in memory it is some twenty times as large.
pub const MAX_JSON: u64 = 32 << 20;

/// Changes of states that are kept of one dump of battery statistics. Android's own history ends at 4 MB.
pub const MAX_STATISTICS_HISTORY: usize = 1 << 21;

/// Totals that are kept of one dump of battery statistics.
pub const MAX_STATISTICS: usize = 1 << 20;

/// Battery statistics in protobuf are held in memory, up to this.
pub const MAX_STATISTICS_PROTO: u64 = 64 << 20;
