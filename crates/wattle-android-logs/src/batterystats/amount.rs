//! Durations, decimals and sizes as `TimeUtils.formatDuration`, `BatteryStats.formatTimeMs`, `makemAh` and
//! `formatBytesLocked` write them.

/// Takes a duration off the beginning: `1h02m03s456ms`, `1d 2h 3m 4s 5ms`, `0`. Milliseconds, and the rest.
pub(crate) fn take_duration(text: &str) -> Option<(i64, &str)> {
    let bytes = text.as_bytes();
    let mut position = 0;
    let mut total: i64 = 0;
    let mut is_any = false;
    loop {
        let mut next = position;
        while bytes.get(next) == Some(&b' ') {
            next += 1;
        }
        let from = next;
        let mut number: i64 = 0;
        while let Some(digit) = bytes.get(next).filter(|byte| byte.is_ascii_digit()) {
            number = number.checked_mul(10)?.checked_add(i64::from(digit - b'0'))?;
            next += 1;
        }
        if next == from {
            break;
        }
        let (unit, length) = match (bytes.get(next), bytes.get(next + 1)) {
            (Some(b'm'), Some(b's')) => (1, 2),
            (Some(b'd'), _) => (86_400_000, 1),
            (Some(b'h'), _) => (3_600_000, 1),
            (Some(b'm'), _) => (60_000, 1),
            (Some(b's'), _) => (1000, 1),
            _ if number == 0 && !is_any => (0, 0),
            _ => break,
        };
        let after = bytes.get(next + length);
        // `5m` of a time runs into the next digits; `5mAh` is no time.
        if length > 0 && after.is_some_and(u8::is_ascii_alphabetic) {
            break;
        }
        total = total.checked_add(number.checked_mul(unit)?)?;
        is_any = true;
        position = next + length;
        if length == 0 || unit == 1 {
            break;
        }
    }
    is_any.then(|| (total, text.get(position..).unwrap_or_default()))
}

/// A duration at the beginning, milliseconds.
pub(crate) fn duration(text: &str) -> Option<i64> {
    take_duration(text).map(|(milliseconds, _)| milliseconds)
}

/// Takes a number off the beginning, with a point or a comma; the rest begins behind it.
pub(crate) fn take_decimal(text: &str) -> Option<(f64, &str)> {
    let text = text.trim_start();
    let bytes = text.as_bytes();
    let mut end = usize::from(bytes.first() == Some(&b'-'));
    let mut mantissa: f64 = 0.0;
    let mut scale: f64 = 1.0;
    let mut digits = 0;
    let mut is_fraction = false;
    while let Some(byte) = bytes.get(end) {
        match byte {
            b'0'..=b'9' => {
                mantissa = mantissa * 10.0 + f64::from(byte - b'0');
                scale *= if is_fraction { 10.0 } else { 1.0 };
                digits += 1;
            }
            b'.' | b',' if !is_fraction && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) => {
                is_fraction = true;
            }
            // `makemAh` falls back to `%.3e`-like texts for what is next to nothing.
            b'E' | b'e' if digits > 0 => return take_scientific(text),
            _ => break,
        }
        end += 1;
    }
    let value = mantissa / scale;
    let value = if bytes.first() == Some(&b'-') { -value } else { value };
    (digits > 0 && value.is_finite()).then(|| (value, text.get(end..).unwrap_or_default()))
}

fn take_scientific(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !matches!(c, '0'..='9' | '.' | ',' | '-' | '+' | 'e' | 'E'));
    let (number, rest) = text.split_at(end.unwrap_or(text.len()));
    let value: f64 = number.replace(',', ".").parse().ok()?;
    value.is_finite().then_some((value, rest))
}

/// A number at the beginning.
pub(crate) fn decimal(text: &str) -> Option<f64> {
    take_decimal(text).map(|(value, _)| value)
}

/// `14.04KB`, `725,79MB`, `0B`: bytes. The writer rounds to hundredths of the unit.
pub(crate) fn bytes(text: &str) -> Option<f64> {
    let (value, rest) = take_decimal(text)?;
    let unit = match rest.as_bytes() {
        [b'K', b'B', ..] => 1024.0,
        [b'M', b'B', ..] => 1024.0 * 1024.0,
        [b'G', b'B', ..] => 1024.0 * 1024.0 * 1024.0,
        [b'B', ..] => 1.0,
        _ => return None,
    };
    Some(value * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(i64, &str)>) {
        assert_eq!(take_duration(text), expected, "{text}");
    }

    #[test]
    fn durations_of_both_kinds() {
        check("0 (2) 095", Some((0, " (2) 095")));
        check("42ms (4) 100", Some((42, " (4) 100")));
        check("1h02m03s456ms (2) 095", Some((3_723_456, " (2) 095")));
        check("1d02h00m00s000ms ", Some((93_600_000, " ")));
        check("1d 1h 10m 25s 215ms (95,1%)", Some((90_625_215, " (95,1%)")));
        check("3m 35s 971ms", Some((215_971, "")));
        check("12s 3x", Some((12_000, " 3x")));
        check("0ms (---%)", Some((0, " (---%)")));
        check("5mAh", None);
        check("3 starts", None);
        check("", None);
        check("99999999999999999999ms", None);
    }

    #[test]
    fn decimals_and_sizes() {
        for (text, expected) in [
            ("0.0147 )", Some(0.0147)),
            ("725,79MB", Some(725.79)),
            ("3,", Some(3.0)),
            ("-5 x", Some(-5.0)),
            ("1.5E-7 y", Some(1.5e-7)),
            ("x", None),
        ] {
            let found = decimal(text);
            let is_close = match (found, expected) {
                (Some(found), Some(expected)) => (found - expected).abs() < 1e-12,
                (found, expected) => found == expected,
            };
            assert!(is_close, "{text}: {found:?}");
        }
        assert_eq!(bytes("14.04KB received"), Some(14.04 * 1024.0));
        assert_eq!(bytes("0B"), Some(0.0));
        assert_eq!(bytes("12 apples"), None);
    }
}
