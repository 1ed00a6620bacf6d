//! Whose a stack is, by its first entry.

/// Content of the first entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root<'a> {
    /// A process or a thread, with its numbers where they are written (`stackcollapse-perf.pl --pid`, `--tid`).
    Task { comm: &'a [u8], pid: Option<u32>, tid: Option<u32> },
    /// A function: nobody is named.
    Frame,
}

/// Functions that threads begin with, and what tools put at the root of everything.
const FRAMES: &[&[u8]] = &[b"all", b"root", b"main", b"(root)", b"(program)"];

/// Reads the first entry.
pub(super) fn parse(entry: &[u8]) -> Root<'_> {
    if let Some(inside) = entry.strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]")) {
        // async-profiler: `[main tid=12]`.
        return tid_in(inside).unwrap_or(Root::Frame);
    }
    if let Some(task) = numbered(entry) {
        return task;
    }
    let text = String::from_utf8_lossy(entry);
    let is_code = entry.iter().any(|byte| matches!(byte, b'(' | b'<' | b'`'))
        || memchr::memmem::find(entry, b"::").is_some()
        || memchr::memmem::find(entry, b"_[").is_some()
        || crate::samples::java_name(&text).is_some()
        || crate::samples::is_start(&text)
        || FRAMES.contains(&entry);
    if is_code { Root::Frame } else { Root::Task { comm: entry, pid: None, tid: None } }
}

/// `java-12`, `java-12/13`, `java-?/13`.
fn numbered(entry: &[u8]) -> Option<Root<'_>> {
    let dash = entry.iter().rposition(|byte| *byte == b'-')?;
    let (comm, numbers) = (entry.get(..dash)?, entry.get(dash + 1..)?);
    let (pid, tid) = match memchr::memchr(b'/', numbers) {
        Some(slash) => {
            let pid = numbers.get(..slash)?;
            let pid = if pid == b"?" { None } else { Some(number(pid)?) };
            (pid, Some(number(numbers.get(slash + 1..)?)?))
        }
        // A process as a whole is told by the number of its first thread.
        None => (Some(number(numbers)?), Some(number(numbers)?)),
    };
    (!comm.is_empty()).then_some(Root::Task { comm, pid, tid })
}

fn tid_in(inside: &[u8]) -> Option<Root<'_>> {
    let at = memchr::memmem::find(inside, b"tid=")?;
    let tid = number(inside.get(at + 4..)?.trim_ascii())?;
    Some(Root::Task { comm: inside.get(..at)?.trim_ascii(), pid: None, tid: Some(tid) })
}

fn number(text: &[u8]) -> Option<u32> {
    let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    if is_number { std::str::from_utf8(text).ok()?.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_named() {
        let check = |entry: &'static str, expected| {
            assert_eq!(parse(entry.as_bytes()), expected, "{entry}");
        };
        let task = |comm: &'static str, pid, tid| Root::Task { comm: comm.as_bytes(), pid, tid };
        check("java", task("java", None, None));
        check("Binder:12_3", task("Binder:12_3", None, None));
        check("java-12", task("java", Some(12), Some(12)));
        check("java-12/13", task("java", Some(12), Some(13)));
        check("java-?/13", task("java", None, Some(13)));
        check("[main tid=12]", task("main", None, Some(12)));
        check("[tid=12]", task("", None, Some(12)));
        for frame in ["main", "a::b", "f(int)", "a/B.run", "_start", "x_[k]", "[unknown]", "all"] {
            check(frame, Root::Frame);
        }
    }
}
