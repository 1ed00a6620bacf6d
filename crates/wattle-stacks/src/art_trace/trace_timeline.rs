//! From method traces to the timeline, when everything was read.

use wattle_import::{Clock, ClockFacts, Fit, Pending, Session, Stage, alignment};
use wattle_recording::Recording;
use wattle_timeline::{
    ArtifactQuality, CodeSite, MethodCalls, MethodThread, NameId, NameRank, Names, Note,
    ProcessFacts, Severity, SiteId, SiteKind, TimelineBuilder, Window,
};
use wattle_units::{BootNanos, Nanos};

use super::FORMAT;
use super::file_pairs;
use super::method_table::MethodTable;
use super::thread_log::{OPEN, Oddities, ThreadLog};
use super::trace_file::{MethodTrace, Part};
use super::trace_threads::Threads;
use crate::art_events::{MethodLine, TraceClock, is_wall_time};

/// Nanoseconds by which entries may lie behind the stated end, besides a twentieth: the clocks are read one after the other.
const END_SLACK: i64 = 20_000;

/// The traces of a recording.
#[derive(Debug, Default)]
pub(super) struct MethodTraces(pub Vec<MethodTrace>);

/// Facts that the recording has besides the trace.
struct Context<'a> {
    pub clocks: &'a ClockFacts,
    /// When the recording was made.
    pub window: Option<Window>,
    /// Whether there is a trace of the kernel, whose window counts.
    pub has_others: bool,
    /// The app, if only one was recorded.
    pub app: Option<&'a str>,
    /// Sampling of methods, where the recording states that they were sampled.
    pub sampled: Option<&'a str>,
}

/// Conversion of a trace's times to boot time.
enum Axis {
    /// All are so much behind.
    Apart(i64),
    /// The clock was set or stood still meanwhile.
    Steps(Fit, i64),
}

impl Axis {
    #[inline]
    fn at(&self, time: i64) -> BootNanos {
        let boot = match self {
            Self::Apart(start) => time.saturating_add(*start),
            Self::Steps(fit, start) => fit.to_boot(time.saturating_add(*start)),
        };
        // The last of all times says that there is none.
        BootNanos::new(boot.min(i64::MAX - 1))
    }
}

impl Pending for MethodTraces {
    fn stage(&self) -> Stage {
        Stage::RuntimeCalls
    }

    fn apply(mut self: Box<Self>, session: &mut Session) {
        let Session { builder, clocks, qualities, recording, window, traced, runs, .. } = session;
        let context = Context {
            clocks,
            window: *window,
            has_others: traced.is_some(),
            app: recording.as_ref().and_then(wattle_import::recording::only_app),
            sampled: recording.as_ref().and_then(sampled_methods),
        };
        file_pairs::join(&mut self.0);
        for trace in self.0 {
            let Some(quality) = qualities.get_mut(trace.artifact) else { continue };
            match trace.part() {
                Part::Keys if trace.keys.is_there => quality.notes.push(Note::new(
                    Severity::Warning,
                    "no-records",
                    "only the list of threads and methods: the records (the .data file) are not here",
                )),
                Part::Keys => {}
                Part::Data | Part::Whole => {
                    let artifact = trace.artifact;
                    let elsewhere = trace.apply(&context, builder, quality);
                    runs.place(artifact, elsewhere.or_else(|| builder.take_span()));
                }
            }
        }
    }
}

/// The setup of sampling, as the recording describes it; `None` where every entry and exit was traced, or it does not say.
fn sampled_methods(recording: &Recording) -> Option<&str> {
    let source = recording.sources.iter().find(|source| source.name == FORMAT.name)?;
    source.setup.as_deref().filter(|setup| setup.starts_with("sampled"))
}

