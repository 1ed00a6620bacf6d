//! The text of a trace: what it was recorded with, its threads and methods.
//!
//! ```text
//! *version        3, then key=value
//! *threads        number, name
//! *methods        number, class, name, descriptor, file, line
//! *end
//! ```
//! It stands before the records of buffered traces, is the whole `.key` file of old pairs, and the summary at the end of streamed ones.

use super::method_sink::MethodSink;
use super::trace_clock::TraceClock;

/// First bytes of the text.
pub(super) const SIGNATURE: &[u8] = b"*version";
/// The longest line that is kept; methods with longer names do not exist.
pub(super) const LONGEST: usize = 1 << 16;
/// Threads of one trace that are kept: the runtime numbers them with 16 bits.
const MAX_THREADS: usize = 1 << 16;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Section {
    #[default]
    None,
    Version,
    Threads,
    Methods,
    End,
}

/// Contents of the text, except methods.
#[derive(Debug, Default)]
pub struct TraceKeys {
    section: Section,
    /// There is a text at all.
    pub is_there: bool,
    /// Version of the format.
    pub version: Option<u32>,
    /// `data-file-overflow`: the buffer was full before the trace was stopped.
    pub has_overflown: bool,
    /// The clocks that were read.
    pub clock: Option<TraceClock>,
    /// Time to read the clocks at each event, nanoseconds (`clock-call-overhead-nsec`).
    pub overhead: Option<u64>,
    /// Time from the trace's beginning to its end, microseconds (`elapsed-time-usec`).
    pub elapsed: Option<u64>,
    /// Number of records (`num-method-calls`).
    pub records: Option<u64>,
    /// The process, where the runtime wrote it.
    pub pid: Option<u32>,
    /// Numbers and names of threads.
    pub threads: Vec<(u32, Box<[u8]>)>,
    /// Lines that are not what their section holds.
    pub malformed: u64,
}

impl TraceKeys {
    /// Takes in a line; `false` at the last one.
    pub(super) fn line(&mut self, line: &[u8], sink: &mut impl MethodSink) -> bool {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if let Some(section) = line.strip_prefix(b"*") {
            self.is_there = true;
            self.section = match section {
                b"version" => Section::Version,
                b"threads" => Section::Threads,
                b"methods" => Section::Methods,
                b"end" => Section::End,
                _ => Section::None,
            };
            return self.section != Section::End;
        }
        let understood = match self.section {
            Section::Version => self.version_line(line),
            Section::Threads => self.thread_line(line),
            Section::Methods => method_line(line, sink),
            // A section that only later writers know.
            Section::None | Section::End => Some(()),
        };
        self.malformed += u64::from(understood.is_none());
        true
    }

    /// All lines of a summary.
    pub(super) fn summary(&mut self, text: &[u8], sink: &mut impl MethodSink) {
        for line in text.split(|byte| *byte == b'\n') {
            if !self.line(line, sink) {
                break;
            }
        }
    }

    /// Whether the last line was there.
    pub fn is_whole(&self) -> bool {
        self.section == Section::End
    }

    fn version_line(&mut self, line: &[u8]) -> Option<()> {
        let text = std::str::from_utf8(line).ok()?;
        let Some((key, value)) = text.split_once('=') else {
            self.version = Some(text.trim().parse().ok()?);
            return Some(());
        };
        match key {
            "data-file-overflow" => self.has_overflown = value == "true",
            "clock" => self.clock = Some(TraceClock::from_name(value.as_bytes())?),
            "clock-call-overhead-nsec" => self.overhead = Some(value.parse().ok()?),
            "elapsed-time-usec" => self.elapsed = Some(value.parse().ok()?),
            "num-method-calls" => self.records = Some(value.parse().ok()?),
            "pid" => self.pid = Some(value.parse().ok().filter(|pid| *pid > 0)?),
            _ => {}
        }
        Some(())
    }

    fn thread_line(&mut self, line: &[u8]) -> Option<()> {
        let tab = line.iter().position(|byte| *byte == b'\t')?;
        let number = std::str::from_utf8(line.get(..tab)?).ok()?.trim().parse().ok()?;
        self.thread(number, line.get(tab + 1..)?);
        Some(())
    }

    /// A thread has this name; a later one counts.
    pub(super) fn thread(&mut self, number: u32, name: &[u8]) {
        if let Some((_, known)) = self.threads.iter_mut().find(|(known, _)| *known == number) {
            *known = name.into();
        } else if self.threads.len() < MAX_THREADS {
            self.threads.push((number, name.into()));
        }
    }
}

fn method_line(line: &[u8], sink: &mut impl MethodSink) -> Option<()> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let id = method_number(line.get(..tab)?)?;
    sink.method(id, line.get(tab + 1..)?);
    Some(())
}

/// `0x6287d960`, `0x0`, or `0` as `%#x` prints it; decimal in old keys.
pub(super) fn method_number(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?.trim();
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::art_events::MethodEvent;

    #[derive(Default)]
    struct Methods(Vec<(u64, Vec<u8>)>);

    impl MethodSink for Methods {
        fn method(&mut self, id: u64, line: &[u8]) {
            self.0.push((id, line.to_vec()));
        }

        fn event(&mut self, _event: MethodEvent) {}
    }

    #[test]
    fn sections() {
        let mut keys = TraceKeys::default();
        let mut methods = Methods::default();
        let text = "*version\n3\ndata-file-overflow=true\nclock=dual\nelapsed-time-usec=5\nnum-method-calls=9\n\
                    clock-call-overhead-nsec=2178\nvm=art\npid=77\n*threads\n77\tmain\n78\tBinder\tx\n77\tMain\nwhat\n\
                    *methods\n0x8\ta.B\tc\t()V\tB.java\n0\ta.B\td\t()V\tB.java\n*end\n77\tnot read\n";
        keys.summary(text.as_bytes(), &mut methods);
        assert!(keys.has_overflown && keys.is_whole());
        assert_eq!((keys.version, keys.clock), (Some(3), Some(TraceClock::Dual)));
        assert_eq!((keys.overhead, keys.records, keys.pid), (Some(2178), Some(9), Some(77)));
        assert_eq!(keys.elapsed, Some(5));
        let threads: Vec<_> = keys.threads.iter().map(|(id, name)| (*id, &**name)).collect();
        assert_eq!(threads, [(77, &b"Main"[..]), (78, &b"Binder\tx"[..])]);
        assert_eq!(keys.malformed, 1);
        assert_eq!(methods.0[0], (8, b"a.B\tc\t()V\tB.java".to_vec()));
        assert_eq!(methods.0.len(), 2);
    }
}
