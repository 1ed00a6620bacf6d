//! The lines of a trace, one after the other.

use rustc_hash::FxHashMap;
use wattle_timeline::{ArtifactQuality, NameId, NameRank, Severity, TimelineBuilder};
use wattle_units::BootNanos;

use super::clock_sync::{self, ClockSync};
use super::event_text;
use super::note_line::{NoteLine, note_line};
use super::ps_dump::PsDump;
use super::trace_line::{self, Line, Time};
use crate::kernel::{
    Applied, EventKind, Judgement, KernelLog, Tally, TimeOutliers, for_instruments,
};
use wattle_import::text::around;
use wattle_import::{Clock, IgnoredBytes, Reading};

/// Reads the lines of one trace.
pub(super) struct TextReader<'b> {
    builder: &'b mut TimelineBuilder,
    log: KernelLog,
    pub tally: Tally,
    /// Names of threads from the columns, so that each is reported once.
    comms: FxHashMap<u32, NameId>,
    /// The dump of processes that is being read.
    ps: PsDump,
    readings: Vec<(Clock, Reading)>,
    last: BootNanos,
    is_latency: bool,
    /// `trace-cmd report` wrote it.
    is_report: bool,
    pub ignored: IgnoredBytes,
    /// Judges times by CPU.
    times: TimeOutliers<HeldLine>,
}

/// A line whose time is questionable, until the next one of its CPU decides.
#[derive(Debug, PartialEq, Eq)]
struct HeldLine {
    offset: u64,
    text: Box<[u8]>,
}

impl<'b> TextReader<'b> {
    pub fn new(builder: &'b mut TimelineBuilder) -> Self {
        Self {
            log: KernelLog::new(builder),
            builder,
            tally: Tally::default(),
            comms: FxHashMap::default(),
            ps: PsDump::default(),
            readings: Vec::new(),
            last: BootNanos::new(0),
            is_latency: false,
            is_report: false,
            ignored: IgnoredBytes::default(),
            times: TimeOutliers::default(),
        }
    }

    /// Reads the line that begins at the offset.
    #[inline]
    pub fn line(&mut self, offset: u64, text: &[u8]) {
        // A page may hold the lines as those of a string of JavaScript.
        let text = text.strip_suffix(b"\\n\\").unwrap_or(text);
        if text.first() == Some(&b'#') {
            self.comment(offset, text);
        } else if let Some(line) = trace_line::parse(text) {
            self.event(offset, text, &line);
        } else {
            self.other(offset, text);
        }
    }

    /// Begins a section that is unrelated to the lines before.
    pub fn section(&mut self) {
        self.ps.end();
    }

    /// Ends reading: how it went, and what was learnt of clocks.
    pub fn finish(mut self) -> (ArtifactQuality, Vec<(Clock, Reading)>) {
        for held in self.times.finish() {
            self.use_held(&held);
        }
        self.log.finish(self.builder);
        self.ps.tell(self.last, self.builder);
        self.tally.also_read("ps", self.ps.rows());
        if self.tally.records == 0 {
            self.tally.note(Severity::Warning, "no-events", None, || {
                "there is no event in it".to_owned()
            });
        }
        let refused = self.builder.refused_cpus();
        if refused > 0 {
            self.tally.note(Severity::Warning, "impossible-cpu", None, || {
                "events name CPUs with numbers past any that exist: not used".to_owned()
            });
        }
        (self.tally.into_quality(), self.readings)
    }

    #[inline]
    fn event(&mut self, offset: u64, text: &[u8], line: &Line<'_>) {
        self.tally.records += 1;
        if let Time::Nanos(time) = line.time {
            let judgement = self.times.judge(line.cpu, time);
            if judgement != Judgement::Plausible && !self.settle(judgement) {
                self.times.hold(line.cpu, time, HeldLine { offset, text: text.into() });
                return;
            }
        }
        self.event_at(offset, line);
    }

    /// Acts on the judgement of an event's time. Whether the event can be used now; if not, it is to be held.
    #[cold]
    fn settle(&mut self, judgement: Judgement<HeldLine>) -> bool {
        match judgement {
            Judgement::Plausible => true,
            Judgement::PlausibleAfterOutlier(held) => {
                self.set_apart(&held);
                true
            }
            Judgement::Questionable => false,
            Judgement::QuestionableAfterOutlier(held) => {
                self.set_apart(&held);
                false
            }
            Judgement::Jump(held) => {
                self.use_held(&held);
                true
            }
        }
    }

    fn set_apart(&mut self, held: &HeldLine) {
        self.tally.unread("event whose time cannot be right");
        self.tally.note(Severity::Warning, "time-outlier", Some(held.offset), || {
            "events whose time is more than a day from the events before and after them: not used"
                .to_owned()
        });
    }

    fn use_held(&mut self, held: &HeldLine) {
        if let Some(line) = trace_line::parse(&held.text) {
            self.event_at(held.offset, &line);
        }
    }

