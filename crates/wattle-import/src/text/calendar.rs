//! From dates to nanoseconds, also where the year is missing.

use chrono::{DateTime, Datelike as _, NaiveDate};

/// Nanoseconds of a second.
pub const SECOND: i64 = 1_000_000_000;
/// Nanoseconds of a day.
pub const DAY: i64 = 86_400 * SECOND;

/// A date and time of day as it stands in a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date {
    /// The year, where it is written.
    pub year: Option<i64>,
    /// The month, from 1.
    pub month: i64,
    /// The day of the month, from 1.
    pub day: i64,
    /// Nanoseconds since midnight.
    pub of_day: i64,
}

/// Days from 1970-01-01 to a date of the Gregorian calendar. A day after the end of its month is one of the next month:
/// 29 February of a year that has none is 1 March, so that every date has a place in each year that it may be of.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = i32::try_from(year).unwrap_or_default();
    let first = NaiveDate::from_ymd_opt(year, month as u32, 1).unwrap_or_default();
    i64::from(first.to_epoch_days()) + day - 1
}

impl Date {
    /// Nanoseconds since 1970 in the date's own zone, if it says its year.
    pub fn in_its_year(self) -> Option<i64> {
        self.year.map(|year| self.in_year(year))
    }

    /// Nanoseconds since 1970 in the date's own zone, in the given year.
    pub fn in_year(self, year: i64) -> i64 {
        // From 2262 on it is the last time that nanoseconds can say.
        days(year.clamp(0, 9999), self.month, self.day)
            .saturating_mul(DAY)
            .saturating_add(self.of_day)
    }
}

/// The year of a time.
fn year_of(nanos: i64) -> i64 {
    DateTime::from_timestamp_nanos(nanos).year().into()
}

/// Follows the years of a log that does not write them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Years {
    /// A time that is near: the last one of the log, or what is known from outside.
    near: Option<i64>,
    /// Whether a line said its year, or something outside of the log did.
    is_known: bool,
    /// Whether some line's year had to be found.
    pub is_needed: bool,
    /// Number of times that the log went from one year to another.
    pub turns: u64,
    /// Month, day and first nanosecond of the last date without a year: most lines are of the day of the line before.
    last_day: Option<(i64, i64, i64)>,
}

/// Year assumed if nothing states it: a leap year, so that each date is valid.
const SOME_YEAR: i64 = 2000;

impl Years {
    /// Knows a time that is not far from the log's.
    pub fn near(time: Option<i64>) -> Self {
        Self { near: time, is_known: time.is_some(), ..Self::default() }
    }

    /// Whether years are right, and not only consistent.
    pub fn are_known(&self) -> bool {
        self.is_known || !self.is_needed
    }

    /// Nanoseconds of a date since 1970. Without a year it is the one that lies nearest to the line before: a jump back by
    /// nearly a year is New Year.
    pub fn resolve(&mut self, date: Date) -> i64 {
        if let Some(year) = date.year {
            let time = date.in_year(year);
            self.near = Some(time);
            self.is_known |= !self.is_needed;
            return time;
        }
        if let Some(time) = self.on_last_day(date) {
            self.near = Some(time);
            return time;
        }
        let is_first = !std::mem::replace(&mut self.is_needed, true);
        let near = self.near.unwrap_or_else(|| date.in_year(SOME_YEAR));
        let year = year_of(near);
        let candidates = [year - 1, year, year + 1].map(|year| date.in_year(year));
        let nearest = candidates.into_iter().min_by_key(|time| time.abs_diff(near));
        let time = nearest.unwrap_or(near);
        if !is_first && year_of(time) != year {
            self.turns += 1;
        }
        self.near = Some(time);
        self.last_day = (time < i64::MAX).then(|| (date.month, date.day, time - date.of_day));
        time
    }

    /// The time of a date that is of the day of the line before.
    fn on_last_day(&self, date: Date) -> Option<i64> {
        let (month, day, start) = self.last_day?;
        let end = start.saturating_add(DAY);
        let is_same = (month, day) == (date.month, date.day)
            && self.near.is_some_and(|near| (start..end).contains(&near))
            && date.of_day < DAY;
        is_same.then(|| start.saturating_add(date.of_day))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(year: Option<i64>, month: i64, day: i64) -> Date {
        Date { year, month, day, of_day: 5 }
    }

    #[test]
    fn dates_are_days_since_1970() {
        // `date -u -d 2026-11-22 +%s` and the like.
        for (year, month, day, seconds) in [
            (1970, 1, 1, 0),
            (2000, 2, 29, 951_782_400),
            (2021, 12, 13, 1_639_353_600),
            (2026, 11, 22, 1_795_305_600),
            (1969, 12, 31, -86_400),
            (2100, 3, 1, 4_107_542_400),
        ] {
            assert_eq!(date(None, month, day).in_year(year), seconds * SECOND + 5);
            assert_eq!(year_of(seconds * SECOND), year, "{seconds}");
        }
        assert_eq!(date(None, 2, 29).in_year(2021), date(None, 3, 1).in_year(2021));
        assert_eq!(date(None, 12, 31).in_year(9999), i64::MAX);
    }

    #[test]
    fn the_day_of_the_line_before_is_found_again() {
        let near = date(None, 12, 31).in_year(2021);
        let mut found = Years::near(Some(near));
        let dates = [(12, 31, 7), (12, 31, 9), (1, 1, 0), (1, 1, 4), (12, 31, 8)];
        for (month, day, of_day) in dates {
            let date = Date { year: None, month, day, of_day };
            let year = if month == 1 { 2022 } else { 2021 };
            assert_eq!(found.resolve(date), date.in_year(year), "{date:?}");
        }
        // A line with a year leads elsewhere.
        found.resolve(date(Some(2019), 5, 1));
        assert_eq!(found.resolve(date(None, 12, 31)), date(None, 12, 31).in_year(2018));
        assert_eq!(found.turns, 3);
    }

    /// Dates without years, and the years they are found to be of.
    #[track_caller]
    fn check(near: Option<(i64, i64, i64)>, dates: &[(i64, i64)], years: &[i64], turns: u64) {
        let near = near.map(|(year, month, day)| date(None, month, day).in_year(year));
        let mut found = Years::near(near);
        let resolved: Vec<_> = dates
            .iter()
            .map(|(month, day)| year_of(found.resolve(date(None, *month, *day))))
            .collect();
        assert_eq!(resolved, years);
        assert_eq!(found.turns, turns);
        assert_eq!(found.are_known(), near.is_some());
    }

    #[test]
    fn years_follow_from_what_is_near() {
        check(
            Some((2021, 12, 31)),
            &[(12, 30), (12, 31), (1, 1), (1, 2)],
            &[2021, 2021, 2022, 2022],
            1,
        );
        check(Some((2022, 1, 1)), &[(12, 31), (1, 1)], &[2021, 2022], 1);
        // A late line of the year before.
        check(Some((2022, 1, 1)), &[(1, 1), (12, 31), (1, 1)], &[2022, 2021, 2022], 2);
        check(None, &[(5, 1), (5, 2)], &[2000, 2000], 0);
        check(None, &[(12, 31), (1, 1)], &[2000, 2001], 1);
    }

    #[test]
    fn a_year_that_is_written_counts() {
        let mut years = Years::near(None);
        assert_eq!(year_of(years.resolve(date(Some(2014), 7, 1))), 2014);
        assert_eq!(year_of(years.resolve(date(None, 7, 1))), 2014);
        assert!(years.are_known());
    }
}
