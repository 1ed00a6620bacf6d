//! Dates, for `date` and for logs.

use chrono::{DateTime, NaiveDateTime, TimeDelta};

/// The date of Unix nanoseconds, in a zone so many seconds ahead of UTC.
pub(crate) fn local_date(unix_nanos: i64, zone_offset: i32) -> NaiveDateTime {
    let utc = DateTime::from_timestamp_nanos(unix_nanos).naive_utc();
    // Nanoseconds in 64 bits are in the years 1677 to 2262, far inside the calendar.
    utc + TimeDelta::seconds(zone_offset.into())
}

/// `+05:30` without the colon.
pub(crate) fn zone_digits(offset: i32) -> String {
    let sign = if offset < 0 { '-' } else { '+' };
    let minutes = offset.unsigned_abs() / 60;
    format!("{sign}{:02}{:02}", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(unix: i64, zone: i32, expected: &str) {
        let date = local_date(unix * 1_000_000_000, zone);
        let found = date.format("%a %F (%-j) %T").to_string();
        assert_eq!(found, expected);
    }

    /// Expectations are GNU date's (`TZ=UTC date -d @… '+%a %F (%-j) %T'`).
    #[test]
    fn dates_are_those_of_gnu_date() {
        check(0, 0, "Thu 1970-01-01 (1) 00:00:00");
        check(951_782_400, 0, "Tue 2000-02-29 (60) 00:00:00");
        check(1_735_689_599, 0, "Tue 2024-12-31 (366) 23:59:59");
        check(1_735_689_599, 1, "Wed 2025-01-01 (1) 00:00:00");
        check(1_741_000_000, 19_800, "Mon 2025-03-03 (62) 16:36:40");
        check(-1, 0, "Wed 1969-12-31 (365) 23:59:59");
    }
}
