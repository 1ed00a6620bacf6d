//! Limits on the memory that an importer uses for one input, whatever the input declares.

/// Counters of one artifact of polled counters.
pub const MAX_POLLED_COUNTERS: usize = 1 << 16;

/// Samples of one channel of a meter that are kept: 16 bytes each. Three and a half hours of 5 kHz.
pub const MAX_METER_SAMPLES: usize = 1 << 26;

/// Bytes of a meter's binary file, which is held in memory while it is read.
pub const MAX_METER_FILE: u64 = 2 << 30;
