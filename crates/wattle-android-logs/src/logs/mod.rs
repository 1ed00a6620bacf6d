//! Consumers of logs: probe records, calls that other tools logged, tests.

mod log_clock;
mod log_importers;
mod process_start;
mod test_line;
mod tests;

use std::collections::BTreeMap;
use std::io::Read;

use wattle_import::{ClockFacts, Pending, Session, Stage};
use wattle_timeline::{ArtifactQuality, NameId, Note, Severity, TimelineBuilder, Window};
use wattle_units::Nanos;

use crate::limits::MAX_LOG_EVENTS;
use crate::logcat::{self, LogClock, LogEntry, LogTime, LogcatOptions};
use crate::navitas::{CallEvent, CallStacks, CallsOf, Readings};
use crate::probes::{ProbeFindings, ProbeLines, TextCall, parse_text_call};
use log_clock::{LogClockFacts, LogFit};
use test_line::TestWord;
use tests::TestRuns;

pub use log_importers::{BINARY_LOG, BUG_REPORT, LOG};

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

/// Findings of one log.
#[derive(Debug, Default)]
struct LogFindings {
    /// Index of its quality.
    pub artifact: usize,
    clock: LogClockFacts,
    events: Vec<LogEvent>,
    /// Readings of the CPUs' clocks in lines of Navitas.
    readings: Vec<Readings>,
    /// Events without a time (formats without).
    timeless: u64,
    refused: u64,
}

/// Logs that wait for clocks.
#[derive(Default)]
struct Logs(Vec<LogFindings>);

impl Pending for Logs {
    fn stage(&self) -> Stage {
        Stage::LogLines
    }

    fn apply(self: Box<Self>, session: &mut Session) {
        let iteration = session.recording.as_ref().and_then(|it| it.iterations.first());
        let iteration = iteration.map_or(0, |iteration| iteration.number);
        let Session { builder, clocks, window, traced, qualities, .. } = session;
        let has_others = traced.is_some();
        let context = Context { clocks, window: *window, has_others, iteration };
        let mut has_tests = false;
        for log in self.0 {
            let Some(quality) = qualities.get_mut(log.artifact) else { continue };
            has_tests |= log.apply(&context, builder, quality);
        }
        session.has_tests |= has_tests;
    }
}

/// Facts that the recording has besides a log.
struct Context<'a> {
    clocks: &'a ClockFacts,
    /// Nothing outside of it is used.
    window: Option<Window>,
    /// Whether there is a trace, whose time the log must be brought to.
    has_others: bool,
    iteration: u32,
}

/// Reads a log.
fn read(
    name: &str,
    input: impl Read,
    session: &mut Session,
    told: &mut dyn FnMut(u64),
) -> ArtifactQuality {
    let options = LogcatOptions::default().around(session.around());
    let artifact = session.qualities.len();
    let mut findings = LogFindings { artifact, ..LogFindings::default() };
    let mut lines = ProbeLines::default();
    let mut probes = session.take_pending::<ProbeFindings>();
    let Session { builder, clocks, .. } = session;
    let mut each = |entry: &LogEntry<'_>| {
        if let Some(time) = entry.time {
            findings.clock.time(time);
        }
        if let Some(said) = lines.line(entry, artifact, &mut probes.log) {
            clocks.extend(said.readings());
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
    session.put_pending(probes);
    session.pending::<Logs>().0.push(findings);
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

    /// Brings what was found to boot time. Whether there were tests.
    fn apply(
        self,
        context: &Context<'_>,
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
            let fit = LogFit::new(*clock, &self.clock, context.clocks, builder);
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
                if context.has_others {
                    continue;
                }
            }
            let time = fit.to_boot(event.time);
            let slack = fit.residual().unwrap_or(0);
            let is_outside = context.window.is_some_and(|window| {
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
        if context.has_others {
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
        let count = tests.finish(context.window, context.iteration, Nanos::new(residual), builder);
        if count > 0 {
            quality.events.insert("test".to_owned(), count as u64);
        }
        count > 0
    }
}
