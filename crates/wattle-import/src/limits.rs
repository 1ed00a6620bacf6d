//! Limits on the memory that an importer uses for one input, whatever the input declares. Limits of one format are in
//! its crate.

/// The longest packet that is read. Recorders write packets of at most a few megabytes; a longer
/// one is stepped over and noted. Memory grows with the bytes that are truly there.
pub const MAX_PACKET: u64 = 256 << 20;

/// Unpacked bytes of one `.gz` or `.zip` member, as a multiple of its packed size. Deflate cannot reach
/// more than 1032; traces reach about 20.
pub const MAX_RATIO: u64 = 1100;

/// Members of a `.zip` without a directory that are looked at.
pub const MAX_MEMBERS: usize = 4096;

/// Files of a folder that are looked at.
pub const MAX_FILES: usize = 4096;

/// A `.zip` that comes as a stream is held in memory, up to this.
pub const MAX_STREAMED_ZIP: u64 = 1 << 30;

/// Interned entries of one kind that one writer may hold at a time.
pub const MAX_INTERNED: usize = 1 << 20;
