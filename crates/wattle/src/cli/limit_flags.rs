//! Limits of a command that reads files of others.

use clap::Args;

use super::byte_size::ByteSize;

/// Memory and processor time that a command may take.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct LimitFlags {
    /// Memory that the command may take, such as 2GB [default: 512MB, or 64 times the size of the input files, 128 times that of packed
    /// ones, where that is more]
    #[arg(long, value_name = "SIZE")]
    pub memory_limit: Option<ByteSize>,
    /// Seconds of processor time that the command may take [default: 600, or 10 for each megabyte of the input files where that
    /// is more]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<u64>,
}

/// Whole seconds, at least one.
fn seconds(text: &str) -> Result<u64, String> {
    let seconds = text.parse().ok().filter(|seconds| *seconds > 0);
    seconds.ok_or_else(|| format!("expected seconds, 1 or more, found {text:?}"))
}
