//! One line of a log.

/// Whose clock the time of a log line is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LogClock {
    /// Unix time: the line has its zone, or counts from 1970.
    Real,
    /// The wall clock of some zone that the line does not name.
    Local,
    /// `CLOCK_MONOTONIC` (`-v monotonic`).
    Monotonic,
}

/// When a line was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogTime {
    /// In which clock.
    pub clock: LogClock,
    /// Nanoseconds of that clock; of [`LogClock::Local`] as if the zone were Greenwich's.
    pub nanos: i64,
    /// The step in which the line gives the time, in nanoseconds (a millisecond unless told otherwise). The true time is
    /// at or after [`Self::nanos`], by less than this.
    pub step: i64,
}

/// One line of a log. What the format does not write is absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogEntry<'a> {
    /// When it was written.
    pub time: Option<LogTime>,
    /// The writer's uid (`-v uid`), as the log has it: a number, or a short name.
    pub uid: Option<&'a [u8]>,
    /// The writer's process.
    pub pid: Option<u32>,
    /// The writer's thread.
    pub tid: Option<u32>,
    /// `V`, `D`, `I`, `W`, `E`, `F`, `S`; `?` where the log does not say it.
    pub priority: u8,
    /// The tag; `None` in formats without.
    pub tag: Option<&'a [u8]>,
    /// The text, one line of it; of the format `long` all lines.
    pub message: &'a [u8],
    /// Number of the line in the artifact, from 1 (binary logs: of the record).
    pub line: u64,
}
