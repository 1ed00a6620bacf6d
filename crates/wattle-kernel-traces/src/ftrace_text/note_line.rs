//! Lines that are no event and say something of the trace.

use super::trace_line::{digits, number};
use wattle_import::text::around;

/// Content of such a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoteLine {
    /// Events of a CPU were lost here; how many, if the kernel knew.
    Lost { cpu: u32, count: Option<u64> },
    /// Something that every trace of that kind begins with.
    Preamble,
}

/// Lines that tools write before the events: `trace-cmd report`, `atrace`, systrace.
const PREAMBLE: &[&[u8]] = &[
    b"cpus=",
    b"version =",
    b"trace.dat",
    b"TRACE:",
    b"capturing trace",
    b"PROCESS DUMP",
    b"CGROUP DUMP",
    b"THREAD DUMP",
];

/// `CPU:3 [LOST 12 EVENTS]`, of trace-cmd `CPU:3 [12 EVENTS DROPPED]`, and what tools write before the events.
pub(super) fn note_line(text: &[u8]) -> Option<NoteLine> {
    let text = text.trim_ascii();
    if PREAMBLE.iter().any(|known| text.starts_with(known)) {
        return Some(NoteLine::Preamble);
    }
    if text.starts_with(b"CPU ") && text.ends_with(b" is empty") {
        return Some(NoteLine::Preamble);
    }
    let (cpu, rest) = digits(text.strip_prefix(b"CPU:")?)?;
    let (inside, _) = around(around(rest, b"[")?.1, b"]")?;
    let is_loss = inside.starts_with(b"LOST") || inside.ends_with(b"DROPPED");
    let count = inside.split(|byte| *byte == b' ').find_map(number);
    is_loss.then_some(NoteLine::Lost { cpu, count })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<NoteLine>) {
        assert_eq!(note_line(line.as_bytes()), expected, "{line:?}");
    }

    #[test]
    fn losses_and_preambles() {
        let lost = |cpu, count| Some(NoteLine::Lost { cpu, count });
        check("CPU:3 [LOST 12 EVENTS]", lost(3, Some(12)));
        check("CPU:0 [LOST EVENTS]", lost(0, None));
        check("CPU:11 [7 EVENTS DROPPED]", lost(11, Some(7)));
        check("CPU:1 [EVENTS DROPPED]", lost(1, None));
        check("CPU:1 [something]", None);
        check("cpus=8", Some(NoteLine::Preamble));
        check("CPU 5 is empty", Some(NoteLine::Preamble));
        check("some = 000, other = 0x4", None);
    }
}
