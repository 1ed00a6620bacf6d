//! A recording put together by hand. Times are in milliseconds.

use wattle_diagnose::{
    DiagnoseOptions, Diagnosis, Finding, FindingSeverity, IdleChoice, Input, diagnose, rule,
};
use wattle_ledger::{AttributionOptions, attribute};
use wattle_power::{
    Component, ErrorGroup, ErrorGroupId, ErrorSource, PowerEstimate, PowerTrack, Scope, SourceId,
};
use wattle_timeline::{
    CounterScope, CounterTrack, CpuId, CpuTimeline, Direction, DiskKind, DiskOperation, FrameOwner,
    JankCauses, NetworkPacket, Pid, Process, ProcessId, Quantity, SchedSlice, ScreenFrame,
    SliceScope, SliceTrack, StateKind, StateTrack, TaskState, Thread, ThreadId, Tid, Timeline, Uid,
    Usage, Window,
};
use wattle_units::{BootNanos, Joules, Provenance, Watts};

pub const APP: Uid = Uid(10_077);

pub fn at(milliseconds: f64) -> BootNanos {
    BootNanos::new((milliseconds * 1e6).round() as i64)
}

pub fn window(start: f64, end: f64) -> Window {
    Window::new(at(start), at(end))
}

/// A recording with its power.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    pub timeline: Timeline,
    pub power: PowerEstimate,
}

impl Scene {
    /// One CPU, recorded from 0 to the instant; an app (`app`, thread 1), another (`other`, thread 2).
    pub fn new(end: f64) -> Self {
        let mut scene = Self::default();
        scene.timeline.window = window(0.0, end);
        scene.timeline.cpus = vec![CpuTimeline::default()];
        scene.timeline.tasks.threads.push(Thread::default());
        scene.thread("com.example.app", APP);
        scene.thread("com.example.other", Uid(10_078));
        scene
    }

    pub fn thread(&mut self, name: &str, uid: Uid) -> ThreadId {
        let process = ProcessId(self.timeline.tasks.processes.len() as u32);
        let id = ThreadId(self.timeline.tasks.threads.len() as u32);
        let number = 100 + id.0;
        let name = Some(self.timeline.names.intern(name));
        let (pid, uid, package) = (Pid(number), Some(uid), name);
        self.timeline.tasks.processes.push(Process {
            pid,
            name,
            uid,
            package,
            ..Process::default()
        });
        let (tid, process) = (Tid(number), Some(process));
        self.timeline.tasks.threads.push(Thread {
            tid,
            name,
            process,
            is_main: true,
            ..Thread::default()
        });
        id
    }

    /// A further thread of the process that another thread is of.
    pub fn beside(&mut self, thread: ThreadId, name: &str) -> ThreadId {
        let id = ThreadId(self.timeline.tasks.threads.len() as u32);
        let process = self.timeline.tasks.threads[thread.index()].process;
        let name = Some(self.timeline.names.intern(name));
        let tid = Tid(100 + id.0);
        self.timeline.tasks.threads.push(Thread { tid, name, process, ..Thread::default() });
        id
    }

    /// Runs of threads on the CPU, in order; the last word is whether the thread slept afterwards, else it was preempted.
    pub fn runs(mut self, runs: impl IntoIterator<Item = (f64, f64, u32, bool)>) -> Self {
        for (start, end, thread, sleeps) in runs {
            self.timeline.cpus[0].sched.push(SchedSlice {
                window: window(start, end),
                thread: ThreadId(thread),
                end_state: Some(TaskState(u16::from(sleeps))),
            });
        }
        self
    }

    /// The CPU draws so many watts all the time.
    pub fn core(self, watts: f64) -> Self {
        self.draws(Component::Cpu, Scope::Core(CpuId(0)), watts, "core")
    }

