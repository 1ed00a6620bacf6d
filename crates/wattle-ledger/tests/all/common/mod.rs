//! A phone for tests, put together by hand. Times are in microseconds, so that a watt for one unit of time is
//! a microjoule.

use std::collections::BTreeMap;

use wattle_ledger::{Account, AttributionOptions, Ledger, attribute};
use wattle_power::{
    Component, ErrorGroup, ErrorGroupId, ErrorSource, PowerEstimate, PowerTrack, Scope,
};
use wattle_timeline::{
    CallSite, CodeActivity, CpuId, CpuTimeline, EventId, Frame, GpuTimeline, GpuWorkPeriod,
    IdleState, InterruptKind, InterruptSlice, Pid, ProbeCost, Process, ProcessId, SampleEvent,
    SampleUnit, SchedSlice, SliceOrigin, SliceScope, SliceTrack, StackSample, TestOutcome, TestRun,
    Thread, ThreadId, Tid, Timeline, Uid, Window,
};
use wattle_units::{BootNanos, Nanos, Provenance, Watts};

pub fn at(time: i64) -> BootNanos {
    BootNanos::new(time * 1000)
}

pub fn window(start: i64, end: i64) -> Window {
    Window::new(at(start), at(end))
}

#[derive(Debug, Default)]
pub struct Phone {
    pub timeline: Timeline,
    pub estimate: PowerEstimate,
}

impl Phone {
    /// A phone with that many CPUs, recorded from 0 to the instant.
    pub fn new(cpus: usize, end: i64) -> Self {
        let mut phone = Self::default();
        phone.timeline.window = window(0, end);
        phone.timeline.cpus = vec![CpuTimeline::default(); cpus];
        phone.timeline.tasks.threads.push(Thread::default());
        phone
    }

    /// A process with one thread of the same name.
    pub fn thread(&mut self, name: &str) -> ThreadId {
        let process = ProcessId(self.timeline.tasks.processes.len() as u32);
        let id = ThreadId(self.timeline.tasks.threads.len() as u32);
        let number = 100 + id.0;
        let name = Some(self.timeline.names.intern(name));
        self.timeline.tasks.processes.push(Process {
            pid: Pid(number),
            name,
            ..Process::default()
        });
        self.timeline.tasks.threads.push(Thread {
            tid: Tid(number),
            name,
            process: Some(process),
            is_main: true,
            ..Thread::default()
        });
        id
    }

    /// The scheduler's word for one CPU: (start, end, thread).
    pub fn runs(&mut self, cpu: usize, slices: &[(i64, i64, ThreadId)]) -> &mut Self {
        for (start, end, thread) in slices {
            self.timeline.cpus[cpu].sched.push(SchedSlice {
                window: window(*start, *end),
                thread: *thread,
                end_state: None,
            });
        }
        self
    }

    /// `cpu_idle` events of one CPU.
    pub fn idles(&mut self, cpu: usize, changes: &[(i64, i8)]) -> &mut Self {
        for (time, state) in changes {
            self.timeline.cpus[cpu].idle.push(at(*time), IdleState(*state));
        }
        self
    }

    pub fn interrupt(
        &mut self,
        cpu: usize,
        kind: InterruptKind,
        start: i64,
        end: i64,
        name: &str,
    ) -> &mut Self {
        let name = self.timeline.names.intern(name);
        let slice = InterruptSlice { window: window(start, end), kind, name };
        self.timeline.cpus[cpu].interrupts.push(slice);
        self
    }

    /// Call slices of a thread: (start, end, name, depth); an end of `i64::MAX` was not seen.
    pub fn calls(&mut self, thread: ThreadId, slices: &[(i64, i64, &str, u16)]) -> &mut Self {
        let calls = &mut self.timeline.code.slices;
        calls.tracks.push(SliceTrack {
            scope: SliceScope::Thread(thread),
            name: None,
            first: calls.start.len() as u32,
            count: slices.len() as u32,
        });
        for (start, end, name, depth) in slices {
            calls.start.push(at(*start));
            calls.end.push(if *end == i64::MAX { BootNanos::MAX } else { at(*end) });
            calls.name.push(self.timeline.names.intern(name));
            calls.depth.push(*depth);
        }
        self
    }

