//! Limits on the memory that an importer uses for one input, whatever the input declares.

/// Bytes that one packed packet (`compressed_packets`, `zstd_compressed_packets`) may unpack to. Recorders pack chunks of at
/// most half a megabyte.
pub const MAX_UNPACKED_PACKET: u64 = 64 << 20;

/// Packed packets inside packed packets. Recorders do not nest them.
pub const MAX_PACKET_DEPTH: u32 = 2;

/// Bytes of packets that wait for a clock snapshot that comes after them.
pub const MAX_DEFERRED: usize = 16 << 20;

/// Frames of apps and of the display that have begun and not ended. Real ones last some frames of the screen.
pub const MAX_OPEN_FRAMES: usize = 1 << 16;

/// Counters that one descriptor of a GPU names.
pub const MAX_GPU_COUNTERS: usize = 1 << 12;

/// Names of kernel events that Perfetto has no message for. Kernels know some thousands of events.
pub const MAX_EVENT_NAMES: usize = 1 << 14;

/// Fields of such an event that are looked at. The kernel's own bound is 128.
pub const MAX_EVENT_FIELDS: usize = 256;

/// Processes and threads that polls of `/proc` may list in one trace, each as often as it is listed: some 160 bytes each.
pub const MAX_LISTED_TASKS: u64 = 1 << 21;

/// Writers whose state is kept.
pub const MAX_WRITERS: usize = 1 << 16;

/// Bytes of a file of trace-cmd that are read; it is held in memory, because its parts point at each other.
pub const MAX_TRACE_DAT: u64 = 4 << 30;

/// Packed bytes of one part of a page that holds a trace.
pub const MAX_PACKED_IN_PAGE: usize = 256 << 20;

/// Entries of a SoC power model. The largest published one has 2,000.
pub const MAX_SOC_ROWS: usize = 20_000;

/// Bytes of a name in a SoC power model.
pub const MAX_SOC_TEXT: usize = 200;
