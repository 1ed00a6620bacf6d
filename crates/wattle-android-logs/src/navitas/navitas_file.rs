//! From logs of tests to the timeline: calls, tests, counters, residual charges.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use wattle_timeline::{
    ArtifactQuality, Quantity, RawScope, Severity, TestOutcome, TestRun, TimelineBuilder, Usage,
    Window,
};
use wattle_units::{BootNanos, Nanos};

use super::calls::{CallEvent, CallStacks, CallsOf, counted};
use super::readings::Readings;
use super::record_times::Times;
use super::stale::own_processes;
use super::test_log::{CallRecord, Radio, Residual, TestLog};
use wattle_import::{Clock, ClockFacts, Fit, Pending, Session, Stage};
use wattle_meters::{AllSeries, Value};

/// Half a tick of `time_in_state`, nanoseconds.
const HALF_A_TICK: i64 = 5_000_000;
/// Seconds of a tick.
const TICK: f64 = 0.01;
/// A reading that goes back by no more than this was taken before the one that was logged before it, ticks; one that goes back further
/// began anew.
const LATE: u64 = 200;
/// A sampler begins just before its test and ends just behind it. Further apart, one of both clocks is off, nanoseconds.
const APART: i64 = 10_000_000_000;

/// Findings of one file.
#[derive(Debug, Default)]
pub(super) struct NavitasFile {
    /// Index of its quality.
    pub artifact: usize,
    pub tests: Vec<TestLog>,
}

/// Files that wait for clocks.
#[derive(Default)]
pub(super) struct NavitasFiles(pub Vec<NavitasFile>);

impl Pending for NavitasFiles {
    fn stage(&self) -> Stage {
        Stage::ToolLogs
    }

    fn apply(self: Box<Self>, session: &mut Session) {
        let Session { builder, clocks, window, traced, qualities, .. } = session;
        let context = Context { clocks, window: *window, has_others: traced.is_some() };
        for file in self.0 {
            let Some(quality) = qualities.get_mut(file.artifact) else { continue };
            file.apply(&context, builder, quality);
        }
    }
}

/// Facts that the recording has besides the file.
struct Context<'a> {
    pub clocks: &'a ClockFacts,
    /// Nothing outside of it is used.
    pub window: Option<Window>,
    /// Whether there is a trace, whose time everything must be brought to.
    pub has_others: bool,
}

/// Clock of a file's records, with the way from it to boot time.
struct RecordClock {
    times: Times,
    /// The fit of the wall clock, if that is the clock of the records.
    fit: Option<Fit>,
    has_others: bool,
}

impl RecordClock {
    /// Boot time of a record; `None` if nothing leads to the time of the recording's trace.
    fn to_boot(&self, time: i64) -> Option<BootNanos> {
        match &self.fit {
            Some(fit) => Some(BootNanos::new(fit.to_boot(time))),
            None if self.has_others => None,
            None => Some(BootNanos::new(time)),
        }
    }
}

/// A test with the times of its records.
struct Timed<'a> {
    log: &'a TestLog,
    times: Vec<i64>,
    own: Vec<Option<u32>>,
}

impl Timed<'_> {
    fn is_own(&self, call: &CallRecord) -> bool {
        self.own.contains(&call.owner.map(|(pid, _)| pid))
    }

    /// From the first to the last record of its own.
    fn span(&self) -> Option<(i64, i64)> {
        let own = || {
            let pairs = self.log.calls.iter().zip(&self.times);
            pairs.filter(|(call, _)| self.is_own(call)).map(|(_, time)| *time)
        };
        own().min().zip(own().max())
    }
}

