//! Windows' times as text.

use std::fmt;

use chrono::{DateTime, Datelike as _, Timelike as _};

/// Units of 100 ns in a second.
const SECOND: u64 = 10_000_000;
/// Seconds from the beginning of 1601 to that of 1970.
const UNIX_EPOCH: i64 = 11_644_473_600;

/// `FILETIME`: units of 100 ns since the beginning of 1601.
pub(super) struct FileTime(pub u64);

/// `SYSTEMTIME`: year, month, day of the week, day, hour, minute, second, millisecond.
pub(super) struct SystemTime(pub [u16; 8]);

impl fmt::Display for FileTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, rest) = (self.0 / SECOND, self.0 % SECOND);
        // The largest number is in the year 60056, which the calendar covers.
        let time = DateTime::from_timestamp(seconds as i64 - UNIX_EPOCH, 0).ok_or(fmt::Error)?;
        let (year, month, day) = (time.year(), time.month(), time.day());
        let (hour, minute, second) = (time.hour(), time.minute(), time.second());
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{rest:07}Z")
    }
}

impl fmt::Display for SystemTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [year, month, _, day, hour, minute, second, milli] = self.0;
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        let check = |units: u64, text: &str| assert_eq!(FileTime(units).to_string(), text);
        check(0, "1601-01-01T00:00:00.0000000Z");
        check(116_444_736_000_000_000, "1970-01-01T00:00:00.0000000Z");
        // `date -u -d 2000-02-29T23:59:59 +%s`: 951868799.
        check(116_444_736_000_000_000 + 9_518_687_990_000_001, "2000-02-29T23:59:59.0000001Z");
        // `date -u -d 2100-03-01 +%s`: 4107542400.
        check(116_444_736_000_000_000 + 41_075_424_000_000_000, "2100-03-01T00:00:00.0000000Z");
        // The last moment there is, by the rules of 400 years.
        check(u64::MAX, "60056-05-28T05:36:10.9551615Z");
        let time = SystemTime([2021, 9, 4, 9, 14, 59, 35, 799]);
        assert_eq!(time.to_string(), "2021-09-09T14:59:35.799");
    }
}
