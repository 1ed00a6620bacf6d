//! The time at the beginning of a line, as `strftime` and `snprintf` of liblog's `logprint.cpp` write it: `MM-DD HH:MM:SS.mmm`, with
//! a year before it (`year`), a zone behind it (`zone`, `UTC`), three, six (`usec`) or nine (`nsec`) digits; or seconds
//! since 1970 (`epoch`, padded to 19 digits) or since the boot (`monotonic`, padded to 6).

use super::calendar::{Date, SECOND, Years};

/// Seconds above this are since 1970, others since the boot: three years.
const EPOCH_FROM: i64 = 100_000_000;

/// A time as it stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stamp {
    /// A date, and its zone in minutes east of Greenwich.
    Date {
        /// The date.
        date: Date,
        /// Its zone, minutes east of Greenwich.
        zone: Option<i64>,
        /// The resolution, nanoseconds.
        step: i64,
    },
    /// `epoch`.
    Epoch {
        /// Nanoseconds since 1970.
        nanos: i64,
        /// The resolution, nanoseconds.
        step: i64,
    },
    /// `monotonic`.
    Monotonic {
        /// Nanoseconds since the boot.
        nanos: i64,
        /// The resolution, nanoseconds.
        step: i64,
    },
}

/// Takes a number of as many digits off.
fn digits(text: &mut &[u8], count: usize) -> Option<i64> {
    let (number, rest) = text.split_at_checked(count)?;
    if count == 0 || !number.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = number.iter().try_fold(0_i64, |value, digit| {
        value.checked_mul(10)?.checked_add(i64::from(digit - b'0'))
    })?;
    *text = rest;
    Some(value)
}

fn byte(text: &mut &[u8], expected: u8) -> Option<()> {
    let (first, rest) = text.split_first()?;
    (*first == expected).then(|| *text = rest)
}

fn leading_digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// `.mmm`, `.uuuuuu` or `.nnnnnnnnn`: nanoseconds and the step.
fn fraction(text: &mut &[u8]) -> Option<(i64, i64)> {
    byte(text, b'.')?;
    let count = leading_digits(text);
    let step = match count {
        3 => 1_000_000,
        6 => 1_000,
        9 => 1,
        _ => return None,
    };
    Some((digits(text, count)? * step, step))
}

/// ` +0100`, followed by a space.
fn zone(text: &mut &[u8]) -> Option<i64> {
    let mut rest = *text;
    byte(&mut rest, b' ')?;
    let (sign, after) = rest.split_first()?;
    let sign = match sign {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    rest = after;
    let (hours, minutes) = (digits(&mut rest, 2)?, digits(&mut rest, 2)?);
    if rest.first() != Some(&b' ') {
        return None;
    }
    *text = rest;
    Some(sign * (hours * 60 + minutes))
}

/// Takes the time off the beginning of a line; what follows begins with the space behind it.
pub fn take_stamp(line: &mut &[u8]) -> Option<Stamp> {
    let mut text = line.trim_ascii_start();
    let padding = line.len() - text.len();
    let count = leading_digits(text);
    let stamp = match (count, text.get(count)?) {
        (2 | 4, b'-') if padding == 0 => date(&mut text)?,
        (1..=19, b'.') => {
            let seconds = digits(&mut text, count)?;
            let (nanos, step) = fraction(&mut text)?;
            let nanos = seconds.checked_mul(SECOND)?.checked_add(nanos)?;
            if seconds >= EPOCH_FROM {
                Stamp::Epoch { nanos, step }
            } else {
                Stamp::Monotonic { nanos, step }
            }
        }
        _ => return None,
    };
    if text.first() != Some(&b' ') {
        return None;
    }
    *line = text;
    Some(stamp)
}

fn date(text: &mut &[u8]) -> Option<Stamp> {
    let year = if leading_digits(text) == 4 {
        let year = digits(text, 4)?;
        byte(text, b'-')?;
        Some(year)
    } else {
        None
    };
    let month = digits(text, 2)?;
    byte(text, b'-')?;
    let day = digits(text, 2)?;
    byte(text, b' ')?;
    let hour = digits(text, 2)?;
    byte(text, b':')?;
    let minute = digits(text, 2)?;
    byte(text, b':')?;
    let second = digits(text, 2)?;
    let is_valid = (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    if !is_valid {
        return None;
    }
    let (nanos, step) = fraction(text)?;
    let of_day = (hour * 3600 + minute * 60 + second) * SECOND + nanos;
    let date = Date { year, month, day, of_day };
    Some(Stamp::Date { date, zone: zone(text), step })
}

/// Nanoseconds of a time in its own clock; years that are not written are followed. Of a date without a zone as if the zone were
/// Greenwich's.
pub fn resolve_stamp(stamp: Stamp, years: &mut Years) -> i64 {
    match stamp {
        Stamp::Epoch { nanos, .. } | Stamp::Monotonic { nanos, .. } => nanos,
        Stamp::Date { date, zone, .. } => {
            let shift = zone.unwrap_or(0).saturating_mul(60 * SECOND);
            years.resolve(date).saturating_sub(shift)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<(Stamp, &str)>) {
        let mut rest = line.as_bytes();
        let found = take_stamp(&mut rest);
        assert_eq!(found.map(|stamp| (stamp, std::str::from_utf8(rest).unwrap_or("?"))), expected);
    }

    #[test]
    fn times_of_all_modifiers() {
        let of_day = ((13 * 60 + 4) * 60 + 5) * SECOND + 678_000_000;
        let date = |year, zone, step, nanos| Stamp::Date {
            date: Date { year, month: 12, day: 31, of_day: of_day + nanos },
            zone,
            step,
        };
        let milli = 1_000_000;
        check("12-31 13:04:05.678  1", Some((date(None, None, milli, 0), "  1")));
        check("2021-12-31 13:04:05.678 I", Some((date(Some(2021), None, milli, 0), " I")));
        check("12-31 13:04:05.678 -0530  1", Some((date(None, Some(-330), milli, 0), "  1")));
        check("12-31 13:04:05.678901 +0000 x", Some((date(None, Some(0), 1000, 901_000), " x")));
        check("12-31 13:04:05.678901234 x", Some((date(None, None, 1, 901_234), " x")));
        let epoch = Stamp::Epoch { nanos: 1_639_391_540_030_000_000, step: milli };
        check("         1639391540.030 I", Some((epoch, " I")));
        let monotonic = Stamp::Monotonic { nanos: 12_345_678_000, step: 1000 };
        check("    12.345678  1", Some((monotonic, "  1")));
    }

    #[test]
    fn what_is_no_time() {
        for line in [
            "",
            "12-31",
            "13-31 13:04:05.678 x",
            "12-32 13:04:05.678 x",
            "12-31 24:04:05.678 x",
            "12-31 13:04:05.67 x",
            "12-31 13:04:05.678",
            " 12-31 13:04:05.678 x",
            "12.34 x",
            "99999999999999999999.000 x",
            "9999999999999999999.000 x",
            "I/tag: x",
        ] {
            check(line, None);
        }
    }
}
