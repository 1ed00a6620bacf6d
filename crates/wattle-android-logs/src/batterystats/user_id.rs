//! Uids as `UserHandle.formatUid` writes them: `1000`, `u0a45`, `u10s1000`, `u0i12`, `u0ai3`, `-1`.

use wattle_timeline::Uid;

const PER_USER: i64 = 100_000;
const FIRST_APPLICATION: i64 = 10_000;
/// `Process.FIRST_APP_ZYGOTE_ISOLATED_UID`.
const FIRST_ZYGOTE_ISOLATED: i64 = 90_000;
/// `Process.FIRST_ISOLATED_UID`.
const FIRST_ISOLATED: i64 = 99_000;

/// A uid by its text. Negative ones (`-5`: tethering) are what the kernel makes of them: 2³² less.
pub(crate) fn parse(text: &str) -> Option<Uid> {
    let text = text.strip_prefix('#').unwrap_or(text);
    if let Ok(number) = text.parse::<i64>() {
        return of_number(number);
    }
    let rest = text.strip_prefix('u')?;
    let end = rest.find(|c: char| !c.is_ascii_digit())?;
    let (user, rest) = rest.split_at(end);
    let user: i64 = user.parse().ok()?;
    let number = rest.find(|c: char| c.is_ascii_digit())?;
    let (kind, number) = rest.split_at(number);
    let base = match kind {
        "a" => FIRST_APPLICATION,
        "s" => 0,
        "i" => FIRST_ISOLATED,
        "ai" => FIRST_ZYGOTE_ISOLATED,
        _ => return None,
    };
    let id = base.checked_add(number.parse().ok()?)?;
    of_number(user.checked_mul(PER_USER)?.checked_add(id)?)
}

/// A uid by its number.
pub(crate) fn of_number(number: i64) -> Option<Uid> {
    let signed = i32::try_from(number).ok();
    let bits = signed.map(i32::cast_unsigned).or_else(|| u32::try_from(number).ok());
    bits.map(Uid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uids_of_all_kinds() {
        for (text, expected) in [
            ("1000", Some(1000)),
            ("u0a45", Some(10_045)),
            ("u10a12", Some(1_010_012)),
            ("u10s1000", Some(1_001_000)),
            ("u0i12", Some(99_012)),
            ("u0ai3", Some(90_003)),
            ("u0a40166", Some(50_166)),
            ("#10003", Some(10_003)),
            ("-5", Some(4_294_967_291)),
            ("u0x1", None),
            ("user", None),
            ("u99999999999a1", None),
        ] {
            assert_eq!(parse(text).map(|uid| uid.0), expected, "{text}");
        }
    }
}