    /// The same with what made each slice; the lengths of both lists are equal.
    pub fn made_by(
        &mut self,
        thread: ThreadId,
        slices: &[(i64, i64, &str, u16)],
        origins: &[SliceOrigin],
    ) -> &mut Self {
        let first = self.timeline.code.slices.start.len();
        self.timeline.code.slices.origin.resize(first, SliceOrigin::Recorded);
        self.calls(thread, slices);
        self.timeline.code.slices.origin.extend(origins);
        self
    }

    /// Slices of methods that have probes.
    pub fn probed(&mut self, thread: ThreadId, slices: &[(i64, i64, &str, u16)]) -> &mut Self {
        self.made_by(thread, slices, &vec![SliceOrigin::ProbedMethod; slices.len()])
    }

    /// Samples of a clock: (time, thread, stack with the outermost function first). `?file` is a function of that file without a
    /// name, `+name` one that was inlined; a stack that begins with `...` is truncated, an empty one is none.
    pub fn samples(&mut self, samples: &[(i64, ThreadId, &str)]) -> &mut Self {
        let Timeline { code: CodeActivity { samples: known, .. }, names, .. } = &mut self.timeline;
        if known.events.is_empty() {
            let name = names.intern("cpu-clock");
            known.events.push(SampleEvent { name, unit: SampleUnit::Nanos });
        }
        for (time, thread, stack) in samples {
            let mut site = None;
            let frames = stack.strip_prefix("...");
            for text in frames.unwrap_or(stack).split_whitespace() {
                let mut frame = Frame::default();
                match text.split_at(1) {
                    ("?", file) => frame.mapping = Some(names.intern(file)),
                    ("+", name) => {
                        frame.function = Some(names.intern(name));
                        frame.inlined = true;
                    }
                    _ => frame.function = Some(names.intern(text)),
                }
                let index = known.frames.iter().position(|it| *it == frame).unwrap_or_else(|| {
                    known.frames.push(frame);
                    known.frames.len() - 1
                });
                let place = CallSite { caller: site, frame: index as u32 };
                let index = known.sites.iter().position(|it| *it == place).unwrap_or_else(|| {
                    known.sites.push(place);
                    known.sites.len() - 1
                });
                site = Some(index as u32);
            }
            known.samples.push(StackSample {
                time: at(*time),
                cpu: None,
                thread: *thread,
                site,
                event: EventId(0),
                weight: 1,
                is_truncated: frames.is_some(),
            });
        }
        known.samples.sort_by_key(|sample| sample.time);
        self
    }

    /// Cost of a pair of probes in all processes, and what of it lies inside.
    pub fn probes_cost(&mut self, pair: i64, inside: i64) -> &mut Self {
        self.timeline.code.probe_costs.push(ProbeCost {
            process: None,
            pair: Nanos::new(pair * 1000),
            low: Nanos::new(pair * 900),
            high: Nanos::new(pair * 1200),
            inside: Nanos::new(inside * 1000),
            pairs: 100,
        });
        self
    }

    /// A test: (name, start, end).
    pub fn test(&mut self, name: &str, start: i64, end: i64) -> &mut Self {
        let name = self.timeline.names.intern(name);
        self.timeline.code.tests.push(TestRun {
            name,
            iteration: 0,
            window: window(start, end),
            uncertainty: Nanos::ZERO,
            outcome: TestOutcome::Passed,
        });
        self
    }

    pub fn gpu_work(&mut self, gpu: u32, periods: &[(i64, i64, u32)]) -> &mut Self {
        let work = periods.iter().map(|(start, end, uid)| GpuWorkPeriod {
            window: window(*start, *end),
            uid: Uid(*uid),
            active: Nanos::new((end - start) * 1000),
        });
        let gpu = GpuTimeline { id: gpu, work: work.collect(), ..GpuTimeline::default() };
        self.timeline.hardware.gpus.push(gpu);
        self
    }

