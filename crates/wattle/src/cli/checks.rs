//! Flags about input files that contradict each other or are damaged.

use clap::Args;
use wattle_ingest::ReadOptions;
use wattle_unpack::UnpackBudget;

use super::LimitFlags;
use super::byte_size::ByteSize;

/// Reading of input files.
#[derive(Debug, Args, Clone, Copy, Default)]
pub struct Reading {
    /// Read the input files as one recording even if they contradict each other: other devices, boots or times
    #[arg(long)]
    pub join: bool,
    /// Bytes that packed input (gzip, ZIP, packed packets and records, debug sections) may unpack to [default: 512MB, or 32 times
    /// the size of the input files where that is more]
    #[arg(long, value_name = "SIZE")]
    pub unpack_limit: Option<ByteSize>,
    #[command(flatten)]
    pub limits: LimitFlags,
}

impl Reading {
    /// The options of a reader.
    pub fn options(self) -> ReadOptions {
        let unpacking = UnpackBudget::new(self.unpack_limit.map(|size| size.0));
        ReadOptions { join: self.join, unpacking, ..ReadOptions::default() }
    }
}

/// Errors in the quality section.
#[derive(Debug, Args, Clone, Copy, Default)]
pub struct Strictness {
    /// Exit with code 1 if the input has quality errors: lost events, files that are cut or unreadable. The result is
    /// written all the same
    #[arg(long)]
    pub strict: bool,
}