    pub fn draws(mut self, component: Component, scope: Scope, watts: f64, source: &str) -> Self {
        let errors = &mut self.power.errors;
        errors.groups.push(ErrorGroup { name: source.into(), shared: 0.1, freedom: None });
        let group = ErrorGroupId((errors.groups.len() - 1) as u16);
        errors.sources.push(ErrorSource {
            name: source.into(),
            group,
            own: 0.0,
            meter: None,
            provenance: Provenance::Modelled,
        });
        let source = SourceId((errors.sources.len() - 1) as u16);
        let mut track = PowerTrack::new(component, scope, self.timeline.window.start);
        track.push_until(self.timeline.window.end, Watts::new(watts), source);
        self.power.tracks.push(track);
        self
    }

    /// A state's changes: of an app, or of the device.
    pub fn state(
        mut self,
        kind: StateKind,
        uid: Option<Uid>,
        tag: &str,
        changes: &[(f64, u32)],
    ) -> Self {
        let tag = (!tag.is_empty()).then(|| self.timeline.names.intern(tag));
        let level = changes.iter().map(|(time, level)| (at(*time), *level)).collect();
        let scope = uid.map_or(CounterScope::Global, CounterScope::Uid);
        self.timeline.system.states.push(StateTrack { kind, scope, tag, level });
        self
    }

    /// A counter's values.
    pub fn counter(mut self, name: &str, scope: CounterScope, values: &[(f64, f64)]) -> Self {
        self.timeline.system.counters.push(CounterTrack {
            name: self.timeline.names.intern(name),
            scope,
            time: values.iter().map(|(time, _)| at(*time)).collect(),
            value: values.iter().map(|(_, value)| *value).collect(),
        });
        self
    }

    /// Pictures of the app (process 0) that the panel showed at these times, in the frame timeline.
    pub fn pictures(mut self, times: impl IntoIterator<Item = f64>) -> Self {
        for (token, time) in (1_i64..).zip(times) {
            for (owner, from) in [(FrameOwner::App, 20.0), (FrameOwner::Display, 10.0)] {
                self.timeline.code.frames.push(ScreenFrame {
                    owner,
                    process: (owner == FrameOwner::App).then_some(ProcessId(0)),
                    token,
                    display_token: token,
                    layer: None,
                    expected: Some(window(time - from, time)),
                    actual: window(time - from, time),
                    jank: JankCauses::NONE,
                    is_dropped: false,
                    by_gpu: false,
                });
            }
        }
        self
    }

    pub fn usage(mut self, quantity: Quantity, uid: Option<Uid>, tag: &str, value: f64) -> Self {
        let tag = (!tag.is_empty()).then(|| self.timeline.names.intern(tag));
        let window = self.timeline.window;
        self.timeline.system.usage.push(Usage { quantity, uid, tag, window, value });
        self
    }

    /// Slices of a thread: start, end, name, depth.
    pub fn slices(mut self, thread: u32, slices: &[(f64, f64, &str, u16)]) -> Self {
        let all = &mut self.timeline.code.slices;
        all.tracks.push(SliceTrack {
            scope: SliceScope::Thread(ThreadId(thread)),
            name: None,
            first: all.start.len() as u32,
            count: slices.len() as u32,
        });
        for (start, end, name, depth) in slices {
            all.start.push(at(*start));
            all.end.push(at(*end));
            all.name.push(self.timeline.names.intern(name));
            all.depth.push(*depth);
        }
        self
    }

    pub fn wakes(mut self, wakes: impl IntoIterator<Item = (f64, u32)>) -> Self {
        for (time, thread) in wakes {
            self.timeline.wakeups.time.push(at(time));
            self.timeline.wakeups.cpu.push(CpuId(0));
            self.timeline.wakeups.thread.push(ThreadId(thread));
            self.timeline.wakeups.target.push(CpuId(0));
        }
        self
    }

    pub fn writes(mut self, times: impl IntoIterator<Item = f64>, bytes: u64) -> Self {
        let file = Some(self.timeline.names.intern("/data/log.txt"));
        for time in times {
            self.timeline.hardware.disk.push(DiskOperation {
                kind: DiskKind::Write,
                window: window(time, time + 1.0),
                begin_seen: true,
                end_seen: true,
                thread: ThreadId(1),
                disk: None,
                offset: None,
                bytes: Some(bytes),
                service: None,
                file,
            });
        }
        self
    }

