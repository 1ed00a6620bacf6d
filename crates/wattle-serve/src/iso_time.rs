//! Moments as text.

/// Unix milliseconds as ISO 8601, in UTC.
pub fn iso_time(ms: i64) -> String {
    let seconds = ms.div_euclid(1000);
    let (days, of_day) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let [year, month, day] = civil(days);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Year, month and day of a number of days since 1970 (after Howard Hinnant's `civil_from_days`).
fn civil(days: i64) -> [i64; 3] {
    let shifted = days.saturating_add(719_468);
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month_of_shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_of_shifted + 2) / 5 + 1;
    let month = if month_of_shifted < 10 { month_of_shifted + 3 } else { month_of_shifted - 9 };
    [year + era * 400 + i64::from(month <= 2), month, day]
}

#[cfg(test)]
mod tests {
    use super::iso_time;

    #[test]
    fn moments_are_those_of_the_calendar() {
        assert_eq!(iso_time(0), "1970-01-01T00:00:00Z");
        assert_eq!(iso_time(951_782_400_000), "2000-02-29T00:00:00Z");
        assert_eq!(iso_time(1_795_807_537_999), "2026-11-27T19:25:37Z");
        assert_eq!(iso_time(-1), "1969-12-31T23:59:59Z");
    }
}