    /// A track that begins at 0: (until, watts). It gets a source of its own.
    pub fn draws(&mut self, component: &str, scope: Scope, power: &[(i64, f64)]) -> &mut Self {
        let errors = &mut self.estimate.errors;
        if errors.groups.is_empty() {
            let name = "all".to_owned();
            errors.add_group(ErrorGroup { name, shared: 0.05, freedom: None });
        }
        let source = errors.add_source(ErrorSource {
            name: format!("{component} {scope:?}"),
            group: ErrorGroupId(0),
            own: 0.02,
            meter: None,
            provenance: Provenance::Modelled,
        });
        let mut track = PowerTrack::new(Component::from(component), scope, at(0));
        for (until, watts) in power {
            track.push_until(at(*until), Watts::new(*watts), source);
        }
        self.estimate.tracks.push(track);
        self
    }

    pub fn core(&mut self, cpu: u32, power: &[(i64, f64)]) -> &mut Self {
        self.draws("cpu", Scope::Core(CpuId(cpu)), power)
    }

    pub fn cores(&mut self, cpus: &[u32], power: &[(i64, f64)]) -> &mut Self {
        let set = cpus.iter().copied().map(CpuId).collect();
        self.draws("cpu", Scope::Cores(set), power)
    }

    pub fn attribute(&self, options: &AttributionOptions) -> Ledger {
        attribute(&self.timeline, &self.estimate, options).expect("a ledger")
    }

    /// Every line of the ledger must be one of these, and these must be all: (account, component, charge,
    /// microjoules).
    #[track_caller]
    pub fn check_with(
        &self,
        options: &AttributionOptions,
        expected: &[(&str, &str, &str, f64)],
    ) -> Ledger {
        let ledger = self.attribute(options);
        let found = lines(&ledger);
        let expected: BTreeMap<_, _> = expected
            .iter()
            .map(|(account, component, charge, joules)| {
                ((*account).to_owned(), (*component).to_owned(), (*charge).to_owned(), *joules)
            })
            .map(|(account, component, charge, joules)| ((account, component, charge), joules))
            .collect();
        let close = found.len() == expected.len()
            && found.iter().zip(&expected).all(|((line, joules), (other, value))| {
                line == other && (joules - value).abs() <= 1e-9 * value.abs()
            });
        assert!(close, "found {found:#?}\nexpected {expected:#?}");
        ledger
    }

    #[track_caller]
    pub fn check(&self, expected: &[(&str, &str, &str, f64)]) -> Ledger {
        self.check_with(&AttributionOptions::default(), expected)
    }
}

/// Microjoules by account, component and charge.
pub fn lines(ledger: &Ledger) -> BTreeMap<(String, String, String), f64> {
    let mut lines = BTreeMap::new();
    for booking in &ledger.bookings {
        let account = label(ledger, &ledger.rows.accounts[booking.account.0 as usize]);
        let component = &ledger.rows.components[usize::from(booking.component.0)].name;
        let key = (account, component.name().to_owned(), booking.charge.name().to_owned());
        *lines.entry(key).or_insert(0.0) += booking.joules.value() * 1e6;
    }
    lines
}

/// `app`, `app: outer > inner`, `interrupts: timer`, `idle floor`.
pub fn label(ledger: &Ledger, account: &Account) -> String {
    match account {
        Account::Path { path }
        | Account::Recorder { path }
        | Account::ProfilingOverhead { path: Some(path) } => {
            let mut names = Vec::new();
            let mut next = Some(*path);
            let mut thread = 0;
            while let Some(id) = next {
                let entry = &ledger.rows.paths[id.0 as usize];
                thread = entry.thread;
                if entry.caller.is_some() {
                    names.push(entry.name.as_str());
                }
                next = entry.caller;
            }
            names.reverse();
            let thread = &ledger.rows.threads[thread as usize].name;
            let thread = match account {
                Account::Recorder { .. } => &format!("recorder {thread}"),
                Account::ProfilingOverhead { .. } => &format!("probes {thread}"),
                _ => thread,
            };
            if names.is_empty() {
                thread.clone()
            } else {
                format!("{thread}: {}", names.join(" > "))
            }
        }
        Account::App { uid } => format!("uid {uid}"),
        Account::Interrupts { handler } => format!("interrupts: {handler}"),
        other => other.class().to_owned(),
    }
}