    pub fn packets(
        mut self,
        interface: &str,
        times: impl IntoIterator<Item = f64>,
        bytes: u64,
    ) -> Self {
        let interface = self.timeline.names.intern(interface);
        for time in times {
            self.timeline.hardware.packets.push(NetworkPacket {
                time: at(time),
                end: at(time),
                bytes,
                packets: 1,
                interface,
                direction: Direction::Egress,
                uid: Some(APP),
            });
        }
        self
    }

    pub fn diagnose(&self, options: &DiagnoseOptions) -> Diagnosis {
        let mut attribution = AttributionOptions::default();
        attribution.stretches = wattle_ledger::StretchDetail::All;
        let ledger = attribute(&self.timeline, &self.power, &attribution).unwrap();
        let input = Input { timeline: &self.timeline, power: &self.power, ledger: &ledger };
        diagnose(input, options).unwrap()
    }

    /// Returns the findings of one rule, in a recording that was made at idle.
    pub fn findings(&self, id: &str, thresholds: &[(&str, f64)]) -> Vec<Finding> {
        self.diagnose(&only(id, thresholds)).findings
    }
}

/// Only one rule, and all of the recording is idle.
pub fn only(id: &str, thresholds: &[(&str, f64)]) -> DiagnoseOptions {
    let mut options = DiagnoseOptions::default();
    options.idle = IdleChoice::Whole;
    options.rules.only.push(id.to_owned());
    let moved = thresholds.iter().map(|(name, value)| (format!("{id}.{name}"), *value));
    options.rules.thresholds.extend(moved);
    options
}

/// The expected properties of a finding.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    pub severity: FindingSeverity,
    pub who: Option<&'a str>,
    /// Of the title.
    pub says: &'a str,
    /// Stretch of the first evidence, in milliseconds.
    pub when: Option<(f64, f64)>,
    pub place: Option<&'a str>,
    /// Joules at stake.
    pub joules: Option<f64>,
}

/// A rule speaks on one scene and says what is expected, holds its tongue on the one beside it, and does so, too, where a
/// threshold is moved.
#[track_caller]
pub fn check(id: &str, fires: &Scene, quiet: &Scene, moved: (&str, f64), expected: Expected<'_>) {
    assert!(rule(id).is_some(), "{id}");
    let found = fires.findings(id, &[]);
    let [finding] = found.as_slice() else { panic!("{id}: one finding, not {found:#?}") };
    assert_eq!(finding.rule.0, id);
    assert_eq!(finding.severity, expected.severity, "{finding:#?}");
    assert_eq!(finding.who.as_deref(), expected.who, "{finding:#?}");
    assert!(finding.title.contains(expected.says), "{:?} lacks {:?}", finding.title, expected.says);
    assert!(!finding.remedy.is_empty());
    let first = finding.evidence.first().expect("evidence");
    if let Some((start, end)) = expected.when {
        assert_eq!(first.window, Some(window(start, end)), "{finding:#?}");
    }
    let place = finding.place.as_ref().map(|place| place.function.as_str());
    assert_eq!(place, expected.place, "{finding:#?}");
    match (finding.at_stake, expected.joules) {
        (Some(found), Some(joules)) => {
            let joules = Joules::new(joules);
            let off = (found.joules - joules).value().abs();
            assert!(
                off <= 1e-6 * joules.value().max(1e-9),
                "{} J, not {joules:?}",
                found.joules.value()
            );
            assert!(found.interval.low < found.joules && found.joules < found.interval.high);
        }
        (found, joules) => assert_eq!(found.map(|it| it.joules.value()), joules, "{finding:#?}"),
    }
    // Without energy the same is found, and nothing is said of joules.
    let without = Scene { power: PowerEstimate::default(), ..fires.clone() };
    let without = without.findings(id, &[]);
    assert_eq!(without.len(), 1, "{without:#?}");
    assert_eq!(without[0].at_stake, None);
    let beside = quiet.findings(id, &[]);
    assert_eq!(beside, [], "beside");
    let moved = fires.findings(id, &[moved]);
    assert_eq!(moved, [], "with the threshold moved");
}
