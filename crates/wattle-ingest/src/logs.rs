//! What the consumers of logs take from them: records of probes, calls that other tools logged, tests.

mod clock;
mod process_start;
mod test_line;
mod tests;

use std::collections::BTreeMap;
use std::io::Read;

use rustc_hash::FxHashMap;
use wattle_timeline::{
    ArtifactQuality, NameId, Note, Severity, SliceOrigin, TimelineBuilder, Window,
};
use wattle_units::Nanos;

use crate::align::ClockFacts;
use crate::limits::MAX_LOG_EVENTS;
use crate::logcat::{self, LogClock, LogEntry, LogTime, LogcatOptions};
use crate::probes::{ProbeLines, TextCall, parse_text_call};
use crate::session::Session;
use clock::{LogClockFacts, LogFit};
use test_line::TestWord;
use tests::TestRuns;

const MILLISECOND: i64 = 1_000_000;

/// Something that a line of a log says.
#[derive(Clone, Copy, Debug)]
enum What {
    Test(TestWord, NameId),
    Enter(NameId),
    Exit(NameId),
    Called(NameId),
}

#[derive(Clone, Copy, Debug)]
struct LogEvent {
    time: LogTime,
    pid: u32,
    tid: u32,
    what: What,
}

/// What was found in one log.
#[derive(Debug, Default)]
pub(crate) struct LogFindings {
    /// Index of its quality.
    pub artifact: usize,
    clock: LogClockFacts,
    events: Vec<LogEvent>,
    /// Events without a time (formats without).
    timeless: u64,
    refused: u64,
}

/// What a log is read among.
pub(crate) struct Among<'a> {
    pub clocks: &'a ClockFacts,
    /// Nothing outside of it is used.
    pub window: Option<Window>,
    /// Whether there is a trace, whose time the log must be brought to.
    pub has_others: bool,
    pub iteration: u32,
}

/// Reads a log.
pub(crate) fn read(
    name: &str,
    input: impl Read,
    session: &mut Session,
    told: &mut dyn FnMut(u64),
) -> ArtifactQuality {
    let options = LogcatOptions::default().around(session.around());
    let artifact = session.qualities.len();
    let mut findings = LogFindings { artifact, ..LogFindings::default() };
    let mut lines = ProbeLines::default();
    let Session { builder, probes, clocks, .. } = session;
    let mut each = |entry: &LogEntry<'_>| {
        if let Some(time) = entry.time {
            findings.clock.time(time);
        }
        if let Some(said) = lines.line(entry, artifact, probes) {
            clocks.probes(said);
            if let Some(time) = entry.time {
                findings.clock.says(time, said.wall_ms.saturating_mul(MILLISECOND));
            }
        }
        findings.entry(entry, builder);
    };
    let summary = logcat::read_told(input, options, &mut each, told);
    findings.clock.year_is_unknown = summary.year_is_unknown;
    let mut quality = summary.into_quality(name);
    lines.finish(&mut quality);
    session.logs.push(findings);
    quality
}

impl LogFindings {
    fn entry(&mut self, entry: &LogEntry<'_>, builder: &mut TimelineBuilder) {
        let Some(tag) = entry.tag else { return };
        if let (Some(pid), Some(time)) = (process_start::parse(tag, entry.message), entry.time) {
            self.clock.start(time, pid);
        }
        let mut name = |text: &str| builder.names.intern(&text.replace('/', "."));
        let what = if tag == b"TestRunner" {
            let Some((word, test)) = test_line::parse(entry.message) else { return };
            What::Test(word, builder.names.intern(&test))
        } else {
            match parse_text_call(tag, entry.message) {
                None => return,
                Some(TextCall::Enter(method)) => What::Enter(name(method)),
                Some(TextCall::Exit(method)) => What::Exit(name(method)),
                Some(TextCall::Called(method)) => What::Called(name(method)),
            }
        };
        let Some(time) = entry.time else {
            self.timeless += 1;
            return;
        };
        if self.events.len() >= MAX_LOG_EVENTS {
            self.refused += 1;
            return;
        }
        // Formats without threads: calls of a process are taken to be its main thread's.
        let pid = entry.pid.unwrap_or(0);
        self.events.push(LogEvent { time, pid, tid: entry.tid.unwrap_or(pid), what });
    }

