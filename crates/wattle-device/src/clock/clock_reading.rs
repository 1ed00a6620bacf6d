//! One answer of the device about its clocks.

/// One reading of a device: its wall clock, read between two readings of its uptime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    /// `/proc/uptime` before, in nanoseconds.
    pub(super) boot_before_ns: i64,
    /// `/proc/uptime` after.
    pub(super) boot_after_ns: i64,
    /// Unix time in nanoseconds.
    pub(super) real_ns: i64,
    /// Minutes east of Greenwich, if it says so.
    pub(super) zone_minutes: Option<i32>,
}

/// A parsed reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ClockReply {
    /// All of it.
    Whole(Reading),
    /// Its wall clock has seconds only.
    SecondsOnly,
    /// Something else: its first line.
    Other(String),
}

/// Reads the wall clock between two readings of the uptime. Only `date` is a program of its own, and takes milliseconds to
/// start: mksh, Android's shell, has the time in a variable (with a comma in some languages).
pub(super) const FINE: &str = "read u r </proc/uptime; t=$EPOCHREALTIME; [ \"$t\" ] || t=$(date +%s.%N); \
     read v r </proc/uptime; echo \"$u $t $v $(date +%z)\"";

/// Waits for the next whole second, for devices whose `date` knows nothing finer (`%N` comes back as it is).
pub(super) const COARSE: &str = "a=$(date +%s); b=$a; while [ \"$a\" = \"$b\" ]; do read u r </proc/uptime; b=$(date +%s); \
     done; read v r </proc/uptime; echo \"$u $b.0 $v $(date +%z)\"";

/// Understands `uptime time uptime zone`.
pub(super) fn parse(text: &str) -> ClockReply {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let words: Vec<&str> = line.split_whitespace().collect();
    let other = || ClockReply::Other(crate::questions::first_line(line));
    let (before, real, after, zone) = match words.as_slice() {
        [before, real, after] => (*before, *real, *after, None),
        [before, real, after, zone, ..] => (*before, *real, *after, minutes(zone)),
        _ => return other(),
    };
    let (Some(boot_before_ns), Some(boot_after_ns)) = (nanoseconds(before), nanoseconds(after))
    else {
        return other();
    };
    let Some(real_ns) = nanoseconds(real) else {
        let seconds = real.split(['.', ',']).next().unwrap_or_default();
        let numeric = !seconds.is_empty() && seconds.bytes().all(|byte| byte.is_ascii_digit());
        return if numeric { ClockReply::SecondsOnly } else { other() };
    };
    if boot_after_ns < boot_before_ns {
        return other();
    }
    ClockReply::Whole(Reading { boot_before_ns, boot_after_ns, real_ns, zone_minutes: zone })
}

/// `12.34` or `12,34` seconds. A number without a fraction is not taken for a fine one.
fn nanoseconds(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once(['.', ','])?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) {
        return None;
    }
    let nine: String = fraction.chars().chain(std::iter::repeat('0')).take(9).collect();
    whole.parse::<i64>().ok()?.checked_mul(1_000_000_000)?.checked_add(nine.parse().ok()?)
}

/// `+0530` as 330.
fn minutes(zone: &str) -> Option<i32> {
    let (sign, digits) = match zone.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let digits = digits.replace(':', "");
    if digits.len() != 4 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes) = digits.split_at_checked(2)?;
    Some(sign * (hours.parse::<i32>().ok()? * 60 + minutes.parse::<i32>().ok()?))
}

#[cfg(test)]
mod tests {
    use super::{ClockReply, Reading, parse};

    #[track_caller]
    fn check(text: &str, expected: Result<(i64, i64, i64, Option<i32>), &str>) {
        let found = parse(text);
        match expected {
            Ok((boot_before_ns, real_ns, boot_after_ns, zone_minutes)) => assert_eq!(
                found,
                ClockReply::Whole(Reading { boot_before_ns, boot_after_ns, real_ns, zone_minutes })
            ),
            Err("seconds") => assert_eq!(found, ClockReply::SecondsOnly, "{text}"),
            Err(_) => assert!(matches!(found, ClockReply::Other(_)), "{text}: {found:?}"),
        }
    }

    #[test]
    fn every_way_of_writing_a_time() {
        let whole = |zone| Ok((100_250_000_000, 1_700_000_000_123_456_000, 100_260_000_000, zone));
        check("100.25 1700000000.123456 100.26 +0000", whole(Some(0)));
        check("100.25 1700000000,123456 100.26 -0330\r\n", whole(Some(-210)));
        check("\n100.25 1700000000.123456000 100.26 +05:30", whole(Some(330)));
        check("100.25 1700000000.123456 100.26 UTC", whole(None));
        check("100.25 1700000000.123456 100.26", whole(None));
        check("100.25 1700000000.%N 100.26 +0000", Err("seconds"));
        check("100.25 1700000000.N 100.26 +0000", Err("seconds"));
        check("100.25 1700000000. 100.26 +0000", Err("seconds"));
        check("100.25 1700000000 100.26 +0000", Err("seconds"));
        check("100.26 1700000000.5 100.25 +0000", Err("backwards"));
        check("sh: can't open /proc/uptime: Permission denied", Err("no numbers"));
        check("99999999999999999999.0 1.0 1.0 +0000", Err("too large"));
        check("", Err("nothing"));
    }
}