    /// Takes in an event whose time is right.
    #[inline]
    fn event_at(&mut self, offset: u64, line: &Line<'_>) {
        let name = if line.name.is_empty() { b"function" } else { line.name };
        let Some((name, kind)) = self.tally.name(name, event_text::kind) else { return };
        let Some(time) = self.time(offset, line.time) else {
            self.tally.event_unread(name);
            self.tally.note(Severity::Error, "clock-not-time", Some(offset), || {
                "the trace's clock counts something other than seconds (`counter`, `uptime`, `x86-tsc`): nothing of it can be put \
                 into time; record with the clock `boot`"
                    .to_owned()
            });
            return;
        };
        if kind == Some(EventKind::Print)
            && let Some(sync) = clock_sync::parse(line.args)
        {
            self.clock_sync(time, line, sync);
            self.tally.applied(name, Applied::Used, offset);
            return;
        }
        let time = BootNanos::new(time);
        self.last = self.last.max(time);
        self.builder.cpus().seen(line.cpu, time);
        self.thread(time, line);
        let Some(kind) = kind else {
            self.tally.event_unread(name);
            return;
        };
        match event_text::event(kind, line.args) {
            Some(event) => {
                let applied = self.log.apply(self.builder, line.cpu, time, line.tid, event);
                self.tally.applied(name, applied, offset);
            }
            None => self.tally.event_malformed(name, offset),
        }
    }

    /// Nanoseconds, if the clock counts them.
    #[inline]
    fn time(&mut self, offset: u64, time: Time) -> Option<i64> {
        /// A second: less would be a clock that counts events or ticks.
        const SECOND: i64 = 1_000_000_000;
        match time {
            Time::Nanos(time) => Some(time),
            Time::Count(time) if self.is_report && time >= SECOND => {
                self.tally.note(Severity::Info, "clock-nanos", Some(offset), || {
                    "times without a point are taken as nanoseconds: so trace-cmd writes those of the clocks `boot` and `tai`".to_owned()
                });
                Some(time)
            }
            Time::Count(_) => None,
        }
    }

    /// Reports the thread that the columns name. Its name is what the kernel remembered when the trace was printed, so
    /// any event that names the thread knows better.
    #[inline]
    fn thread(&mut self, time: BootNanos, line: &Line<'_>) {
        if line.tid == 0 {
            return;
        }
        self.builder.tasks().thread_seen(time, line.tid);
        if let Some(tgid) = line.tgid {
            self.builder.tasks().thread_of(time, line.tid, tgid);
        }
        // `<...>`, `<unknown>` and `<123>` are no names.
        if line.comm.first() == Some(&b'<') || line.comm.is_empty() {
            return;
        }
        let known = self.comms.get(&line.tid).copied();
        if known.is_some_and(|id| self.builder.names.get(id).as_bytes() == line.comm) {
            return;
        }
        let id = self.builder.names.intern_bytes(line.comm);
        self.comms.insert(line.tid, id);
        self.builder.tasks().thread_name(time, line.tid, id, NameRank::Line);
    }

    fn clock_sync(&mut self, time: i64, line: &Line<'_>, sync: ClockSync) {
        // systrace puts a line of its own at the end of old traces, in which nothing is true.
        if time == 0 && line.comm == b"dummy" {
            return;
        }
        let at = BootNanos::new(time);
        self.builder.cpus().seen(line.cpu, at);
        self.thread(at, line);
        self.last = self.last.max(at);
        self.readings.extend(sync.reading(time));
        if let Some(said) = for_instruments(line.args) {
            let text = self.builder.names.intern_bytes(said);
            self.builder.energy().sync_mark(at, text);
        }
    }

    fn comment(&mut self, offset: u64, text: &[u8]) {
        if let Some(rest) = around(text, b"entries-in-buffer/entries-written:") {
            self.overwritten(offset, rest.1);
        } else if around(text, b" buffer started ####").is_some() {
            self.tally.note(Severity::Info, "late-cpu", Some(offset), || {
                "the events of some CPUs begin later than those of others: what they did before is not known".to_owned()
            });
        } else if text.starts_with(b"# latency:") {
            self.is_latency = true;
        }
    }

    /// `88819/134210   #P:1`
    fn overwritten(&mut self, offset: u64, counts: &[u8]) {
        let mut numbers =
            counts.split(|byte| !byte.is_ascii_digit()).filter_map(trace_line::number);
        let (Some(kept), Some(written)) = (numbers.next(), numbers.next()) else { return };
        let gone = written.saturating_sub(kept);
        if gone > 0 {
            self.tally.lose(gone);
            self.tally.note(Severity::Warning, "overwritten", Some(offset), || {
                format!("the kernel's buffer kept the last {kept} of {written} events: the {gone} before are lost")
            });
        }
    }

    fn other(&mut self, offset: u64, text: &[u8]) {
        if text.trim_ascii().is_empty() {
            return;
        }
        if self.ps.line(text) {
            return;
        }
        match note_line(text) {
            Some(NoteLine::Lost { cpu, count }) => {
                self.builder.cpus().lost_events(cpu);
                self.tally.lose(count.unwrap_or(1));
                self.tally.note(Severity::Warning, "ftrace-lost-events", Some(offset), || {
                    "the kernel's buffer overflowed: events of a CPU were lost in some places"
                        .to_owned()
                });
            }
            Some(NoteLine::Preamble) => self.is_report |= text.starts_with(b"cpus="),
            None if self.is_latency => {
                self.tally.note(Severity::Warning, "latency-format", Some(offset), || {
                    "the trace is in the latency format, whose times begin at nothing that is known: not used".to_owned()
                });
                self.ignored.add(text.len() as u64 + 1);
                self.tally.unread("lines of the latency format");
            }
            None => {
                self.ignored.add(text.len() as u64 + 1);
                self.tally.unread("lines that are no event");
                self.tally.note(Severity::Info, "lines-unread", Some(offset), || {
                    "lines that are no event (texts of several lines, or what a tool printed): not used".to_owned()
                });
            }
        }
    }
}