    /// Brings what was found to boot time and tells the builder. Whether there were tests.
    pub fn tell(
        self,
        among: &Among<'_>,
        builder: &mut TimelineBuilder,
        quality: &mut ArtifactQuality,
    ) -> bool {
        let mut note = |severity, code, count: u64, text: &str| {
            if count > 0 {
                quality.notes.push(Note::new(severity, code, text).times(count));
            }
        };
        note(
            Severity::Warning,
            "log-without-times",
            self.timeless,
            "lines of tests or calls in a format that has no times: not used; record with -v threadtime",
        );
        note(
            Severity::Error,
            "log-limit",
            self.refused,
            "more lines of tests and calls than are kept at a time: the rest was not used",
        );
        let mut fits: BTreeMap<LogClock, LogFit> = BTreeMap::new();
        for (clock, first) in &self.clock.first {
            let fit = LogFit::new(*clock, &self.clock, among.clocks, builder);
            if let Some(told) = fit.told(&quality.name, *clock, *first) {
                builder.alignment(told);
            }
            fits.insert(*clock, fit);
        }
        let mut tests = TestRuns::default();
        let mut calls = TextCalls::default();
        let (mut unaligned, mut outside) = (0, 0);
        let mut residual = 0;
        for event in &self.events {
            let Some(fit) = fits.get(&event.time.clock) else { continue };
            if !fit.is_aligned() {
                unaligned += 1;
                if among.has_others {
                    continue;
                }
            }
            let time = fit.to_boot(event.time);
            let slack = fit.residual().unwrap_or(0);
            let is_outside = among.window.is_some_and(|window| {
                let slack = Nanos::new(slack);
                time < window.start - slack || time > window.end + slack
            });
            if is_outside {
                outside += 1;
                continue;
            }
            residual = residual.max(slack);
            match event.what {
                What::Test(word, name) => tests.word(time, word, name),
                what => calls.event(event.pid, event.tid, time, what, builder),
            }
        }
        let mut note = |severity, code, count: u64, text: &str| {
            if count > 0 {
                quality.notes.push(Note::new(severity, code, text).times(count));
            }
        };
        if among.has_others {
            note(
                Severity::Error,
                "log-unaligned",
                unaligned,
                "nothing leads from this log's clock to the trace's (no clock readings, no process that starts in both): its tests \
                 and calls are not used",
            );
        } else {
            note(
                Severity::Warning,
                "log-unaligned",
                unaligned,
                "nothing leads from this log's clock to the device's boot time: its lines keep their own time",
            );
        }
        note(
            Severity::Info,
            "log-outside",
            outside,
            "lines of tests and calls from before or after the recording: not used",
        );
        note(
            Severity::Info,
            "test-end-unmatched",
            tests.unmatched,
            "ends of tests whose beginning was not logged: ignored",
        );
        calls.finish(&mut note);
        let count = tests.finish(among.window, among.iteration, Nanos::new(residual), builder);
        if count > 0 {
            quality.events.insert("test".to_owned(), count as u64);
        }
        count > 0
    }
}

/// Calls that a tool logged a line for, by thread.
#[derive(Debug, Default)]
struct TextCalls {
    open: FxHashMap<(u32, u32), OpenCalls>,
    slices: u64,
    unmatched: u64,
    missing: u64,
}

/// The open calls of one thread.
#[derive(Debug, Default)]
struct OpenCalls {
    stack: Vec<NameId>,
    count: FxHashMap<NameId, u32>,
}

impl TextCalls {
    fn event(
        &mut self,
        pid: u32,
        tid: u32,
        time: wattle_units::BootNanos,
        what: What,
        builder: &mut TimelineBuilder,
    ) {
        let thread = self.open.entry((pid, tid)).or_insert_with(|| {
            builder.thread_of(time, tid, pid);
            OpenCalls::default()
        });
        match what {
            What::Enter(name) => {
                builder.probe_begin(time, tid, name, SliceOrigin::ProbedMethod);
                thread.stack.push(name);
                *thread.count.entry(name).or_default() += 1;
                self.slices += 1;
            }
            What::Called(name) => {
                builder.probe_begin(time, tid, name, SliceOrigin::ProbedCall);
                builder.probe_end(time, tid);
                self.slices += 1;
            }
            What::Exit(name) => {
                if thread.count.get(&name).is_none_or(|count| *count == 0) {
                    self.unmatched += 1;
                    return;
                }
                while let Some(top) = thread.stack.pop() {
                    builder.probe_end(time, tid);
                    if let Some(count) = thread.count.get_mut(&top) {
                        *count -= 1;
                    }
                    if top == name {
                        break;
                    }
                    self.missing += 1;
                }
            }
            What::Test(..) => {}
        }
    }

    fn finish(&self, note: &mut dyn FnMut(Severity, &'static str, u64, &str)) {
        note(
            Severity::Warning,
            "text-calls",
            self.slices,
            "calls from lines that Navitas or Orka wrote: their times are those of the log, to a millisecond and after the tool's own \
             work, and lost lines cannot be seen",
        );
        note(
            Severity::Info,
            "text-exit-unmatched",
            self.unmatched,
            "ends of calls whose beginning was not logged: ignored",
        );
        note(
            Severity::Warning,
            "text-exit-missing",
            self.missing,
            "calls whose end was not logged: they end with what called them",
        );
    }
}