impl NavitasFile {
    /// Brings the file to boot time.
    fn apply(
        self,
        context: &Context<'_>,
        builder: &mut TimelineBuilder,
        quality: &mut ArtifactQuality,
    ) {
        let times = self.times();
        let tests: Vec<Timed<'_>> = self.tests.iter().map(|log| timed(log, times)).collect();
        let clock = RecordClock {
            times,
            fit: context.clocks.fit(Clock::Real).filter(|_| times == Times::Stamps),
            has_others: context.has_others,
        };
        self.note_times(times, &tests, quality);
        let mut told = Told::default();
        for test in &tests {
            told.test(test, &clock, context, builder, quality);
        }
        told.series(&tests, &clock, builder);
        told.finish(context, quality);
        quality.records = tests.iter().map(|test| test.log.calls.len() as u64).sum();
    }

    /// Returns the source of times. Times of counters are moved to the time at which the host saw the first test that
    /// it sampled.
    fn times(&self) -> Times {
        let times = Times::from_tests(&self.tests);
        let sampled = self.tests.iter().find_map(|log| {
            let (_, until) = log.sampled?;
            let (_, last) = timed(log, times).span()?;
            Some((last, until))
        });
        sampled.map_or(times, |(last, until)| times.anchored(last, until))
    }

    fn note_times(&self, times: Times, tests: &[Timed<'_>], quality: &mut ArtifactQuality) {
        let notes = &mut quality.notes;
        if let Times::Counters { offset, refuted } = times {
            let count = self.tests.iter().map(|log| log.calls.len() as u64).sum();
            let (code, what) = if refuted {
                (
                    "navitas-host-time",
                    "the records' times are not when they were made (the CPUs' clocks went further than these times say that time \
                     went): they are the host's when it parsed the log. Their times are taken from",
                )
            } else {
                ("navitas-no-time", "the log has no times. They are taken from")
            };
            let from = if offset == 0 { "" } else { ", moved to the end of the host's samples" };
            let text = format!("{what} time_in_state, which counts wall time in 10 ms{from}");
            counted(notes, Severity::Warning, code, count, &text);
        }
        let nobodys =
            |log: &TestLog| log.calls.iter().filter(|call| call.owner.is_none()).count() as u64;
        counted(
            notes,
            Severity::Warning,
            "navitas-no-thread",
            self.tests.iter().map(nobodys).sum(),
            "records whose process and thread are 0 or not written: they are one group a test, calls of several threads are mixed, \
             and what is left over from earlier runs cannot be told apart",
        );
        let is_repeated = |log: &TestLog| log.calls.iter().any(|call| call.owner.is_none());
        if self.tests.len() > 1 && self.tests.iter().any(is_repeated) {
            let mut seen: FxHashSet<(bool, u32, Option<u64>)> = FxHashSet::default();
            let mut repeated = 0;
            for call in tests.iter().flat_map(|test| &test.log.calls) {
                let uptime = call.readings.as_ref().map(hash);
                repeated += u64::from(!seen.insert((call.is_entry, call.name.0, uptime)));
            }
            counted(
                notes,
                Severity::Warning,
                "navitas-repeated",
                repeated,
                "records that an earlier test of the file has, too, with the same readings: logs of several tests overlap, and their \
                 figures must not be added",
            );
        }
    }
}

/// Tells readings apart.
fn hash(readings: &Readings) -> u64 {
    use std::hash::{Hash as _, Hasher as _};
    let mut hasher = rustc_hash::FxHasher::default();
    for count in readings.counts() {
        (count.cpu, count.kilohertz, count.ticks).hash(&mut hasher);
    }
    hasher.finish()
}

fn timed(log: &TestLog, times: Times) -> Timed<'_> {
    let times = times.of_calls(&log.calls);
    let own = own_processes(&log.calls, &times);
    Timed { log, times, own }
}

/// `Class.method` as tests are named everywhere else: `Class#method`. Granularity of classes has no method.
fn test_name(name: &str) -> String {
    match name.rsplit_once('.') {
        Some((class, method)) if method.starts_with(|c: char| !c.is_uppercase()) => {
            format!("{class}#{method}")
        }
        _ => name.to_owned(),
    }
}

