//! A simulation and what comes of it.

use std::io::Write;

use wattle_units::{BootNanos, Joules};

use crate::curve_error::{self, CurveErrors, TrueCurves};
use crate::device_model;
use crate::machine::{Machine, Span};
use crate::program::{self, Names, Program};
use crate::random::SplitMix64;
use crate::{
    ClusterTruth, MethodTruth, PhoneEvent, PhoneSpec, RailLoad, RailTruth, SimError, ThreadTruth,
    Truth, Workload,
};

/// What a simulated run left behind.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulated {
    /// The recording: a Perfetto trace.
    pub trace: Vec<u8>,
    /// What truly happened.
    pub truth: Truth,
    /// What an estimator may know of phones of this kind: a `wattle-device-model/1` file.
    pub device_model: String,
}

/// A phone with a workload, ready to run. The same phone, workload, errors and seed give the same bytes and the
/// same truth on every machine.
#[derive(Clone, Debug)]
pub struct Simulation {
    spec: PhoneSpec,
    workload: Workload,
    names: Names,
    programs: Vec<Program>,
    curves: TrueCurves,
    device_model: String,
    seed: u64,
}

/// Boot time at which every trace begins: on a whole millisecond.
const START: i64 = 100_000_000_000;
/// Most CPUs that a phone can have.
const MOST_CPUS: u32 = 64;

impl Simulation {
    /// A phone that is exactly as its model says.
    pub fn new(spec: PhoneSpec, workload: Workload, seed: u64) -> Result<Self, SimError> {
        Self::with_errors(spec, workload, CurveErrors::NONE, seed)
    }

    /// A phone that differs from its model by errors drawn from the seed.
    pub fn with_errors(
        spec: PhoneSpec,
        workload: Workload,
        errors: CurveErrors,
        seed: u64,
    ) -> Result<Self, SimError> {
        check_phone(&spec)?;
        check_workload(&spec, &workload)?;
        let mut names = Names::default();
        let programs = program::compile(&workload, &mut names)?;
        let random = SplitMix64::new(seed).fork(2);
        let (curves, residuals) = curve_error::draw(&spec, errors, random);
        let device_model = device_model::toml(&spec, &residuals);
        Ok(Self { spec, workload, names, programs, curves, device_model, seed })
    }

    /// The device model that an estimator may have.
    pub fn device_model(&self) -> &str {
        &self.device_model
    }

    /// Runs it in memory.
    pub fn run(&self) -> Result<Simulated, SimError> {
        let (truth, trace) = self.write_trace(Vec::new())?;
        Ok(Simulated { trace, truth, device_model: self.device_model.clone() })
    }

    /// Runs it and writes the trace as it goes. Memory does not grow with the duration. Gives back what was
    /// written to.
    pub fn write_trace<W: Write>(&self, out: W) -> Result<(Truth, W), SimError> {
        self.write_at_most(out, u64::MAX)
    }

    /// The same, and ends early once so many bytes are written.
    pub(crate) fn write_at_most<W: Write>(
        &self,
        out: W,
        most_bytes: u64,
    ) -> Result<(Truth, W), SimError> {
        let span = Span { start: START, end: START + self.workload.duration.value() };
        let mut machine = Machine::new(
            &self.spec,
            &self.workload,
            &self.curves,
            &self.names,
            &self.programs,
            span,
            self.seed,
            out,
        );
        machine.run(most_bytes)?;
        let truth = self.truth(&machine);
        Ok((truth, machine.recorder.into_inner()?))
    }

