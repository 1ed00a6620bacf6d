//! The first line of a sample.

use memchr::memchr;

use wattle_import::text::number;

/// The columns of the line, as far as they are there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Columns<'a> {
    pub comm: &'a [u8],
    pub pid: Option<u32>,
    pub tid: Option<u32>,
    pub cpu: Option<u32>,
    /// Nanoseconds.
    pub time: Option<i64>,
    pub period: Option<u64>,
    /// Empty where it is not printed.
    pub event: &'a [u8],
    /// Text after the columns: a tracepoint's payload, or the address and its function.
    pub rest: &'a [u8],
}

/// Bytes of a line among which the time is looked for. Before it stand a name of at most 15 bytes and a few numbers.
const BEFORE_TIME: usize = 256;

/// Splits a line that has a time; `None` if it has none.
pub(super) fn timed(line: &[u8]) -> Option<Columns<'_>> {
    let head = line.get(..BEFORE_TIME).unwrap_or(line);
    let mut from = 0;
    loop {
        let colon = from + memchr(b':', head.get(from..)?)?;
        if let Some((start, time)) = time_before(head, colon) {
            let before = before_time(line.get(..start)?);
            let after = behind_time(line.get(colon + 1..)?);
            return Some(Columns { time: Some(time), ..both(before, after) });
        }
        from = colon + 1;
    }
}

/// Splits a line without a time that names an event.
pub(super) fn timeless(line: &[u8]) -> Option<Columns<'_>> {
    let mut from = 0;
    loop {
        let colon = from + memchr(b':', line.get(from..)?)?;
        let is_end = line.get(colon + 1).is_none_or(u8::is_ascii_whitespace);
        if is_end {
            let start = word_before(line, colon);
            let (mut before, mut period) = (line.get(..start)?.trim_ascii_end(), None);
            // The period stands before the event, apart from what is before it by the width of its column.
            let number_start = word_before(before, before.len());
            let is_column = before_is_wide(before, number_start);
            if is_column && let Some(value) = whole(before.get(number_start..)?) {
                period = Some(value);
                before = before.get(..number_start)?.trim_ascii_end();
            }
            let event = line.get(start..colon)?;
            let rest = line.get(colon + 1..)?.trim_ascii();
            let after = Columns { period, event, rest, ..Columns::default() };
            return (!event.is_empty()).then(|| both(before_time(before), after));
        }
        from = colon + 1;
    }
}

/// Splits a line that has nothing but the thread, or nothing at all.
pub(super) fn bare(line: &[u8]) -> Columns<'_> {
    before_time(line)
}

fn both<'a>(before: Columns<'a>, after: Columns<'a>) -> Columns<'a> {
    Columns { period: after.period, event: after.event, rest: after.rest, ..before }
}

/// Returns the start of the time that ends at the colon, and the time.
fn time_before(head: &[u8], colon: usize) -> Option<(usize, i64)> {
    const SECOND: i64 = 1_000_000_000;
    let start = word_before(head, colon);
    let word = head.get(start..colon)?;
    let point = memchr(b'.', word)?;
    let fraction = word.get(point + 1..)?;
    // Microseconds, or nanoseconds with `--ns`.
    let unit = match fraction.len() {
        6 => 1000,
        9 => 1,
        _ => return None,
    };
    let seconds = i64::try_from(whole(word.get(..point)?)?).ok()?;
    let fraction = i64::try_from(whole(fraction)?).ok()?;
    let time = seconds.checked_mul(SECOND)?.checked_add(fraction * unit)?;
    Some((start, time))
}

/// Name, process, thread and CPU, which stand before the time.
fn before_time(text: &[u8]) -> Columns<'_> {
    let mut text = text.trim_ascii();
    let mut cpu = None;
    if let Some((before, found)) = cpu_of(text) {
        (text, cpu) = (before.trim_ascii_end(), Some(found));
    }
    let start = word_before(text, text.len());
    let word = text.get(start..).unwrap_or_default();
    let Some((pid, tid)) = numbers(word) else {
        // Letters that say in which mode the CPU was (`-F misc`).
        let is_mode = !word.is_empty() && word.iter().all(|byte| b"KUHGSEPCtTF".contains(byte));
        let before = text.get(..start).unwrap_or_default().trim_ascii_end();
        let start = word_before(before, before.len());
        let found = before.get(start..).and_then(numbers).filter(|_| is_mode);
        return match found {
            Some((pid, tid)) => {
                let comm = before.get(..start).unwrap_or_default().trim_ascii();
                Columns { comm, pid, tid, cpu, ..Columns::default() }
            }
            None => Columns { comm: text, cpu, ..Columns::default() },
        };
    };
    let comm = text.get(..start).unwrap_or_default().trim_ascii();
    Columns { comm, pid, tid, cpu, ..Columns::default() }
}

/// Returns the text before the last `[003]`, and its number.
fn cpu_of(text: &[u8]) -> Option<(&[u8], u32)> {
    let close = text.iter().rposition(|byte| *byte == b']')?;
    let open = text.get(..close)?.iter().rposition(|byte| *byte == b'[')?;
    let cpu = u32::try_from(whole(text.get(open + 1..close)?)?).ok()?;
    Some((text.get(..open)?, cpu))
}

/// `7498/7499` or `7499`; -1 is nobody.
fn numbers(word: &[u8]) -> Option<(Option<u32>, Option<u32>)> {
    let one = |text: &[u8]| -> Option<Option<u32>> {
        if text == b"-1" {
            return Some(None);
        }
        Some(Some(u32::try_from(whole(text)?).ok()?))
    };
    match memchr(b'/', word) {
        Some(slash) => Some((one(word.get(..slash)?)?, one(word.get(slash + 1..)?)?)),
        None => Some((None, one(word)?)),
    }
}

