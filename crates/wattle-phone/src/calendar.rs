//! Dates, for `date` and for logs.

/// A civil date and time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Civil {
    pub(crate) year: i64,
    pub(crate) month: u32,
    pub(crate) day: u32,
    pub(crate) hour: u32,
    pub(crate) minute: u32,
    pub(crate) second: u32,
    pub(crate) nanosecond: u32,
    /// 0 is Sunday.
    pub(crate) weekday: u32,
    /// 1 is the first of January.
    pub(crate) yearday: u32,
}

const DAY: i64 = 86_400;
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

impl Civil {
    /// The date of Unix nanoseconds, in a zone so many seconds ahead of UTC. By the algorithm `civil_from_days` of
    /// Howard Hinnant's "chrono-compatible low-level date algorithms".
    pub(crate) fn of(unix_nanos: i64, zone_offset: i32) -> Self {
        let seconds = unix_nanos.div_euclid(1_000_000_000) + i64::from(zone_offset);
        let (days, rest) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
        let z = days + 719_468;
        let era = z.div_euclid(146_097);
        let day_of_era = z.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * day_of_year + 2) / 153;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        // The algorithm's year begins with March.
        let yearday =
            if month > 2 { day_of_year + 60 + i64::from(leap) } else { day_of_year - 305 };
        Self {
            year,
            month: month as u32,
            day: (day_of_year - (153 * shifted + 2) / 5 + 1) as u32,
            hour: (rest / 3600) as u32,
            minute: (rest / 60 % 60) as u32,
            second: (rest % 60) as u32,
            nanosecond: unix_nanos.rem_euclid(1_000_000_000) as u32,
            weekday: (days + 4).rem_euclid(7) as u32,
            yearday: yearday as u32,
        }
    }

    pub(crate) fn month_name(&self) -> &'static str {
        MONTHS.get(self.month as usize - 1).copied().unwrap_or("???")
    }

    pub(crate) fn weekday_name(&self) -> &'static str {
        WEEKDAYS.get(self.weekday as usize).copied().unwrap_or("???")
    }
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
        let date = Civil::of(unix * 1_000_000_000, zone);
        let found = format!(
            "{} {:04}-{:02}-{:02} ({}) {:02}:{:02}:{:02}",
            date.weekday_name(),
            date.year,
            date.month,
            date.day,
            date.yearday,
            date.hour,
            date.minute,
            date.second
        );
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
