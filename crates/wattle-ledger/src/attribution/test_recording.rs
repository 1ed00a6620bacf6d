//! A recording for tests of single stages, in nanoseconds and watts.

use wattle_power::{
    Component, ErrorGroup, ErrorGroupId, ErrorSource, Meter, PowerEstimate, PowerTrack, RailPeriod,
    RailPeriods, Scope, SourceId,
};
use wattle_timeline::{
    CpuId, CpuTimeline, IdleState, SchedSlice, SliceScope, SliceTrack, Thread, ThreadId, Timeline,
    Window,
};
use wattle_units::{BootNanos, Joules, Nanos, Provenance, Watts};

use super::activity::ActiveTracks;
use super::bookings::Bookings;
use super::call_paths::CallPaths;
use super::context::Context;
use super::device_users::DeviceUsers;
use super::first_stages::Stages;
use super::named_spans::NamedSpans;
use super::occupancy::Occupancy;
use super::shares::Shares;
use crate::AttributionOptions;

/// A timeline, its tracks, and the stages up to any of them.
#[derive(Debug, Default)]
pub(crate) struct TestRecording {
    pub(crate) timeline: Timeline,
    pub(crate) estimate: PowerEstimate,
    pub(crate) options: AttributionOptions,
}

pub(crate) fn window(start: i64, end: i64) -> Window {
    Window::new(BootNanos::new(start), BootNanos::new(end))
}

impl TestRecording {
    /// From 0 to the instant, with the idle task and so many threads more.
    pub(crate) fn new(threads: usize, end: i64) -> Self {
        let mut recording = Self::default();
        recording.timeline.window = window(0, end);
        recording.timeline.tasks.threads = vec![Thread::default(); threads + 1];
        recording.options.threads = 1;
        let group = ErrorGroup { name: "model".to_owned(), shared: 0.1, freedom: None };
        recording.estimate.errors.add_group(group);
        recording.estimate.errors.add_source(ErrorSource {
            name: "number".to_owned(),
            group: ErrorGroupId(0),
            own: 0.0,
            meter: None,
            provenance: Provenance::Modelled,
        });
        recording
    }

    /// One more CPU: on-CPU slices (start, end, thread) and idle states (from, state).
    pub(crate) fn cpu(mut self, slices: &[(i64, i64, u32)], idle: &[(i64, i8)]) -> Self {
        let mut cpu = CpuTimeline::default();
        for (start, end, thread) in slices {
            cpu.sched.push(SchedSlice {
                window: window(*start, *end),
                thread: ThreadId(*thread),
                end_state: None,
            });
        }
        for (time, state) in idle {
            cpu.idle.push(BootNanos::new(*time), IdleState(*state));
        }
        self.timeline.cpus.push(cpu);
        self
    }

    /// Calls of one thread: (start, end, name, depth).
    pub(crate) fn calls(mut self, thread: u32, calls: &[(i64, i64, &str, u16)]) -> Self {
        let slices = &mut self.timeline.code.slices;
        let scope = SliceScope::Thread(ThreadId(thread));
        let (first, count) = (slices.start.len() as u32, calls.len() as u32);
        slices.tracks.push(SliceTrack { scope, name: None, first, count });
        for (start, end, name, depth) in calls {
            slices.start.push(BootNanos::new(*start));
            slices.end.push(BootNanos::new(*end));
            slices.name.push(self.timeline.names.intern(name));
            slices.depth.push(*depth);
        }
        self
    }

    /// A rail over the track that was added last: (end of the period, joules that it counted). The track is scaled to it.
    pub(crate) fn rail(mut self, periods: &[(i64, f64)]) -> Self {
        let errors = &mut self.estimate.errors;
        let meter = errors.add_meter(Meter { name: "rail".to_owned(), error: 0.02, group: None });
        let mut add = |name: &str| {
            let (name, group, own) = (name.to_owned(), ErrorGroupId(0), 0.05);
            let (meter, provenance) = (Some(meter), Provenance::Modelled);
            errors.add_source(ErrorSource { name, group, own, meter, provenance })
        };
        let (source, twin) = (add("rail"), add("number, by the rail"));
        let model = self.estimate.tracks.pop().expect("a track before its rail");
        let mut scaled =
            PowerTrack::new(model.component.clone(), model.scope.clone(), model.window().start);
        let mut found = RailPeriods { meter, source, periods: Vec::new() };
        let mut start = model.window().start.value();
        for (end, joules) in periods {
            let of = window(start, *end);
            let (measured, modelled) = (Joules::new(*joules), model.energy(of));
            found.periods.push(RailPeriod { window: of, measured, modelled });
            for segment in model.segments() {
                let inside = segment.window.intersect(of);
                if !inside.is_empty() {
                    scaled.push_until(inside.end, segment.power * (measured / modelled), twin);
                }
            }
            start = *end;
        }
        self.estimate.tracks.push(scaled);
        self.estimate.rail_periods.push(found);
        self
    }

    /// A power track of a component that is no core: (until, watts).
    pub(crate) fn device(mut self, component: Component, power: &[(i64, f64)]) -> Self {
        let mut track = PowerTrack::new(component, Scope::Device, BootNanos::new(0));
        for (until, watts) in power {
            track.push_until(BootNanos::new(*until), Watts::new(*watts), SourceId(0));
        }
        self.estimate.tracks.push(track);
        self
    }

    /// A power track: (until, watts).
    pub(crate) fn track(mut self, scope: Scope, power: &[(i64, f64)]) -> Self {
        let mut track = PowerTrack::new(Component::Cpu, scope, BootNanos::new(0));
        for (until, watts) in power {
            track.push_until(BootNanos::new(*until), Watts::new(*watts), SourceId(0));
        }
        self.estimate.tracks.push(track);
        self
    }

    pub(crate) fn context(&self) -> Context<'_> {
        Context::new(&self.timeline, &self.options)
    }

    pub(crate) fn paths(&self) -> CallPaths {
        CallPaths::new(&self.context()).expect("few paths")
    }

    pub(crate) fn occupancy(&self) -> Occupancy {
        let exits: &[Nanos] = &self.estimate.deep_idle_exit;
        Occupancy::new(&self.context(), &self.paths(), exits)
    }

    pub(crate) fn shares(&self) -> Shares {
        Shares::new(&self.context(), &self.estimate.tracks, &self.occupancy())
    }

    pub(crate) fn active(&self) -> ActiveTracks<'_> {
        let (paths, occupancy) = (self.paths(), self.occupancy());
        let users = DeviceUsers::default();
        ActiveTracks::new(&self.context(), &self.estimate, (&paths, &occupancy), &users)
    }

    pub(crate) fn bookings(&self) -> Bookings {
        let (context, paths, occupancy) = (self.context(), self.paths(), self.occupancy());
        let named = NamedSpans::new(&self.timeline, context.window);
        let users = DeviceUsers::new(&context, &paths, &named, &self.estimate.tracks);
        let active = ActiveTracks::new(&context, &self.estimate, (&paths, &occupancy), &users);
        let shares = Shares::new(&context, &active.tracks, &occupancy);
        let stages =
            Stages { paths: &paths, occupancy: &occupancy, users: &users, active: &active };
        Bookings::new(&context, &self.estimate, stages, &shares, &named)
    }
}

/// The sharers of four cores.
pub(crate) fn cores(cpus: std::ops::Range<u32>) -> Scope {
    Scope::Cores(cpus.map(CpuId).collect())
}
