//! Moments as tables write them: seconds or parts of them, dates, times of day.

use super::meter_series::MeterClock;
use super::number::{bare, nanos};
use wattle_import::text::{Date, SECOND};

/// Numbers of seconds from here on count from 1970: September 2001.
const FROM_1970: i64 = 1_000_000_000 * SECOND;

/// A number of units of so many nanoseconds.
pub(crate) fn number(text: &str, unit: i64) -> Option<(i64, MeterClock)> {
    let time = nanos(text, unit)?;
    Some((time, if time >= FROM_1970 { MeterClock::Unix } else { MeterClock::Own }))
}

/// Returns the unit of a number that states none, by its size: since 1970 in seconds, milliseconds, microseconds or
/// nanoseconds, else seconds since some moment.
pub(crate) fn unit_by_size(text: &str) -> Option<i64> {
    let value = super::number::decimal(text)?;
    Some(match value {
        1e17.. => 1,
        1e14.. => 1_000,
        1e11.. => 1_000_000,
        _ => SECOND,
    })
}

/// `2026-11-22T10:15:00.5Z`, `2026/11/22 10:15:00,5 +0100`, `22.11.2026 10:15:00`, or `10:15:00.5` alone.
pub(crate) fn date(text: &str) -> Option<(i64, MeterClock)> {
    let text = bare(text);
    let (day, rest) = match text.split_once(['T', ' ']) {
        Some((day, rest)) => (Some(day), rest.trim_start()),
        None => (None, text),
    };
    let (clock, zone) = split_zone(rest)?;
    let of_day = time_of_day(clock)?;
    let Some(day) = day else {
        return Some((of_day, MeterClock::Own));
    };
    let mut parts = day.split(['-', '/', '.']);
    let (first, second, third) = (parts.next()?, parts.next()?, parts.next()?);
    let (year, month, day) =
        if first.len() == 4 { (first, second, third) } else { (third, second, first) };
    if parts.next().is_some() || year.len() != 4 {
        return None;
    }
    let (year, month, day): (i64, i64, i64) =
        (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    if !(1970..=2200).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let local = Date { year: Some(year), month, day, of_day }.in_year(year);
    Some(match zone {
        Some(minutes) => (local - minutes * 60 * SECOND, MeterClock::Unix),
        None => (local, MeterClock::Local),
    })
}

/// Minutes east of Greenwich, where they are written.
fn split_zone(text: &str) -> Option<(&str, Option<i64>)> {
    let text = text.trim_end();
    if let Some(clock) = text.strip_suffix('Z').or_else(|| text.strip_suffix("UTC")) {
        return Some((clock.trim_end(), Some(0)));
    }
    let Some(at) = text.rfind(['+', '-']) else { return Some((text, None)) };
    let (clock, zone) = text.split_at(at);
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let digits: String = zone.chars().filter(char::is_ascii_digit).collect();
    let (hours, minutes) = digits.split_at_checked(2)?;
    let minutes: i64 = if minutes.is_empty() { 0 } else { minutes.parse().ok()? };
    let hours: i64 = hours.parse().ok()?;
    let is_sane = hours <= 14 && (0..60).contains(&minutes);
    is_sane.then_some((clock.trim_end(), Some(sign * (hours * 60 + minutes))))
}

fn time_of_day(text: &str) -> Option<i64> {
    let mut parts = text.split(':');
    let (hours, minutes) = (parts.next()?.parse::<i64>().ok()?, parts.next()?.parse::<i64>().ok()?);
    let seconds = parts.next().map_or(Some(0), |seconds| nanos(seconds, SECOND))?;
    let is_sane = (0..24).contains(&hours)
        && (0..60).contains(&minutes)
        && (0..=60 * SECOND).contains(&seconds)
        && parts.next().is_none();
    is_sane.then_some((hours * 60 + minutes) * 60 * SECOND + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(i64, MeterClock)>) {
        assert_eq!(date(text), expected, "{text:?}");
    }

    /// `date -u -d "2026-11-22 10:15:00" +%s` is 1795342500.
    #[test]
    fn dates_are_read_with_and_without_a_zone() {
        let at = 1_795_342_500 * SECOND;
        check("2026-11-22T10:15:00Z", Some((at, MeterClock::Unix)));
        check("2026-11-22 10:15:00.5", Some((at + SECOND / 2, MeterClock::Local)));
        check("\"2026/11/22 11:15:00,25+01:00\"", Some((at + SECOND / 4, MeterClock::Unix)));
        check("2026-11-22T05:15:00 -0500", Some((at, MeterClock::Unix)));
        check("22.11.2026 10:15", Some((at, MeterClock::Local)));
        check("10:15:00.5", Some((36_900 * SECOND + SECOND / 2, MeterClock::Own)));
        for wrong in ["", "2026-13-22 10:15:00", "x", "10:75", "2026-11-22", "1-2-3 +é:1", "12.5"]
        {
            check(wrong, None);
        }
    }

    #[test]
    fn numbers_tell_by_their_size_what_they_are() {
        for (text, unit, clock) in [
            ("1750000000.5", SECOND, MeterClock::Unix),
            ("1750000000500", 1_000_000, MeterClock::Unix),
            ("1750000000500000", 1_000, MeterClock::Unix),
            ("1750000000500000000", 1, MeterClock::Unix),
            ("0.5", SECOND, MeterClock::Own),
        ] {
            assert_eq!(unit_by_size(text), Some(unit), "{text}");
            assert_eq!(number(text, unit).map(|(_, clock)| clock), Some(clock), "{text}");
        }
    }
}
