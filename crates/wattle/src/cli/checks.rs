//! Flags about input files that contradict each other or are damaged.

use clap::Args;

/// Input files of different recordings.
#[derive(Debug, Args, Clone, Copy, Default)]
pub struct Joining {
    /// Read the input files as one recording even if they contradict each other: other devices, boots or times
    #[arg(long)]
    pub join: bool,
}

/// Errors in the quality section.
#[derive(Debug, Args, Clone, Copy, Default)]
pub struct Strictness {
    /// Exit with code 1 if the input has quality errors: lost events, files that are cut or unreadable. The result is
    /// written all the same
    #[arg(long)]
    pub strict: bool,
}
