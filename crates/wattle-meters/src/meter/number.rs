//! Numbers as tables write them: with a point or a comma, in quotes, with an exponent.

/// Takes off what may stand around a value: quotes, and what numpy 2 writes around numbers.
pub(crate) fn bare(text: &str) -> &str {
    let text = text.trim().trim_matches('"').trim();
    let inside = text.strip_prefix("np.float").and_then(|rest| rest.split_once('('));
    inside.and_then(|(_, rest)| rest.strip_suffix(')')).unwrap_or(text)
}

/// A number. A comma is the decimal sign unless a point stands behind it: then it groups thousands, and so does a point before a
/// comma. `None` for anything else, and for what is not finite.
pub(crate) fn decimal(text: &str) -> Option<f64> {
    let text = bare(text);
    let value: f64 = if text.contains(',') { plain(text).parse() } else { text.parse() }.ok()?;
    value.is_finite().then_some(value)
}

fn plain(text: &str) -> String {
    let decimal_sign = text.rfind([',', '.']);
    let kept = text.char_indices().filter_map(|(at, sign)| match sign {
        ',' | '.' if Some(at) == decimal_sign => Some('.'),
        ',' | '.' => None,
        other => Some(other),
    });
    kept.collect()
}

/// A number of units of so many nanoseconds, without what a floating-point number would round off.
pub(crate) fn nanos(text: &str, unit: i64) -> Option<i64> {
    let text = bare(text);
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, fraction) = unsigned.split_once(['.', ',']).unwrap_or((unsigned, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty()
        || whole.len() + fraction.len() > 27
        || !is_digits(whole)
        || !is_digits(fraction)
    {
        let value = decimal(text)? * unit as f64;
        return (value.abs() < i64::MAX as f64).then_some(value.round() as i64);
    }
    let unit = i128::from(unit);
    let mut value = whole.parse::<i128>().ok()?.checked_mul(unit)?;
    if !fraction.is_empty() {
        let parts = 10_i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
        value += (fraction.parse::<i128>().ok()?.checked_mul(unit)? + parts / 2) / parts;
    }
    i64::try_from(if text.starts_with('-') { -value } else { value }).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<f64>) {
        assert_eq!(decimal(text), expected, "{text:?}");
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        check("12.5", Some(12.5));
        check(" \"12,5\" ", Some(12.5));
        check("1.234,5", Some(1234.5));
        check("1,234.5", Some(1234.5));
        check("-1e-3", Some(-0.001));
        check("np.float64(0.25)", Some(0.25));
        check("", None);
        check("nan", None);
        check("inf", None);
        check("12 mA", None);
        check("é,1", None);
    }

    #[track_caller]
    fn check_nanos(text: &str, unit: i64, expected: Option<i64>) {
        assert_eq!(nanos(text, unit), expected, "{text:?}");
    }

    #[test]
    fn times_are_not_rounded() {
        check_nanos("1750000000.123456789", 1_000_000_000, Some(1_750_000_000_123_456_789));
        check_nanos("0,0002", 1_000_000_000, Some(200_000));
        check_nanos("-0.5", 1_000_000, Some(-500_000));
        check_nanos("2e-3", 1_000_000_000, Some(2_000_000));
        check_nanos("1750000000123456789", 1, Some(1_750_000_000_123_456_789));
        check_nanos("99999999999999999999", 1_000_000_000, None);
        check_nanos("x", 1, None);
        check_nanos("1e300", 1, None);
    }
}
