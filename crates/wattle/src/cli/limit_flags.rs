//! Limits of a command that reads files of others.

use clap::Args;

use super::byte_size::ByteSize;

/// Memory and processor time that a command may take.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct LimitFlags {
    /// Memory that the command may take [default: 512MB, or 32 times the size of the input files where that is more]
    #[arg(long, value_name = "SIZE")]
    pub memory_limit: Option<ByteSize>,
    /// Seconds of processor time that the command may take [default: 600, or 10 for each megabyte of the input files where that
    /// is more]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub time_limit: Option<u64>,
}
