//! How much an input can make the reader hold, whatever it claims of itself.

/// The longest packet that is read. Recorders write packets of at most a few megabytes; a longer
/// one is stepped over and noted. Memory grows with the bytes that are truly there.
pub const MAX_PACKET: u64 = 256 << 20;

/// Bytes that one packed packet (`compressed_packets`) may unpack to. Recorders pack chunks of at
/// most half a megabyte.
pub const MAX_UNPACKED_PACKET: u64 = 64 << 20;

/// Packed packets inside packed packets. Recorders do not nest them.
pub const MAX_PACKET_DEPTH: u32 = 2;

/// Unpacked bytes of one `.gz` or `.zip` member, as a multiple of its packed size. Deflate cannot reach
/// more than 1032; traces reach about 20.
pub const MAX_RATIO: u64 = 1100;

/// Unpacked bytes of a whole `.gz` or `.zip`: unpacking is streamed, so this bounds time, not memory.
pub const MAX_UNPACKED: u64 = 64 << 30;

/// Members of a `.zip` that are looked at.
pub const MAX_MEMBERS: usize = 4096;

/// Files of a folder that are looked at.
pub const MAX_FILES: usize = 4096;

/// A `.zip` that comes as a stream is held in memory, up to this.
pub const MAX_STREAMED_ZIP: u64 = 1 << 30;

/// Bytes of packets that wait for a clock snapshot that comes after them.
pub const MAX_DEFERRED: usize = 16 << 20;

/// Interned entries of one kind that one writer may hold at a time.
pub const MAX_INTERNED: usize = 1 << 20;

/// Writers whose state is kept.
pub const MAX_WRITERS: usize = 1 << 16;

/// Records of probes that are kept: 16 bytes each.
pub const MAX_PROBE_RECORDS: usize = 1 << 27;

/// Events that are kept of the logs of one recording: tests, and calls of tools that write a line for each.
pub const MAX_LOG_EVENTS: usize = 1 << 24;

/// Bytes of a file of trace-cmd that are read; it is held in memory, because its parts point at each other.
pub const MAX_TRACE_DAT: u64 = 4 << 30;

/// Bytes of a `perf.data` that are read, and that its packed records may unpack to. It is held in memory, because its parts point at
/// each other.
pub const MAX_PERF_DATA: u64 = 4 << 30;

/// Bytes of a Windows event log that comes out of an archive or a stream, which is held in memory. A file is not: of it a few buffers a
/// CPU are.
pub const MAX_ETL: u64 = 4 << 30;

/// Packed bytes of one part of a page that holds a trace.
pub const MAX_PACKED_IN_PAGE: usize = 256 << 20;

/// Counters of one artifact of polled counters.
pub const MAX_POLLED_COUNTERS: usize = 1 << 16;

/// Counts of CPUs' clocks (`time_in_state` beside the lines of a log) that are kept of one artifact, 16 bytes each.
pub const MAX_CLOCK_COUNTS: usize = 1 << 25;

/// A JSON file that is read as a whole has at most so many bytes; in memory it is some twenty times as large.
pub const MAX_JSON: u64 = 32 << 20;
/// Samples of one channel of a meter that are kept: 16 bytes each. Three and a half hours of 5 kHz.
pub const MAX_METER_SAMPLES: usize = 1 << 26;

/// Bytes of a meter's binary file, which is held in memory while it is read.
pub const MAX_METER_FILE: u64 = 2 << 30;
/// Changes of states that are kept of one dump of battery statistics. Android's own history ends at 4 MB.
pub const MAX_STATISTICS_HISTORY: usize = 1 << 21;

/// Totals that are kept of one dump of battery statistics.
pub const MAX_STATISTICS: usize = 1 << 20;

/// Battery statistics in protobuf are held in memory, up to this.
pub const MAX_STATISTICS_PROTO: u64 = 64 << 20;

/// Calls that are kept of one method trace: 32 bytes each while it is read.
pub const MAX_METHOD_CALLS: usize = 1 << 26;

/// Bytes of one block of records of a method trace in packets. The runtime's buffer has some three megabytes.
pub const MAX_METHOD_BLOCK: usize = 256 << 20;

/// Bytes of the summary of a streamed method trace: its threads and methods.
pub const MAX_METHOD_SUMMARY: usize = 256 << 20;

/// Different stacks without times that are kept of one artifact.
pub const MAX_STACK_TOTALS: usize = 1 << 20;

/// Samples of one simpleperf report that are held until the names at its end come, 40 bytes each.
pub const MAX_REPORT_SAMPLES: usize = 1 << 26;
