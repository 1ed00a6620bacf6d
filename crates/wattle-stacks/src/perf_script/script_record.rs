//! Records that are no samples (`--show-task-events`, `--show-switch-events`, `--show-lost-events`).

use wattle_import::text::{around, number};

/// Content of such a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Record<'a> {
    /// A thread has a name.
    Comm { pid: u32, tid: u32, name: &'a [u8] },
    /// The thread is new; its parent's process and number.
    Fork { pid: u32, tid: u32, parent: (u32, u32) },
    /// The thread is gone.
    Exit { tid: u32 },
    /// The thread came to the CPU of the line.
    SwitchIn,
    /// It left; who came, where the whole CPU was recorded, and whether it wanted to go on.
    SwitchOut { next: Option<u32>, is_preempted: bool },
    /// Samples were lost.
    Lost(u64),
    /// Something that says nothing of threads.
    Other,
}

/// Reads `PERF_RECORD_COMM: kthreadd:2/2` and the like, from its name on; the name, and what it says.
pub(super) fn parse(text: &[u8]) -> Option<(&[u8], Record<'_>)> {
    let text = text.trim_ascii();
    if !text.starts_with(b"PERF_RECORD_") {
        return None;
    }
    let end = text.iter().position(|b| !(b.is_ascii_alphanumeric() || *b == b'_'));
    let (name, rest) = text.split_at_checked(end.unwrap_or(text.len()))?;
    let record = match name {
        b"PERF_RECORD_COMM" => comm(rest),
        b"PERF_RECORD_FORK" => fork(rest),
        b"PERF_RECORD_EXIT" => pair(rest, b':').map(|(_, tid)| Record::Exit { tid }),
        b"PERF_RECORD_SWITCH" | b"PERF_RECORD_SWITCH_CPU_WIDE" => switch(rest),
        b"PERF_RECORD_LOST" | b"PERF_RECORD_LOST_SAMPLES" => {
            let count = around(rest, b"lost").and_then(|(_, text)| number(text.trim_ascii_start()));
            let count = count.or_else(|| number(rest.trim_ascii_start()));
            Some(Record::Lost(count.unwrap_or(1)))
        }
        _ => Some(Record::Other),
    };
    Some((name, record.unwrap_or(Record::Other)))
}

/// ` exec: name:12/13`
fn comm(text: &[u8]) -> Option<Record<'_>> {
    let (_, text) = around(text, b": ")?;
    let colon = text.iter().rposition(|byte| *byte == b':')?;
    let slash = text.iter().rposition(|byte| *byte == b'/')?;
    let pid = small(text.get(colon + 1..slash)?)?;
    let tid = small(text.get(slash + 1..)?)?;
    Some(Record::Comm { pid, tid, name: text.get(..colon)? })
}

/// `(12:13):(1:1)`
fn fork(text: &[u8]) -> Option<Record<'static>> {
    let (pid, tid) = pair(text, b':')?;
    let (_, parent) = around(text, b"):")?;
    Some(Record::Fork { pid, tid, parent: pair(parent, b':')? })
}

/// ` IN`, ` OUT`, ` OUT preempt  next pid/tid:    12/13`
fn switch(text: &[u8]) -> Option<Record<'static>> {
    let text = text.trim_ascii();
    if text.starts_with(b"IN") {
        return Some(Record::SwitchIn);
    }
    let rest = text.strip_prefix(b"OUT")?;
    let is_preempted = memchr::memmem::find(rest, b"preempt").is_some();
    let next = around(rest, b"next pid/tid:").and_then(|(_, next)| {
        let (_, tid) = around(next.trim_ascii(), b"/")?;
        small(tid.trim_ascii())
    });
    Some(Record::SwitchOut { next, is_preempted })
}

/// `(12:13)`, wherever it begins.
fn pair(text: &[u8], between: u8) -> Option<(u32, u32)> {
    let (_, inside) = around(text, b"(")?;
    let (inside, _) = around(inside, b")")?;
    let at = memchr::memchr(between, inside)?;
    Some((small(inside.get(..at)?)?, small(inside.get(at + 1..)?)?))
}

fn small(text: &[u8]) -> Option<u32> {
    let text = text.trim_ascii();
    if text.starts_with(b"-") {
        return None;
    }
    u32::try_from(number(text)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_threads() {
        let check = |text: &str, expected| {
            assert_eq!(parse(text.as_bytes()).map(|(_, record)| record), expected, "{text}");
        };
        let name = b"a b:c".as_slice();
        check("PERF_RECORD_COMM: a b:c:12/13", Some(Record::Comm { pid: 12, tid: 13, name }));
        check("PERF_RECORD_COMM exec: a b:c:12/13", Some(Record::Comm { pid: 12, tid: 13, name }));
        check(
            "PERF_RECORD_FORK(12:13):(1:2)",
            Some(Record::Fork { pid: 12, tid: 13, parent: (1, 2) }),
        );
        check("PERF_RECORD_EXIT(12:13):(1:2)", Some(Record::Exit { tid: 13 }));
        check("PERF_RECORD_SWITCH IN", Some(Record::SwitchIn));
        check(
            "PERF_RECORD_SWITCH_CPU_WIDE OUT preempt  next pid/tid: 12/13",
            Some(Record::SwitchOut { next: Some(13), is_preempted: true }),
        );
        check(
            "PERF_RECORD_SWITCH OUT  ",
            Some(Record::SwitchOut { next: None, is_preempted: false }),
        );
        check("PERF_RECORD_LOST lost 123", Some(Record::Lost(123)));
        check("PERF_RECORD_MMAP2 12/13: [0x1(0x2) @ 0]: r-xp /a", Some(Record::Other));
        check("cycles", None);
    }
}