impl MethodTrace {
    /// Gives its calls to the builder. Returns when it was made if that is not in the recording.
    fn apply(
        mut self,
        context: &Context<'_>,
        builder: &mut TimelineBuilder,
        quality: &mut ArtifactQuality,
    ) -> Option<Window> {
        let clock = self.clock(&mut quality.notes);
        let firsts = self.log.threads.iter().filter_map(ThreadLog::first);
        let span = firsts.min().zip(self.log.threads.iter().map(|it| it.last.time).max());
        let Some((first, last)) = span else {
            let text = "there is no entry or exit in it";
            quality.notes.push(Note::new(Severity::Warning, "no-events", text));
            return None;
        };
        quality.notes.extend(self.beyond_its_end(last));
        let axis = self.axis(clock, (first, last), context, builder, quality)?;
        let (first, last) = (axis.at(first), axis.at(last));
        // Times that nothing leads from to boot time say nothing of when in it they are.
        let is_known = context.clocks.fit(self.kind()).is_some();
        let is_placed = context.has_others || is_known;
        if is_placed && context.window.is_some_and(|it| last < it.start || first > it.end) {
            let text = "the trace was made before or after the recording: not used";
            quality.notes.push(Note::new(Severity::Error, "method-trace-foreign", text));
            return is_known.then(|| Window::new(first, last));
        }
        if !context.has_others {
            // Calls from before begin with the trace.
            builder.extend_to(axis.at(0).min(first));
            builder.extend_to(last);
        }
        Self::note_sampling(context, &mut quality.notes);
        self.calls(clock, &axis, context, builder, &mut quality.notes);
        None
    }

    /// A warning where the last entry or exit lies behind the end that the trace states.
    fn beyond_its_end(&self, last: i64) -> Option<Note> {
        let elapsed = i64::try_from(self.keys.elapsed?).ok()?.checked_mul(1000)?;
        let latest = elapsed.saturating_add(elapsed / 20).saturating_add(END_SLACK);
        (last > latest).then(|| {
            let [last, elapsed] = [last, elapsed].map(|nanos| nanos as f64 / 1e9);
            let text = format!(
                "the trace says that it took {elapsed:.6} s, and its last entry or exit is at {last:.6} s: one of the two is damaged, and \
                 durations may be wrong"
            );
            Note::new(Severity::Error, "beyond-the-end", text)
        })
    }

    /// The clock that the header's time is of.
    fn kind(&self) -> Clock {
        let start = self.header.map_or(0, |header| header.start);
        if is_wall_time(start) { Clock::Real } else { Clock::Monotonic }
    }

    fn clock(&self, notes: &mut Vec<Note>) -> TraceClock {
        if self.is_dual() {
            return TraceClock::Dual;
        }
        match self.keys.clock {
            Some(TraceClock::ThreadCpu) => {
                let text = "only each thread's own clock was read: calls are laid out by the time that their thread was on a CPU, and what \
                            is called wall time is that";
                notes.push(Note::new(Severity::Warning, "thread-clock-only", text));
                TraceClock::ThreadCpu
            }
            Some(_) => TraceClock::Wall,
            None => {
                let text =
                    "the trace does not say which clock was read: taken to be the wall clock";
                notes.push(Note::new(Severity::Info, "clock-assumed", text));
                TraceClock::Wall
            }
        }
    }

    /// Returns the conversion of its times to boot time; `None` where they must be converted and cannot.
    fn axis(
        &self,
        clock: TraceClock,
        (first, last): (i64, i64),
        context: &Context<'_>,
        builder: &mut TimelineBuilder,
        quality: &mut ArtifactQuality,
    ) -> Option<Axis> {
        let start = self.header.map_or(0, |header| header.start);
        let ArtifactQuality { name, notes, .. } = quality;
        let mut note = |severity, text: &str| {
            notes.push(Note::new(severity, "method-trace-clock", text));
        };
        if clock == TraceClock::ThreadCpu {
            if context.has_others {
                note(
                    Severity::Error,
                    "times of threads' own clocks cannot be brought to boot time: not used",
                );
                return None;
            }
            return Some(Axis::Apart(start));
        }
        let kind = self.kind();
        let called = if kind == Clock::Real { "wall clock" } else { "monotonic" };
        if let Some(fit) = context.clocks.fit(kind) {
            builder.alignment(alignment(name, called, &fit, start));
            let (from, to) = (start.saturating_add(first), start.saturating_add(last));
            // The span of a trace is mostly one piece of the clock.
            let is_one = fit.jumps_over(0) == 0 || fit.offset(from) == fit.offset(to);
            let offset = fit.offset(from);
            return Some(if is_one {
                Axis::Apart(start.saturating_add(offset))
            } else {
                Axis::Steps(fit, start)
            });
        }
        match (kind, context.has_others) {
            (Clock::Real, true) => {
                note(
                    Severity::Error,
                    "nothing leads from the wall clock, in which the trace's times are, to boot time: not used",
                );
                return None;
            }
            (Clock::Real, false) => {
                note(Severity::Info, "times are those of the device's wall clock");
            }
            (_, true) => note(
                Severity::Warning,
                "nothing leads from the monotonic clock, in which the trace's times are, to boot time: both are taken to be the same, \
                 which is wrong by the time that the device slept",
            ),
            (_, false) => note(
                Severity::Info,
                "times are those of the device's monotonic clock, which stands still while it sleeps",
            ),
        }
        Some(Axis::Apart(start))
    }

