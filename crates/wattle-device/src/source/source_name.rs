//! The sources by name.

use std::fmt;
use std::str::FromStr;

use crate::DeviceError;

/// A source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SourceName {
    /// A Perfetto trace.
    Perfetto,
    /// The log, while it is written.
    Logcat,
    /// Counters of the kernel, polled.
    Counters,
    /// The files that the app's probes write.
    Probes,
    /// Android's battery statistics.
    Batterystats,
    /// The runtime's method trace.
    ArtTrace,
    /// simpleperf's samples.
    Simpleperf,
    /// The file of an external power meter.
    Meter,
}

impl SourceName {
    /// All there are, in the order in which they are started.
    pub const ALL: [Self; 8] = [
        Self::Logcat,
        Self::Batterystats,
        Self::Probes,
        Self::Meter,
        Self::Perfetto,
        Self::Counters,
        Self::Simpleperf,
        Self::ArtTrace,
    ];

    /// Its name in flags and in `recording.json`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Perfetto => "perfetto",
            Self::Logcat => "logcat",
            Self::Counters => "counters",
            Self::Probes => "probes",
            Self::Batterystats => "batterystats",
            Self::ArtTrace => "art-trace",
            Self::Simpleperf => "simpleperf",
            Self::Meter => "meter",
        }
    }

    /// Whether it costs so much, or needs so much, that it is only used when it is asked for.
    pub const fn only_on_request(self) -> bool {
        matches!(self, Self::ArtTrace | Self::Simpleperf | Self::Meter)
    }
}

impl fmt::Display for SourceName {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.as_str())
    }
}

impl FromStr for SourceName {
    type Err = DeviceError;

    fn from_str(text: &str) -> Result<Self, DeviceError> {
        Self::ALL.into_iter().find(|name| name.as_str() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::as_str).join(", ");
            DeviceError::Plan(format!("expected a source, one of {names}, but found {text:?}"))
        })
    }
}
