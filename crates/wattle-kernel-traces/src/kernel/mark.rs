//! Marks that programs write into the kernel's buffer (atrace): `B|pid|name`, `E|pid`, `C|pid|name|value` …

use memchr::memchr;

/// Content of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant says what its fields are")]
pub enum Mark<'a> {
    /// `B`: a section of the writing thread begins.
    Begin { pid: u32, name: &'a [u8] },
    /// `E`: the innermost section ends. Old Androids do not write the pid.
    End { pid: u32 },
    /// `I`: something in the writing thread took no time.
    Instant { pid: u32, name: &'a [u8] },
    /// `C`: a counter of a process.
    Counter { pid: u32, name: &'a [u8], value: i64 },
    /// `S`: something asynchronous begins.
    AsyncBegin { pid: u32, name: &'a [u8], cookie: i64 },
    /// `F`: it ends.
    AsyncEnd { pid: u32, name: &'a [u8], cookie: i64 },
    /// `G`: something begins on a named track.
    TrackBegin { pid: u32, track: &'a [u8], name: &'a [u8], cookie: i64 },
    /// `H`: it ends.
    TrackEnd { pid: u32, track: &'a [u8], cookie: i64 },
    /// `N`: something on a named track took no time.
    TrackInstant { pid: u32, track: &'a [u8], name: &'a [u8] },
}

/// Splits off what stands before the next bar.
fn part<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    let (part, after) = match memchr(b'|', rest) {
        Some(at) => (rest.get(..at), rest.get(at + 1..)),
        None => (Some(*rest), None),
    };
    *rest = after.unwrap_or_default();
    part.unwrap_or_default()
}

fn number<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    std::str::from_utf8(text).ok()?.trim().parse().ok()
}

/// A process' number: nearly always a few digits and nothing else.
#[inline]
fn process(text: &[u8]) -> Option<u32> {
    /// As many digits always fit.
    const SAFE: usize = 9;
    if text.is_empty() || text.len() > SAFE || !text.iter().all(u8::is_ascii_digit) {
        return number(text);
    }
    Some(text.iter().fold(0, |value, digit| value * 10 + u32::from(digit - b'0')))
}

fn filled(text: &[u8]) -> Option<&[u8]> {
    (!text.is_empty()).then_some(text)
}

/// Reads a mark; `None` for any other text.
pub fn parse(text: &[u8]) -> Option<Mark<'_>> {
    let end = text.iter().rposition(|b| !matches!(b, b'\n' | 0))? + 1;
    let mut rest = text.get(..end)?;
    let kind = match part(&mut rest) {
        [kind] => *kind,
        _ => return None,
    };
    let pid = process(part(&mut rest));
    Some(match kind {
        b'B' => {
            let name: &[u8] = if rest.is_empty() { b"[empty slice name]" } else { rest };
            Mark::Begin { pid: pid?, name }
        }
        b'E' => Mark::End { pid: pid.unwrap_or(0) },
        b'I' => Mark::Instant { pid: pid?, name: filled(part(&mut rest))? },
        b'C' => {
            let name = filled(part(&mut rest))?;
            Mark::Counter { pid: pid?, name, value: number(part(&mut rest))? }
        }
        b'S' | b'F' => {
            let (pid, name) = (pid?, filled(part(&mut rest))?);
            let cookie = number(part(&mut rest))?;
            if kind == b'S' {
                Mark::AsyncBegin { pid, name, cookie }
            } else {
                Mark::AsyncEnd { pid, name, cookie }
            }
        }
        b'G' => {
            let (track, name) = (filled(part(&mut rest))?, filled(part(&mut rest))?);
            Mark::TrackBegin { pid: pid?, track, name, cookie: number(part(&mut rest))? }
        }
        b'H' => {
            let track = filled(part(&mut rest))?;
            // With or without the slice's name between.
            let (first, second) = (part(&mut rest), part(&mut rest));
            let cookie = number(if second.is_empty() { first } else { second })?;
            Mark::TrackEnd { pid: pid?, track, cookie }
        }
        b'N' => {
            let track = filled(part(&mut rest))?;
            Mark::TrackInstant { pid: pid?, track, name: filled(part(&mut rest))? }
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<Mark<'_>>) {
        assert_eq!(parse(text.as_bytes()), expected, "{text:?}");
    }

    #[test]
    fn every_kind_of_mark() {
        check("B|7|draw|x\n", Some(Mark::Begin { pid: 7, name: b"draw|x" }));
        check("B|7|", Some(Mark::Begin { pid: 7, name: b"[empty slice name]" }));
        check("B|x|draw", None);
        check("E|7\n\0", Some(Mark::End { pid: 7 }));
        check("E", Some(Mark::End { pid: 0 }));
        check("I|7|now", Some(Mark::Instant { pid: 7, name: b"now" }));
        check("C|7|n|-5|cat", Some(Mark::Counter { pid: 7, name: b"n", value: -5 }));
        check("C|7|n|x", None);
        check("S|7|n|5", Some(Mark::AsyncBegin { pid: 7, name: b"n", cookie: 5 }));
        check("F|7|n|5", Some(Mark::AsyncEnd { pid: 7, name: b"n", cookie: 5 }));
        let begin = Mark::TrackBegin { pid: 7, track: b"t", name: b"n", cookie: 5 };
        check("G|7|t|n|5", Some(begin));
        check("H|7|t|n|5", Some(Mark::TrackEnd { pid: 7, track: b"t", cookie: 5 }));
        check("H|7|t|5", Some(Mark::TrackEnd { pid: 7, track: b"t", cookie: 5 }));
        check("N|7|t|n", Some(Mark::TrackInstant { pid: 7, track: b"t", name: b"n" }));
        check("some text", None);
        check("", None);
        check("\n", None);
    }
}