    fn note_sampling(context: &Context<'_>, notes: &mut Vec<Note>) {
        if let Some(how) = context.sampled {
            let text = format!(
                "the runtime made the trace from samples of stacks ({how}): a call that no sample met is not in it, one that several met is \
                 one call, and entries and exits are when a sample saw them first and no more"
            );
            notes.push(Note::new(Severity::Info, "method-trace-sampled", text));
        }
    }

    fn calls(
        &mut self,
        clock: TraceClock,
        axis: &Axis,
        context: &Context<'_>,
        builder: &mut TimelineBuilder,
        notes: &mut Vec<Note>,
    ) {
        let logs = std::mem::take(&mut self.log.threads);
        let mut odd = Oddities::default();
        let mut called = vec![false; self.log.methods.len()];
        for log in &logs {
            odd.add(log.odd);
            for call in log.calls() {
                if let Some(slot) = called.get_mut(call.method as usize) {
                    *slot = true;
                }
            }
        }
        let unknown = (0..)
            .zip(&called)
            .filter(|(index, is_called)| **is_called && self.log.methods.line(*index).is_none());
        let unknown = unknown.count() as u64;
        let methods = named(&self.log.methods, &called, builder);
        let facts: Vec<_> = {
            let threads = Threads::new(self);
            let first = logs.iter().filter_map(ThreadLog::first).min().unwrap_or(0);
            if let Some(pid) = threads.pid {
                let name = context.app.map(|app| builder.names.intern(app));
                builder.tasks().process(
                    axis.at(first),
                    pid,
                    ProcessFacts { name, ..ProcessFacts::default() },
                );
            }
            let facts = logs.iter().map(|log| threads.get(log.number, &mut builder.names));
            facts.map(|facts| (facts, threads.pid)).collect()
        };
        let has_list = !self.keys.threads.is_empty();
        let unlisted = facts.iter().filter(|(facts, _)| has_list && !facts.is_listed).count();
        for (log, (facts, pid)) in logs.into_iter().zip(facts) {
            let Some(first) = log.first() else { continue };
            let first = axis.at(first);
            if let MethodThread::Kernel(tid) = facts.thread {
                if let Some(pid) = pid {
                    builder.tasks().thread_of(first, tid, pid);
                }
                // The kernel calls an app's main thread as the app.
                let rank = if facts.is_main { NameRank::Runtime } else { NameRank::Program };
                if let Some(name) = facts.name {
                    builder.tasks().thread_name(first, tid, name, rank);
                }
            }
            builder.code().method_calls(facts.thread, columns(&log, clock, axis, &methods));
        }
        note_oddities(odd, notes);
        if unlisted > 0 {
            let text = "threads that the trace does not list: they had ended before it did, or their numbers are damaged";
            let note = Note::new(Severity::Warning, "threads-unlisted", text);
            notes.push(note.times(unlisted as u64));
        }
        if unknown > 0 {
            let text = "methods that the trace does not name: they are called by their numbers";
            notes.push(Note::new(Severity::Warning, "methods-unknown", text).times(unknown));
        }
    }
}

