//! Labels of the sections that the sink `trace` writes: `com.foo.Bar.baz #1k2@9f86d081`.

use super::map_id::{ShortId, base36};

/// A label taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label<'a> {
    /// The readable name, perhaps shortened.
    pub name: &'a str,
    pub id: u32,
    pub map: ShortId,
}

/// Takes a section's name apart; `None` if it is no label of a probe.
pub(crate) fn parse(section: &str) -> Option<Label<'_>> {
    let (name, rest) = section.rsplit_once(" #")?;
    let (id, map) = rest.split_once('@')?;
    let id = u32::try_from(base36(id.as_bytes())?).ok().filter(|id| *id < 1 << 28)?;
    Some(Label { name, id, map: ShortId::parse(map.as_bytes())? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(section: &str, expected: Option<(&str, u32)>) {
        let map = ShortId(0x9f86_d081);
        assert_eq!(parse(section), expected.map(|(name, id)| Label { name, id, map }));
    }

    #[test]
    fn what_counts_is_behind_the_last_hash() {
        check("com.foo.Bar.baz #1k2@9f86d081", Some(("com.foo.Bar.baz", 36 * 36 + 20 * 36 + 2)));
        check("a #1@x #z@9f86d081", Some(("a #1@x", 35)));
        check("wattle.calibration #0@9f86d081", Some(("wattle.calibration", 0)));
        for other in [
            "draw",
            "a #",
            "a #1",
            "a #@9f86d081",
            "a #1@9f86d08",
            "a #1@9F86D081",
            "a #1K@9f86d081",
            "a #zzzzzzzzzzzzzzzzz@9f86d081",
            "a#1@9f86d081",
        ] {
            check(other, None);
        }
    }
}
