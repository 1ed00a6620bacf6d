//! Names of events in the text of `perf script`.

/// Events of the hardware and of the kernel's software that a sample without a stack is known by; modifiers and the names of
/// hybrid CPUs' units aside.
const EVENTS: &[&[u8]] = &[
    b"cycles",
    b"cpu-cycles",
    b"instructions",
    b"cpu-clock",
    b"task-clock",
    b"page-faults",
    b"context-switches",
    b"cs",
    b"cpu-migrations",
    b"minor-faults",
    b"major-faults",
    b"cache-references",
    b"cache-misses",
    b"branches",
    b"branch-instructions",
    b"branch-misses",
    b"bus-cycles",
    b"ref-cycles",
    b"dummy",
];

/// Whether a tracepoint or an event is called so.
pub(super) fn is_event(name: &[u8]) -> bool {
    let end = name.iter().position(|byte| matches!(byte, b':' | b'/')).unwrap_or(name.len());
    let first = name.get(..end).unwrap_or(name);
    let is_word = |text: &[u8]| {
        !text.is_empty()
            && text.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
    };
    let second = name.get(end + 1..).unwrap_or_default();
    EVENTS.contains(&first) || (name.get(end) == Some(&b':') && is_word(first) && is_word(second))
}
