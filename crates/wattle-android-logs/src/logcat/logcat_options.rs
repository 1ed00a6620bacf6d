//! Facts about a log that come from outside it.

/// Facts about a log that come from outside it.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct LogcatOptions {
    /// A time that the log is near to, Unix nanoseconds: the clock of the recording, the file's own time. Lines without a year
    /// are taken to be of the year that brings the first of them nearest. Default is none: the years are only consistent.
    pub around: Option<i64>,
}

impl LogcatOptions {
    /// With a time that the log is near to, Unix nanoseconds.
    #[must_use]
    pub fn around(mut self, time: Option<i64>) -> Self {
        self.around = time;
        self
    }
}
