//! Readings of other clocks at the times of atrace's marks.
//!
//! `trace_event_clock_sync: parent_ts=683201.375000` is the monotonic clock in seconds, rounded to 24 bits by atrace;
//! `trace_event_clock_sync: realtime_ts=1495123564025` the wall clock in whole milliseconds.

use super::args::after;
use super::trace_line::number;
use wattle_import::{Clock, Reading, ReadingSource};

const SECOND: i64 = 1_000_000_000;
const MILLISECOND: i64 = 1_000_000;

/// The clock is read, then the mark is written: so much may lie between.
const WRITING: i64 = MILLISECOND;

/// Prefix of a mark.
const MARK: &[u8] = b"trace_event_clock_sync:";

/// Bits of the number in which atrace holds seconds.
const MANTISSA: u32 = 24;

/// A mark: the clock, and what it showed at least and at most; nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClockSync {
    clock: Option<Clock>,
    showed: (i64, i64),
}

impl ClockSync {
    /// Returns its reading, when the mark was written at this time of the trace.
    pub fn reading(self, time: i64) -> Option<(Clock, Reading)> {
        let boot = (time.saturating_sub(WRITING), time);
        Some((self.clock?, Reading::new(self.showed, boot, ReadingSource::TRACE)))
    }
}

/// Reads a mark; one of no known clock says nothing. `None` if it is none.
pub(super) fn parse(text: &[u8]) -> Option<ClockSync> {
    let at = memchr::memmem::find(text, MARK)?;
    let text = text.get(at..)?;
    let nothing = ClockSync { clock: None, showed: (0, 0) };
    Some(monotonic(text).or_else(|| real(text)).unwrap_or(nothing))
}

fn real(text: &[u8]) -> Option<ClockSync> {
    let value = after(text, b"realtime_ts")?.trim_ascii();
    let start = i64::try_from(number(value)?).ok()?.checked_mul(MILLISECOND)?;
    Some(ClockSync { clock: Some(Clock::Real), showed: (start, start.saturating_add(MILLISECOND)) })
}

fn monotonic(text: &[u8]) -> Option<ClockSync> {
    let value = std::str::from_utf8(after(text, b"parent_ts")?.trim_ascii()).ok()?;
    let (seconds, fraction) = value.split_once('.').unwrap_or((value, ""));
    let seconds: i64 = seconds.parse().ok()?;
    let digits = fraction.get(..9).unwrap_or(fraction);
    let scale = 10_i64.checked_pow(9 - u32::try_from(digits.len()).ok()?)?;
    let part = if digits.is_empty() { 0 } else { digits.parse::<i64>().ok()? };
    let at = seconds.checked_mul(SECOND)?.checked_add(part.checked_mul(scale)?)?;
    if at <= 0 {
        return None;
    }
    // Half of the last bit of the seconds.
    let bits = i64::BITS - seconds.max(1).leading_zeros();
    let step = if bits > MANTISSA {
        SECOND.checked_shl(bits - MANTISSA)?
    } else {
        SECOND >> (MANTISSA - bits)
    };
    let half = step / 2 + 1000;
    let showed = (at.saturating_sub(half), at.saturating_add(half));
    Some(ClockSync { clock: Some(Clock::Monotonic), showed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(Option<Clock>, i64, i64)>) {
        let found = parse(text.as_bytes()).map(|s| (s.clock, s.showed.0, s.showed.1));
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn both_clocks_with_their_resolution() {
        check(
            "trace_event_clock_sync: realtime_ts=1495123564025",
            Some((Some(Clock::Real), 1_495_123_564_025_000_000, 1_495_123_564_026_000_000)),
        );
        // 683201 has 20 bits, so the last bit of 24 is a sixteenth of a second.
        let (at, half) = (683_201_375_000_000, 31_250_000 + 1000);
        check(
            "trace_event_clock_sync: parent_ts=683201.375000",
            Some((Some(Clock::Monotonic), at - half, at + half)),
        );
        check("trace_event_clock_sync: parent_ts=0.0", Some((None, 0, 0)));
        check("trace_event_clock_sync: name=x", Some((None, 0, 0)));
        check("B|1|x", None);
    }
}