/// Returns the name of each method's slices, and its place; methods without calls have none.
fn named(
    methods: &MethodTable,
    called: &[bool],
    builder: &mut TimelineBuilder,
) -> Vec<(NameId, Option<SiteId>)> {
    let overloaded = methods.overloaded();
    let mut of = |index: u32| {
        let Some(line) = methods.line(index) else {
            let name = format!("method {:#x}", methods.id(index));
            return (builder.names.intern(&name), None);
        };
        let method = MethodLine::parse(line);
        if method.class.is_empty() {
            return (builder.names.intern_bytes(method.name), None);
        }
        let text = |names: &mut Names, bytes: &[u8]| names.intern_bytes(bytes);
        let class = method.java_class();
        let name = String::from_utf8_lossy(method.name);
        let descriptor = method.descriptor.map(String::from_utf8_lossy);
        let is_overloaded = overloaded.contains(&(method.class, method.name));
        let told = descriptor.as_deref().filter(|_| is_overloaded).unwrap_or_default();
        let names = &mut builder.names;
        let full = names.intern(&format!("{class}.{name}{told}"));
        let site = CodeSite {
            kind: SiteKind::Method,
            class: names.intern(&class),
            method: names.intern(&name),
            descriptor: descriptor.as_deref().map(|it| names.intern(it)),
            file: method.file.map(|file| text(names, file)),
            line: method.line,
            within: None,
        };
        (full, builder.code().traced_site(site))
    };
    let known = (0..).zip(called);
    known
        .map(|(index, is_called)| if *is_called { of(index) } else { (NameId::default(), None) })
        .collect()
}

/// A thread's calls as the builder takes them.
fn columns(
    log: &ThreadLog,
    clock: TraceClock,
    axis: &Axis,
    methods: &[(NameId, Option<SiteId>)],
) -> MethodCalls {
    let count = log.len();
    let mut calls = MethodCalls {
        start: Vec::with_capacity(count),
        end: Vec::with_capacity(count),
        name: Vec::with_capacity(count),
        site: Vec::with_capacity(count),
        depth: Vec::with_capacity(count),
        cpu: Vec::with_capacity(if clock == TraceClock::Wall { 0 } else { count }),
    };
    let mut latest = BootNanos::MIN;
    for call in log.calls() {
        // Where the clock's distance changes, time must not go back.
        let start = axis.at(call.start).max(latest);
        latest = start;
        let is_open = call.end == OPEN;
        let end = if is_open { BootNanos::MAX } else { axis.at(call.end).max(start) };
        let (name, site) = methods.get(call.method as usize).copied().unwrap_or_default();
        calls.start.push(start);
        calls.end.push(end);
        calls.name.push(name);
        calls.site.push(site);
        calls.depth.push(call.depth);
        match clock {
            TraceClock::Wall => {}
            TraceClock::Dual => calls.cpu.push(Some(Nanos::new(call.cpu))),
            TraceClock::ThreadCpu => {
                let end = if is_open { log.last.time } else { call.end };
                calls.cpu.push(Some(Nanos::new(end - call.start)));
            }
        }
    }
    calls
}

fn note_oddities(odd: Oddities, notes: &mut Vec<Note>) {
    let mut note = |severity, code, count: u64, text: &str| {
        if count > 0 {
            notes.push(Note::new(severity, code, text).times(count));
        }
    };
    note(
        Severity::Info,
        "calls-from-before",
        odd.earlier,
        "calls that were open when the trace began: they are taken to begin with it, around all that came before their end",
    );
    note(
        Severity::Warning,
        "exits-missing",
        odd.missing,
        "calls whose exit is missing: they end with what called them",
    );
    note(
        Severity::Warning,
        "exits-unmatched",
        odd.ignored,
        "exits of methods that were not entered, inside of others: ignored",
    );
    note(
        Severity::Info,
        "calls-unfinished",
        odd.unfinished,
        "calls that were open when the trace ended: their time on a CPU is that until their thread's last entry or exit",
    );
    note(
        Severity::Warning,
        "clock-backwards",
        odd.backwards,
        "entries and exits with times before those that came before them: moved to those",
    );
    note(
        Severity::Warning,
        "thread-clock-impossible",
        odd.impossible_cpu,
        "entries and exits at which the thread's own clock had gone back, or had advanced further than time: on-CPU times may be wrong",
    );
    note(
        Severity::Warning,
        "calls-too-deep",
        odd.deep,
        "calls inside more than 32,768 others: left out",
    );
    note(
        Severity::Error,
        "calls-limit",
        odd.refused,
        "more calls than are kept of one trace: left out",
    );
}
