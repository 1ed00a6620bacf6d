//! Events of a runtime.

use wattle_units::{BootNanos, Nanos};

/// The kernel's number of a thread, as the simulated phone counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadNumber(pub u32);

/// The priority of a line of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogPriority {
    /// `Log.v`.
    Verbose,
    /// `Log.d`.
    Debug,
    /// `Log.i`.
    Info,
    /// `Log.w`.
    Warning,
    /// `Log.e`.
    Error,
    /// `Log.wtf`.
    Assert,
}

/// Something that a thread did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArtEvent {
    /// When, in the phone's boot time.
    pub at: BootNanos,
    /// The CPU time of the thread until then.
    pub cpu: Nanos,
    /// The thread.
    pub thread: ThreadNumber,
    /// Kind of the event.
    pub kind: ArtEventKind,
}

/// The kind of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArtEventKind {
    /// The process is ready to run code of the packages.
    Ready,
    /// The thread is seen for the first time.
    Thread {
        /// Its name.
        name: String,
        /// Its number on the host.
        host: u32,
    },
    /// A section begins.
    Begin(String),
    /// The innermost section ends.
    End,
    /// A line of the log.
    Log {
        /// Its priority.
        priority: LogPriority,
        /// Its tag.
        tag: String,
        /// Its text, which may have several lines.
        message: String,
    },
    /// A test begins.
    TestBegin(String),
    /// A test has passed.
    TestPassed(String),
    /// A test has failed.
    TestFailed {
        /// Its name.
        test: String,
        /// The class of what was thrown.
        class: String,
        /// Its message; `null` for none.
        message: String,
        /// Its stack trace, as Java prints it.
        stack: String,
    },
    /// Nobody caught an exception: the process ends.
    Crash {
        /// The class of what was thrown.
        class: String,
        /// Its message; `null` for none.
        message: String,
        /// Its stack trace, as Java prints it.
        stack: String,
    },
    /// The process kills itself.
    Killed,
    /// All that was asked for is done. What runs when a process ends may still write.
    Done,
}

/// Reads a line of the events' file; `None` for one that is none.
pub(super) fn parse(line: &str) -> Option<ArtEvent> {
    let mut parts = line.split('\t');
    let kind = parts.next()?;
    let at = BootNanos::new(parts.next()?.parse().ok()?);
    let cpu = Nanos::new(parts.next()?.parse().ok()?);
    let thread = ThreadNumber(parts.next()?.parse().ok()?);
    let mut text = || Some(plain(parts.next()?));
    let kind = match kind {
        "R" => ArtEventKind::Ready,
        "T" => ArtEventKind::Thread { host: text()?.parse().ok()?, name: text()? },
        // What would end the mark in the kernel's buffer is a space there too.
        "B" => ArtEventKind::Begin(text()?.replace(['\n', '|'], " ")),
        "E" => ArtEventKind::End,
        "L" => ArtEventKind::Log { priority: priority(&text()?)?, tag: text()?, message: text()? },
        "S" => ArtEventKind::TestBegin(text()?),
        "P" => ArtEventKind::TestPassed(text()?),
        "F" => ArtEventKind::TestFailed {
            test: text()?,
            class: text()?,
            message: text()?,
            stack: text()?,
        },
        "X" => ArtEventKind::Crash { class: text()?, message: text()?, stack: text()? },
        "K" => ArtEventKind::Killed,
        "Q" => ArtEventKind::Done,
        _ => return None,
    };
    Some(ArtEvent { at, cpu, thread, kind })
}

fn priority(number: &str) -> Option<LogPriority> {
    Some(match number {
        "2" => LogPriority::Verbose,
        "3" => LogPriority::Debug,
        "4" => LogPriority::Info,
        "5" => LogPriority::Warning,
        "6" => LogPriority::Error,
        "7" => LogPriority::Assert,
        _ => return None,
    })
}

/// Text without the escapes that keep it in its line.
fn plain(escaped: &str) -> String {
    let mut text = String::with_capacity(escaped.len());
    let mut letters = escaped.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some(other) => text.push(other),
                None => {}
            },
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, kind: Option<&ArtEventKind>) {
        assert_eq!(parse(line).map(|event| event.kind).as_ref(), kind, "{line:?}");
    }

    #[test]
    fn lines_become_events() {
        check("R\t5\t3\t900\t", Some(&ArtEventKind::Ready));
        check("B\t5\t3\t900\ta|b\\nc", Some(&ArtEventKind::Begin("a b c".into())));
        let log = ArtEventKind::Log {
            priority: LogPriority::Info,
            tag: "tag".into(),
            message: "one\n\ttwo\\n".into(),
        };
        check("L\t5\t3\t900\t4\ttag\tone\\n\\ttwo\\\\n", Some(&log));
        let event = parse("E\t123456789\t77\t901\t").unwrap();
        assert_eq!((event.at, event.thread), (BootNanos::new(123_456_789), ThreadNumber(901)));
        assert_eq!(event.cpu, Nanos::new(77));
    }

    #[test]
    fn what_is_no_event_is_none() {
        for line in [
            "",
            "R",
            "R\tx\t1\t1\t",
            "Y\t1\t1\t1\t",
            "L\t1\t1\t1\t9\ta\tb",
            "F\t1\t1\t1\tname\tclass",
        ] {
            check(line, None);
        }
    }
}
