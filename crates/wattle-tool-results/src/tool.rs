//! Tools whose results are read.

use std::fmt;

/// The tool that made the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// AndroidX Macrobenchmark or Microbenchmark.
    Macrobenchmark,
    /// Android Runner of the S2 group.
    AndroidRunner,
    /// Traces on their own, as Android Studio exports them.
    Traces,
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Macrobenchmark => "Macrobenchmark",
            Self::AndroidRunner => "Android Runner",
            Self::Traces => "traces",
        })
    }
}
