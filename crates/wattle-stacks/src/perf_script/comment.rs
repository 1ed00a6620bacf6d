//! Lines of the head (`perf script --header`).

use memchr::memmem;

use crate::samples::ToldClock;
use wattle_import::text::{around, number};

/// The clock that a line of the head tells of: `# event : name = cycles, …, use_clockid = 1, …, clockid = 1`. Fields that are 0
/// are not printed.
pub(super) fn clock(line: &[u8]) -> Option<ToldClock> {
    let line = line.strip_prefix(b"#")?.trim_ascii();
    let event = line.strip_prefix(b"event")?.trim_ascii_start().strip_prefix(b":")?;
    if memmem::find(event, b"use_clockid = 1").is_none() {
        return Some(ToldClock::Unsaid);
    }
    let number = around(event, b", clockid = ").and_then(|(_, text)| number(text));
    Some(ToldClock::of_number(number.unwrap_or(0)))
}

/// The machine that a line of the head names: `# arch : x86_64`.
pub(super) fn machine(line: &[u8]) -> Option<&str> {
    let line = line.strip_prefix(b"#")?.trim_ascii();
    let name = line.strip_prefix(b"arch")?.trim_ascii_start().strip_prefix(b":")?;
    std::str::from_utf8(name.trim_ascii()).ok().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines() {
        let check = |line: &str, expected| assert_eq!(machine(line.as_bytes()), expected, "{line}");
        check("# arch : x86_64", Some("x86_64"));
        check("# arch: aarch64", Some("aarch64"));
        check("# arch :", None);
        check("# archive : x86_64", None);
        check("# cpudesc : Intel(R) Core(TM) i5-2400 CPU @ 3.10GHz", None);
    }

    #[test]
    fn clocks_of_events() {
        let check = |line: &str, expected| assert_eq!(clock(line.as_bytes()), expected, "{line}");
        check("# event : name = cycles, , type = 0", Some(ToldClock::Unsaid));
        check(
            "# event : name = a, use_clockid = 1, ksymbol = 1, clockid = 1",
            Some(ToldClock::Monotonic),
        );
        check("# event : name = a, use_clockid = 1, clockid = 7", Some(ToldClock::Boot));
        check("# event : name = a, use_clockid = 1, clockid = 4", Some(ToldClock::Other));
        check("# event : name = a, use_clockid = 1", Some(ToldClock::Real));
        check("# cmdline : perf record", None);
        check("# ========", None);
    }
}