/// Period and event, which stand behind the time.
fn behind_time(text: &[u8]) -> Columns<'_> {
    let mut text = text.trim_ascii();
    let mut period = None;
    // What is no sample has no event.
    if text.starts_with(b"PERF_RECORD_") {
        return Columns { rest: text, ..Columns::default() };
    }
    let (word, rest) = word(text);
    if let Some(value) = whole(word)
        && (rest.is_empty() || event(rest).is_some())
    {
        (period, text) = (Some(value), rest);
    }
    let (event, rest) = event(text).unwrap_or((&[], text));
    Columns { period, event, rest, ..Columns::default() }
}

/// `sched:sched_switch:` and what follows.
fn event(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (word, rest) = word(text);
    let event = word.strip_suffix(b":")?;
    (!event.is_empty()).then_some((event, rest))
}

/// The first word, and what follows.
fn word(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    let (word, rest) = text.split_at_checked(end).unwrap_or((text, &[]));
    (word, rest.trim_ascii_start())
}

/// Returns the start of the word that ends before the place.
fn word_before(text: &[u8], end: usize) -> usize {
    let before = text.get(..end).unwrap_or(text);
    before.iter().rposition(u8::is_ascii_whitespace).map_or(0, |space| space + 1)
}

/// Whether more than one blank stands before the place, or the column is as wide as perf makes it.
fn before_is_wide(text: &[u8], at: usize) -> bool {
    /// `perf` prints periods in so many places.
    const WIDTH: usize = 10;
    let blanks = text.get(..at).map_or(0, |text| text.len() - text.trim_ascii_end().len());
    at > 0 && blanks + text.len().saturating_sub(at) >= WIDTH
}

/// A number and nothing else.
fn whole(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 20 || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    number(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Told<'a> = (&'a str, Option<u32>, Option<u32>, Option<u32>, Option<u64>, &'a str, &'a str);

    fn told<'a>(columns: &Columns<'a>) -> Told<'a> {
        let text = |bytes: &'a [u8]| std::str::from_utf8(bytes).unwrap_or("?");
        let Columns { comm, pid, tid, cpu, period, event, rest, .. } = *columns;
        (text(comm), pid, tid, cpu, period, text(event), text(rest))
    }

    #[track_caller]
    fn check(line: &str, nanos: i64, expected: Told<'_>) {
        let found = timed(line.as_bytes());
        assert_eq!(found.and_then(|found| found.time), Some(nanos), "{line:?}");
        assert_eq!(found.as_ref().map(told), Some(expected), "{line:?}");
    }

    #[test]
    fn lines_with_times() {
        let at = |micros: i64| micros * 1000;
        check(
            "ab 23927 [000] 184694.229089: cycles: ",
            at(184_694_229_089),
            ("ab", None, Some(23927), Some(0), None, "cycles", ""),
        );
        check(
            "perf  7496/7496  [003] 264874.155353:    1001001                cpu-clock: ",
            at(264_874_155_353),
            ("perf", Some(7496), Some(7496), Some(3), Some(1_001_001), "cpu-clock", ""),
        );
        check(
            "             elf 26083/26083 [002] 558358.089629:    1969734 cycles:HG:            400513",
            at(558_358_089_629),
            ("elf", Some(26083), Some(26083), Some(2), Some(1_969_734), "cycles:HG", "400513"),
        );
        check(
            "opt d4n0 [x] 1 2  1228     0.000375: ",
            at(375),
            ("opt d4n0 [x] 1 2", None, Some(1228), None, None, "", ""),
        );
        check(
            "a-1  [0] 12/-1 [127] K     47886.750566373: sched:sched_switch: prev_comm=a: b",
            47_886_750_566_373,
            ("a-1  [0]", Some(12), None, Some(127), None, "sched:sched_switch", "prev_comm=a: b"),
        );
        check(
            "perf-exec  1237 K     1.000000: ",
            at(1_000_000),
            ("perf-exec", None, Some(1237), None, None, "", ""),
        );
        check(
            "e.sample\t10/11 [001] 3.000001: 250000 task-clock:",
            at(3_000_001),
            ("e.sample", Some(10), Some(11), Some(1), Some(250_000), "task-clock", ""),
        );
        check("1.000000: ", at(1_000_000), ("", None, None, None, None, "", ""));
        check(
            "a 1 1.000000: ffff820 b::c (d)",
            at(1_000_000),
            ("a", None, Some(1), None, None, "", "ffff820 b::c (d)"),
        );
        check(
            "a 1 1.000000: 12345678",
            at(1_000_000),
            ("a", None, Some(1), None, Some(12_345_678), "", ""),
        );
        for line in ["", "a 1 [000] 1.0: x:", "\tffff main (/a)", "a: b: 1.000000", "x 1.00000a: b"]
        {
            assert_eq!(timed(line.as_bytes()), None, "{line:?}");
        }
    }

    #[test]
    fn lines_without_times() {
        let check = |line: &'static str, expected: Option<Told<'_>>| {
            assert_eq!(timeless(line.as_bytes()).as_ref().map(told), expected, "{line:?}");
        };
        check(
            "       perf-exec    1003009 cpu-clock:  ffff80 kvm (k)",
            Some(("perf-exec", None, None, None, Some(1_003_009), "cpu-clock", "ffff80 kvm (k)")),
        );
        check(
            "a b  12/13 [002] cycles:u: ",
            Some(("a b", Some(12), Some(13), Some(2), None, "cycles:u", "")),
        );
        check("a 1237 cycles:", Some(("a", None, Some(1237), None, None, "cycles", "")));
        check("nothing here", None);
        assert_eq!(
            told(&bare(b"perf-exec 12 ")),
            ("perf-exec", None, Some(12), None, None, "", "")
        );
    }
}