/// Counts of records and events while a file is transferred.
#[derive(Default)]
struct Told {
    stale: u64,
    stale_processes: u64,
    unaligned: u64,
    outside: u64,
    late: u64,
    resets: u64,
    refused: u64,
    tests: u64,
    empty: u64,
    apart: u64,
    slices: u64,
    samples: u64,
    brightness: u64,
    sums: BTreeMap<&'static str, u64>,
}

impl Told {
    fn test(
        &mut self,
        test: &Timed<'_>,
        clock: &RecordClock,
        context: &Context<'_>,
        builder: &mut TimelineBuilder,
        quality: &mut ArtifactQuality,
    ) {
        let log = test.log;
        if log.is_empty() {
            self.empty += 1;
            return;
        }
        let name = builder.names.intern(&test_name(&log.name));
        let of = CallsOf { test: Some(name), is_stale: false, ends: true };
        let mut own = CallStacks::new(of);
        let mut stale = CallStacks::new(CallsOf { is_stale: true, ..of });
        let mut pids: Vec<Option<u32>> = Vec::new();
        for (index, time) in order(&test.times, clock.times) {
            let Some(call) = log.calls.get(index) else { continue };
            let is_own = test.is_own(call);
            let at = clock.to_boot(time);
            let is_outside = at.zip(context.window).is_some_and(|(at, window)| {
                is_own && context.has_others && !(window.start..=window.end).contains(&at)
            });
            if is_outside {
                self.outside += 1;
                continue;
            }
            self.unaligned += u64::from(at.is_none());
            let event = if call.is_entry { CallEvent::Enter } else { CallEvent::Exit }(call.name);
            let level = call.readings.as_ref().and_then(|readings| readings.brightness);
            self.brightness += u64::from(level.is_some_and(|level| level != 0));
            // What cannot be placed in the recording's time has no slices, but its clocks say what they counted.
            let stacks = if is_own && at.is_some() { &mut own } else { &mut stale };
            if !is_own {
                self.stale += 1;
                let pid = call.owner.map(|(pid, _)| pid);
                if !pids.contains(&pid) {
                    pids.push(pid);
                }
            }
            let at = at.unwrap_or(BootNanos::new(time));
            stacks.event(call.owner, at, event, call.readings.clone(), builder);
        }
        self.stale_processes += pids.len() as u64;
        self.slices += own.slices;
        let mut note = |severity: Severity, code: &'static str, count: u64, text: &str| {
            if let Some(known) = quality.notes.iter_mut().find(|note| note.code == code) {
                known.count += count;
            } else {
                counted(&mut quality.notes, severity, code, count, text);
            }
        };
        own.finish(builder, &mut note);
        stale.finish(builder, &mut |_, _, _, _| {});
        self.run(test, clock, name, builder);
        self.samples(test, clock, builder);
    }

    /// The run of the test: from the first to the last of its records, else of its samples.
    fn run(
        &mut self,
        test: &Timed<'_>,
        clock: &RecordClock,
        name: wattle_timeline::NameId,
        builder: &mut TimelineBuilder,
    ) {
        let Some((first, last)) = test.span().or(test.log.sampled) else { return };
        if let (Times::Stamps, Some((calls_from, calls_to)), Some((from, to))) =
            (clock.times, test.span(), test.log.sampled)
            && (calls_to < from.saturating_sub(APART) || calls_from > to.saturating_add(APART))
        {
            self.apart += 1;
        }
        let (Some(start), Some(end)) = (clock.to_boot(first), clock.to_boot(last)) else { return };
        let uncertainty = match clock.times {
            Times::Stamps => Nanos::new(1_000_000),
            Times::Counters { .. } => {
                let sampled = test.log.sampled.map_or(0, |(from, to)| to.saturating_sub(from));
                Nanos::new(sampled.max(HALF_A_TICK))
            }
        };
        let window = Window::new(start, end);
        builder.extend_to(start);
        builder.extend_to(end);
        self.tests += 1;
        let outcome = TestOutcome::Unknown;
        builder.code().test(TestRun { name, iteration: 0, window, uncertainty, outcome });
    }

    /// Residual charges and the GPU, in the host's time.
    fn samples(&mut self, test: &Timed<'_>, clock: &RecordClock, builder: &mut TimelineBuilder) {
        let log = test.log;
        let mut counter = |name: &str, mut values: Vec<(i64, f64)>| {
            values.sort_by_key(|(time, _)| *time);
            if values.is_empty() {
                return;
            }
            let name = builder.names.intern(name);
            let key = builder.system().counter_track(RawScope::Global, name);
            for (time, value) in values {
                if let Some(time) = clock.to_boot(time) {
                    builder.system().counter(key, time, value);
                    self.samples += 1;
                }
            }
        };
        counter("gpu.mali.utilisation", log.gpu.clone());
        for radio in Radio::ALL {
            let of = |figure: &dyn Fn(&Residual) -> Option<f64>| -> Vec<(i64, f64)> {
                let of_radio = log.residuals.iter().filter(|residual| residual.radio == radio);
                of_radio.filter_map(|residual| residual.time.zip(figure(residual))).collect()
            };
            let prefix = format!("batterystats.{}.residual", radio.name());
            counter(&format!("{prefix}_mah"), of(&|residual| Some(residual.own())));
            counter(&format!("{prefix}.common_mah"), of(&|residual| Some(residual.common)));
            counter(
                &format!("{prefix}.cpu_mah"),
                of(&|residual| residual.parts.get("cpu").copied()),
            );
        }
        for radio in Radio::ALL {
            self.residual(test, radio, clock, builder);
        }
    }

    /// Emits the rise of a residual during a test. Its consumer is not known.
    fn residual(
        &mut self,
        test: &Timed<'_>,
        radio: Radio,
        clock: &RecordClock,
        builder: &mut TimelineBuilder,
    ) {
        let of_radio = || test.log.residuals.iter().filter(|residual| residual.radio == radio);
        let first = of_radio().filter(|r| r.time.is_some()).min_by_key(|residual| residual.time);
        let last = of_radio().filter(|r| r.time.is_some()).max_by_key(|residual| residual.time);
        let tag = Some(builder.names.intern(&format!("{}.residual", radio.name())));
        let quantity = Quantity::EstimatedCharge;
        if let (Some(first), Some(last)) = (first, last)
            && let Some((from, to)) = first.time.zip(last.time).filter(|(from, to)| from < to)
            && let Some((start, end)) = clock.to_boot(from).zip(clock.to_boot(to))
        {
            // Statistics that were reset meanwhile count from 0 again.
            let rise = last.own() - first.own();
            let value = if rise < 0.0 { last.own() } else { rise };
            let window = Window::new(start, end);
            builder.system().usage(Usage { quantity, uid: None, tag, window, value });
            *self.sums.entry(radio.name()).or_default() += 1;
        } else if let Some(only) = of_radio().find(|residual| residual.time.is_none())
            && let Some((from, to)) = test.span()
            && let Some((start, end)) = clock.to_boot(from).zip(clock.to_boot(to))
        {
            // One figure a test: since Android's statistics began, which Navitas resets before each test.
            let window = Window::new(start, end);
            builder.system().usage(Usage { quantity, uid: None, tag, window, value: only.own() });
            *self.sums.entry(radio.name()).or_default() += 1;
        }
    }

    /// The CPUs' clocks over all records of the file, each reading once.
    fn series(&mut self, tests: &[Timed<'_>], clock: &RecordClock, builder: &mut TimelineBuilder) {
        let mut all: Vec<(BootNanos, &Readings)> = Vec::new();
        for test in tests {
            let pairs =
                test.log.calls.iter().zip(&test.times).filter(|(call, _)| test.is_own(call));
            let readings = pairs
                .filter_map(|(call, time)| Some((clock.to_boot(*time)?, call.readings.as_ref()?)));
            all.extend(readings);
        }
        all.sort_by_key(|(time, _)| *time);
        let mut series = AllSeries::default();
        let mut last: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for (time, readings) in all {
            let counts = readings.counts();
            let is_late = counts.iter().any(|count| {
                let before = last.get(&(count.cpu, count.kilohertz)).copied().unwrap_or(0);
                let back = before.saturating_sub(count.ticks);
                back > 0 && back <= LATE && count.ticks >= before / 2
            });
            if is_late {
                self.late += 1;
                continue;
            }
            for count in counts {
                last.insert((count.cpu, count.kilohertz), count.ticks);
                let name = format!("cpu.{}.time_in_state.{}", count.cpu, count.kilohertz);
                series.push(time, Value::global(name, count.ticks as f64 * TICK), builder);
            }
        }
        self.resets += series.resets;
        self.refused += series.refused;
    }

    fn finish(self, context: &Context<'_>, quality: &mut ArtifactQuality) {
        for (what, count) in [("test", self.tests), ("call", self.slices), ("sample", self.samples)]
        {
            if count > 0 {
                quality.events.insert(what.to_owned(), count);
            }
        }
        let notes = &mut quality.notes;
        let text = format!(
            "records of {} processes that had ended before the test's own began: they are left over from earlier runs, because the \
             log was not cleared, and are dropped",
            self.stale_processes
        );
        counted(notes, Severity::Warning, "navitas-stale", self.stale, &text);
        counted(
            notes,
            Severity::Warning,
            "text-calls",
            self.slices,
            "calls from lines that Navitas wrote: their times are to a millisecond at best and after the tool had read its files, \
             constructors and libraries have none, and lost lines cannot be seen",
        );
        counted(
            notes,
            Severity::Info,
            "navitas-units",
            u64::from(self.slices > 0),
            "time_in_state counts ticks of 10 ms of wall time, idling included, of whole clusters: figures from it are upper bounds",
        );
        counted(
            notes,
            Severity::Info,
            "navitas-residual",
            self.sums.values().sum(),
            "residual charges of Wi-Fi and Bluetooth: what Android charges no app with, of the whole device, since its statistics \
             began; the rise during the test is used, and whose it was is not known",
        );
        counted(
            notes,
            Severity::Warning,
            "navitas-two-clocks",
            self.apart,
            "tests whose calls lie more than 10 s away from their samples: the device's clock and the host's differ, or the calls are \
             of an earlier run",
        );
        counted(
            notes,
            Severity::Warning,
            "navitas-empty-test",
            self.empty,
            "tests without any record",
        );
        counted(
            notes,
            Severity::Info,
            "navitas-brightness",
            self.brightness,
            "records with a brightness other than 0: its scale is not known, and it is not used",
        );
        counted(
            notes,
            Severity::Info,
            "navitas-late",
            self.late,
            "readings that were taken before, and logged behind, another thread's: left out of the counters, not of their calls",
        );
        counted(
            notes,
            Severity::Info,
            "counters-reset",
            self.resets,
            "counters that began anew (a CPU went and came): they go on from where they were",
        );
        counted(
            notes,
            Severity::Warning,
            "counters-limit",
            self.refused,
            "values of more counters than are kept: not used",
        );
        counted(
            notes,
            Severity::Error,
            "log-unaligned",
            if context.has_others { self.unaligned } else { 0 },
            "nothing leads from this log's clock to the trace's: its calls have no place in the recording's time",
        );
        counted(
            notes,
            Severity::Info,
            "log-outside",
            self.outside,
            "records from before or after the recording: not used",
        );
    }
}

/// Indices in order of stamps, of one stamp in order of the log; without stamps in order of the log.
fn order(of_calls: &[i64], times: Times) -> impl Iterator<Item = (usize, i64)> + use<> {
    let mut order: Vec<(usize, i64)> = of_calls.iter().copied().enumerate().collect();
    if times == Times::Stamps {
        order.sort_by_key(|(_, time)| *time);
    }
    order.into_iter()
}
