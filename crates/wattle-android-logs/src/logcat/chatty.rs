//! Lines that `logd` reports as left out (tag `chatty`): `uid=10088(com.example) worker identical 3 lines`, `… expire
//! 12 lines`.

/// Lines that were left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeftOut {
    /// Repeats of the line before.
    Identical(u64),
    /// Lines that are gone.
    Expired(u64),
}

pub(crate) fn parse(message: &[u8]) -> Option<LeftOut> {
    let mut words = message.rsplit(|byte| *byte == b' ').filter(|word| !word.is_empty());
    if !matches!(words.next()?, b"line" | b"lines") {
        return None;
    }
    let count = std::str::from_utf8(words.next()?).ok()?.parse().ok()?;
    match words.next()? {
        b"identical" => Some(LeftOut::Identical(count)),
        b"expire" => Some(LeftOut::Expired(count)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(message: &str, expected: Option<LeftOut>) {
        assert_eq!(parse(message.as_bytes()), expected);
    }

    #[test]
    fn both_kinds_and_others() {
        check("uid=10088(com.example) worker identical 3 lines", Some(LeftOut::Identical(3)));
        check("uid=1000(system) Binder:1_2 identical 1 line", Some(LeftOut::Identical(1)));
        check("uid=1000(system) expire 12 lines", Some(LeftOut::Expired(12)));
        check("uid=1000 expire many lines", None);
        check("lines", None);
    }
}