    fn truth<W: Write>(&self, machine: &Machine<'_, W>) -> Truth {
        let clusters: Vec<ClusterTruth> = machine
            .hardware()
            .enumerate()
            .map(|(index, (cores, shared))| ClusterTruth {
                policy: self.spec.first_cpu(index),
                cores: cores.into_iter().map(Joules::new).collect(),
                shared: Joules::new(shared),
            })
            .collect();
        let threads: Vec<ThreadTruth> = self
            .workload
            .threads()
            .zip(machine.comms())
            .zip(machine.meter.tasks(self.programs.len()))
            .map(|(((app, _), comm), (charges, cpu))| ThreadTruth {
                process: app.name.clone(),
                pid: comm.tgid,
                thread: comm.name.clone(),
                tid: comm.tid,
                recorder: app.recorder,
                charges,
                cpu,
            })
            .collect();
        let methods = machine.meter.methods(&self.names).into_iter().map(|(task, method)| {
            let thread = &threads[task];
            MethodTruth {
                process: thread.process.clone(),
                thread: thread.thread.clone(),
                tid: thread.tid,
                recorder: thread.recorder,
                ..method
            }
        });
        let rails = self.spec.rails.iter().zip(machine.rails()).map(|(rail, meter)| {
            let (whole, sampled, counted, samples) = meter.summary();
            RailTruth {
                name: rail.name.clone(),
                joules: Joules::new(whole),
                sampled_joules: Joules::new(sampled),
                counted_joules: Joules::from_microjoules(counted as f64),
                samples,
            }
        });
        let span = machine.span();
        Truth {
            start: BootNanos::new(span.start),
            end: BootNanos::new(span.end),
            total: clusters.iter().map(ClusterTruth::total).sum(),
            methods: methods.collect(),
            idle_floor: machine.meter.idle(),
            interrupts: machine
                .meter
                .interrupts(self.workload.interrupts.iter().map(|source| source.name.as_str())),
            rails: rails.collect(),
            battery: machine.battery_joules().map(Joules::new),
            clusters,
            threads,
        }
    }
}

fn check_phone(spec: &PhoneSpec) -> Result<(), SimError> {
    let wrong = |expected, found: String| Err(SimError::Phone { expected, found });
    let cpus: u64 = spec.clusters.iter().map(|cluster| u64::from(cluster.cores)).sum();
    if cpus == 0 || cpus > u64::from(MOST_CPUS) {
        return wrong("1 to 64 CPUs", cpus.to_string());
    }
    for (index, cluster) in spec.clusters.iter().enumerate() {
        if cluster.cores == 0 || cluster.curve.is_empty() {
            let found = format!("{} and {}", cluster.cores, cluster.curve.len());
            return wrong("cores and curve points in every cluster", found);
        }
        let ascends = cluster.curve.is_sorted_by(|a, b| a.frequency < b.frequency);
        let lowest = cluster.curve.first().map_or(0, |point| point.frequency.kilohertz());
        if !ascends
            || lowest == 0
            || cluster.work_per_cycle.is_nan()
            || cluster.work_per_cycle <= 0.0
        {
            let found = format!("cluster {index}: {:?}", cluster.curve);
            return wrong("frequencies that ascend from above 0 and work above 0", found);
        }
    }
    for rail in &spec.rails {
        for load in &rail.loads {
            if let RailLoad::Cluster(cluster) = load
                && *cluster >= spec.clusters.len()
            {
                return wrong("rails of clusters that exist", format!("cluster {cluster}"));
            }
        }
    }
    Ok(())
}

fn check_workload(spec: &PhoneSpec, workload: &Workload) -> Result<(), SimError> {
    let wrong =
        |place: String, expected, found: String| Err(SimError::Workload { place, expected, found });
    let duration = workload.duration;
    if !(1_000_000..=1_000_000_000_000_000).contains(&duration.value()) {
        return wrong("duration".into(), "1 ms to 1e6 s", duration.to_string());
    }
    let threads = workload.threads().count();
    for (app, thread) in workload.threads() {
        if let Some(cluster) = thread.clusters.iter().find(|c| **c >= spec.clusters.len()) {
            let place = format!("{}/{}", app.name, thread.name);
            return wrong(place, "clusters of the phone", cluster.to_string());
        }
    }
    for app in &workload.apps {
        // Its number is the process's: what ran before it would be another process.
        let begin = app.threads.first().map(|main| main.starts_after);
        if let Some(early) = app.threads.iter().find(|thread| Some(thread.starts_after) < begin) {
            let expected = "a main thread that starts no later than the others";
            return wrong(
                format!("{}/{}", app.name, early.name),
                expected,
                early.starts_after.to_string(),
            );
        }
    }
    for source in &workload.interrupts {
        let place = || format!("interrupt {}", source.name);
        if source.cpu >= spec.cpus() {
            return wrong(place(), "a CPU of the phone", source.cpu.to_string());
        }
        if let Some(thread) = source.wakes.filter(|thread| *thread >= threads) {
            return wrong(place(), "a thread of the workload", thread.to_string());
        }
    }
    for event in &workload.events {
        if let PhoneEvent::Offline { cpu, .. } = *event
            && (cpu == 0 || cpu >= spec.cpus())
        {
            return wrong("hotplug".into(), "a CPU of the phone, not CPU 0", cpu.to_string());
        }
    }
    Ok(())
}
