//! What the consumers of logs take from them: records of probes, calls that other tools logged, tests.

mod clock;
mod process_start;
mod test_line;
mod tests;

use std::collections::BTreeMap;
use std::io::Read;

use wattle_timeline::{ArtifactQuality, NameId, Note, Severity, TimelineBuilder, Window};
use wattle_units::Nanos;

use crate::align::ClockFacts;
use crate::limits::MAX_LOG_EVENTS;
use crate::logcat::{self, LogClock, LogEntry, LogTime, LogcatOptions};
use crate::navitas::{CallEvent, CallStacks, CallsOf, Readings};
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
    Call(CallEvent),
}

#[derive(Clone, Copy, Debug)]
struct LogEvent {
    time: LogTime,
    pid: u32,
    tid: u32,
    what: What,
    /// Index into the readings of time_in_state.
    readings: Option<u32>,
}

/// What was found in one log.
#[derive(Debug, Default)]
pub(crate) struct LogFindings {
    /// Index of its quality.
    pub artifact: usize,
    clock: LogClockFacts,
    events: Vec<LogEvent>,
    /// What lines of Navitas say of the CPUs' clocks.
    readings: Vec<Readings>,
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
        let (what, states) = if tag == b"TestRunner" {
            let Some((word, test)) = test_line::parse(entry.message) else { return };
            (What::Test(word, builder.names.intern(&test)), None)
        } else {
            let Some((call, states)) = parse_text_call(tag, entry.message) else { return };
            let call = match call {
                TextCall::Enter(method) => CallEvent::Enter(name(method)),
                TextCall::Exit(method) => CallEvent::Exit(name(method)),
                TextCall::Called(method, line) => CallEvent::Called(name(method), line),
                TextCall::Invoking(method, line) => CallEvent::Invoking(name(method), line),
                TextCall::Instead(method) => CallEvent::Instead(name(method)),
            };
            (What::Call(call), states)
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
        let readings = states.map(|states| {
            self.readings.push(Readings::parse(states));
            self.readings.len() as u32 - 1
        });
        self.events.push(LogEvent { time, pid, tid: entry.tid.unwrap_or(pid), what, readings });
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
        let mut calls = CallStacks::new(CallsOf::default());
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
                What::Call(call) => {
                    let readings = event.readings.and_then(|at| self.readings.get(at as usize));
                    let owner = Some((event.pid, event.tid));
                    calls.event(owner, time, call, readings.cloned(), builder);
                }
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
        note(
            Severity::Warning,
            "text-calls",
            calls.slices,
            "calls from lines that Navitas or Orka wrote: their times are those of the log, to a millisecond and after the tool's own \
             work, and lost lines cannot be seen",
        );
        calls.finish(builder, &mut note);
        let count = tests.finish(among.window, among.iteration, Nanos::new(residual), builder);
        if count > 0 {
            quality.events.insert("test".to_owned(), count as u64);
        }
        count > 0
    }
}
