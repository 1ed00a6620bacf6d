//! Bytes that packages may unpack to.

use std::path::PathBuf;

use clap::Args;
use wattle_unpack::UnpackBudget;

use super::LimitFlags;
use super::byte_size::ByteSize;
use crate::exit::Failure;

/// Bytes that packages may unpack to.
#[derive(Debug, Clone, Copy, Args)]
pub struct Unpacking {
    /// Bytes that the code of all packages, and packages inside others, may unpack to: they are held in memory
    #[arg(long, value_name = "SIZE", default_value_t = ByteSize(UnpackBudget::DEFAULT))]
    pub unpack_limit: ByteSize,
    #[command(flatten)]
    pub limits: LimitFlags,
}

impl Unpacking {
    /// The budget of a run.
    pub fn budget(self) -> UnpackBudget {
        UnpackBudget::new(Some(self.unpack_limit.0))
    }

    /// The refusal of files that unpack to more.
    pub fn refusal(self, files: &[PathBuf]) -> Failure {
        let names: Vec<_> = files.iter().map(|file| file.display().to_string()).collect();
        let (names, limit) = (names.join(", "), self.unpack_limit);
        Failure::Input(anyhow::anyhow!(
            "{names}: unpacks to more than {limit} of code and packages; --unpack-limit sets another limit, and as much memory is needed"
        ))
    }
}
