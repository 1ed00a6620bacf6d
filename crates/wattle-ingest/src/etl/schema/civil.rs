//! Windows' times as text.

use std::fmt;

/// Units of 100 ns in a second.
const SECOND: u64 = 10_000_000;
/// Days from the beginning of 1601 to 1 March of the year 0, by which the calendar's rules are simplest.
const SHIFT: u64 = 584_694;

/// `FILETIME`: units of 100 ns since the beginning of 1601.
pub(super) struct FileTime(pub u64);

/// `SYSTEMTIME`: year, month, day of the week, day, hour, minute, second, millisecond.
pub(super) struct SystemTime(pub [u16; 8]);

/// Year, month and day, that many days after the beginning of 1601 (Howard Hinnant's `civil_from_days`).
fn date(days: u64) -> (u64, u64, u64) {
    let shifted = days + SHIFT;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

impl fmt::Display for FileTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, rest) = (self.0 / SECOND, self.0 % SECOND);
        let (year, month, day) = date(seconds / 86_400);
        let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
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
        assert!(!FileTime(u64::MAX).to_string().is_empty());
        let time = SystemTime([2021, 9, 4, 9, 14, 59, 35, 799]);
        assert_eq!(time.to_string(), "2021-09-09T14:59:35.799");
    }
}
