//! One line of the kernel's trace as text.
//!
//! ```text
//!           <idle>-0     (-----) [001] d..2  1234.000001: sched_switch: prev_comm=swapper/1 …
//!             comm-tid    tgid   cpu   flags seconds      name          arguments
//! ```
//! The process column and the flags may be missing, and the flags may touch the time. A name can hold any character,
//! brackets and dashes too, so the columns are found from the CPU's number, which has a fixed form.

use memchr::memchr;

/// When, in the trace's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Time {
    /// Nanoseconds.
    Nanos(i64),
    /// A number without a point: of something that the text does not tell.
    Count(i64),
}

/// The columns of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// Name of the thread in the kernel; `<...>` where it has forgotten.
    pub comm: &'a [u8],
    pub tid: u32,
    /// The process, where there is a column for it and it is known.
    pub tgid: Option<u32>,
    pub cpu: u32,
    pub time: Time,
    /// The event.
    pub name: &'a [u8],
    pub args: &'a [u8],
}

/// Bytes of a line among which the CPU's number is looked for. Before it stand a thread's name, of which the kernel keeps 15 bytes,
/// and two numbers.
const COLUMNS: usize = 256;

/// Splits off the columns; `None` if it is no event.
pub(super) fn parse(line: &[u8]) -> Option<Line<'_>> {
    let columns = line.get(..COLUMNS).unwrap_or(line);
    let mut from = 0;
    loop {
        let open = from + memchr(b'[', columns.get(from..)?)?;
        if let Some(found) = parse_at(line, open) {
            return Some(found);
        }
        from = open + 1;
    }
}

/// The columns, if the CPU's number begins at the bracket.
#[inline]
fn parse_at(line: &[u8], open: usize) -> Option<Line<'_>> {
    let (cpu, after) = digits(line.get(open + 1..)?)?;
    let rest = after.strip_prefix(b"]")?;
    let (comm, tid, tgid) = task(line.get(..open)?)?;
    let colon = memchr(b':', rest)?;
    let time = time(rest.get(..colon)?)?;
    let event = rest.get(colon + 1..)?.trim_ascii_start();
    let (name, args) = match memchr(b':', event) {
        Some(end) if is_name(event.get(..end)?) => (event.get(..end)?, event.get(end + 1..)?),
        _ => (&[][..], event),
    };
    Some(Line { comm, tid, tgid, cpu, time, name, args: args.trim_ascii() })
}

/// Name, number and process of the thread, which stand before the CPU.
fn task(text: &[u8]) -> Option<(&[u8], u32, Option<u32>)> {
    let text = text.trim_ascii_end();
    if let Some(inside) = text.strip_suffix(b")") {
        let open = inside.iter().rposition(|byte| *byte == b'(')?;
        let tgid = inside.get(open + 1..)?.trim_ascii();
        let is_unknown = !tgid.is_empty() && tgid.iter().all(|byte| *byte == b'-');
        let tgid = if is_unknown { None } else { Some(whole(tgid)?) };
        let (comm, tid) = thread(inside.get(..open)?.trim_ascii_end())?;
        return Some((comm, tid, tgid));
    }
    let found = thread(text);
    if let Some((comm, tid)) = found {
        return Some((comm, tid, None));
    }
    // The process may stand without brackets.
    let space = text.iter().rposition(|byte| *byte == b' ')?;
    let tgid = whole(text.get(space + 1..)?)?;
    let (comm, tid) = thread(text.get(..space)?.trim_ascii_end())?;
    Some((comm, tid, Some(tgid)))
}

/// `name-number`.
fn thread(text: &[u8]) -> Option<(&[u8], u32)> {
    let dash = text.iter().rposition(|byte| !byte.is_ascii_digit())?;
    if text.get(dash) != Some(&b'-') {
        return None;
    }
    let tid = whole(text.get(dash + 1..)?)?;
    Some((text.get(..dash)?.trim_ascii_start(), tid))
}

/// The time, behind flags that may touch it.
fn time(text: &[u8]) -> Option<Time> {
    const NANOS: [i64; 10] =
        [1_000_000_000, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1000, 100, 10, 1];
    let point = text.iter().rposition(|byte| !byte.is_ascii_digit());
    let fraction = text.get(point.map_or(0, |point| point + 1)..)?;
    let Some(point) = point.filter(|point| text.get(*point) == Some(&b'.')) else {
        let is_apart = point.is_none_or(|point| text.get(point) == Some(&b' '));
        let count = i64::try_from(number(fraction)?).ok()?;
        return is_apart.then_some(Time::Count(count));
    };
    let unit = *NANOS.get(fraction.len())?;
    let before = text.get(..point)?;
    let start = before.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |at| at + 1);
    let seconds = i64::try_from(number(before.get(start..)?)?).ok()?;
    let fraction = if fraction.is_empty() { 0 } else { i64::try_from(number(fraction)?).ok()? };
    Some(Time::Nanos(seconds.checked_mul(1_000_000_000)?.checked_add(fraction * unit)?))
}

/// Events' names have no spaces; what has is a function's name and its caller's, or free text.
fn is_name(text: &[u8]) -> bool {
    !text.is_empty() && !text.iter().any(u8::is_ascii_whitespace)
}

/// A number in front, and what follows.
#[inline]
pub(super) fn digits(text: &[u8]) -> Option<(u32, &[u8])> {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at_checked(length)?;
    Some((whole(digits)?, rest))
}

#[inline]
fn whole(text: &[u8]) -> Option<u32> {
    u32::try_from(number(text)?).ok()
}

/// A number and nothing else.
#[inline]
pub(super) fn number(text: &[u8]) -> Option<u64> {
    /// As many digits always fit.
    const SAFE: usize = 18;
    if text.is_empty() || text.len() > SAFE {
        return None;
    }
    text.iter().try_fold(0, |value, byte| {
        byte.is_ascii_digit().then(|| value * 10 + u64::from(byte - b'0'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    type Columns<'a> = (&'a str, u32, Option<u32>, u32, Time, &'a str, &'a str);

    #[track_caller]
    fn check(line: &str, expected: Option<Columns<'_>>) {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let found = parse(line.as_bytes());
        let found =
            found.map(|l| (text(l.comm), l.tid, l.tgid, l.cpu, l.time, text(l.name), text(l.args)));
        let expected = expected.map(|(comm, tid, tgid, cpu, time, name, args)| {
            (comm.to_owned(), tid, tgid, cpu, time, name.to_owned(), args.to_owned())
        });
        assert_eq!(found, expected, "{line:?}");
    }

    #[test]
    fn every_form_of_the_columns() {
        let at = |time: i64| Time::Nanos(time * 1000);
        check(
            "          atrace-14662 [000] 50260.647576: sched_switch: prev_comm=a",
            Some(("atrace", 14662, None, 0, at(50_260_647_576), "sched_switch", "prev_comm=a")),
        );
        check(
            "          <idle>-0     (-----) [006] d..2   538.064674: cpu_idle: state=2 cpu_id=6",
            Some(("<idle>", 0, None, 6, at(538_064_674), "cpu_idle", "state=2 cpu_id=6")),
        );
        check(
            "kworker/u17:1-959   (  959) [006] d..3.   538.064659: x: y",
            Some(("kworker/u17:1", 959, Some(959), 6, at(538_064_659), "x", "y")),
        );
        check(
            "a b [0] (c)-1-12 12 [127] dNsa. 4213.033572: 0: B|1|x",
            Some(("a b [0] (c)-1", 12, Some(12), 127, at(4_213_033_572), "0", "B|1|x")),
        );
        check(
            "t-123    (  123) [002] d...316.196740: tracing_mark_write: B|123|n",
            Some(("t", 123, Some(123), 2, at(316_196_740), "tracing_mark_write", "B|123|n")),
        );
        check(
            "t-1 [002]  5.123456789: cdev_update:          type=devfreq target=1",
            Some((
                "t",
                1,
                None,
                2,
                Time::Nanos(5_123_456_789),
                "cdev_update",
                "type=devfreq target=1",
            )),
        );
        check("t-1 [002] .... 12345: e: x", Some(("t", 1, None, 2, Time::Count(12345), "e", "x")));
        check("t-1 [002]12345: e: x", Some(("t", 1, None, 2, Time::Count(12345), "e", "x")));
        check("t-1 [002] 1.000000: a <-b", Some(("t", 1, None, 2, at(1_000_000), "", "a <-b")));
        check("-1 [002] 1.000000: a:", Some(("", 1, None, 2, at(1_000_000), "a", "")));
    }

    #[test]
    fn what_is_no_event() {
        for line in [
            "",
            "# tracer: nop",
            "CPU:3 [LOST 12 EVENTS]",
            "some = 000, other = 0x4",
            "x [001] 1.0: a:",
            "x-1 [001 1.0: a:",
            "x-1 [] 1.0: a:",
            "x-99999999999 [001] 1.0: a:",
            "x-1 [001] 99999999999999999.0: a: b",
            "x-1 [001] 1.0000000000: a: b",
            "x-1 (x) [001] 1.0: a: b",
        ] {
            check(line, None);
        }
    }
}
