//! A simulation and what comes of it.

use std::io::Write;

use crate::SplitMix64;
use crate::curve_error::{self, CurveErrors, TrueCurves};
use crate::device_model;
use crate::nature::Nature;
use crate::performance::Performance;
use crate::specimen::{Seeds, Specimen};
use crate::stage::Stage;
use crate::{Effects, PhoneEvent, PhoneSpec, Poller, RailLoad, SimError, Truth, Workload};

/// Output of a simulated run.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulated {
    /// The recording: a Perfetto trace.
    pub trace: Vec<u8>,
    /// Ground truth of the run.
    pub truth: Truth,
    /// Knowledge that an estimator may have of phones of this kind: a `wattle-device-model/1` file.
    pub device_model: String,
    /// Kernel counters as a shell has read them, in the format of `counters.txt`; `None` without a poller.
    pub counters: Option<Vec<u8>>,
}

/// A phone with a workload, ready to run. The same phone, workload, errors and seed give the same bytes and the
/// same truth on every machine.
#[derive(Clone, Debug)]
pub struct Simulation {
    spec: PhoneSpec,
    stage: Stage,
    curves: TrueCurves,
    device_model: String,
    /// Draws the phone.
    seed: u64,
    /// Draws the power of each method at a clock.
    code_seed: u64,
    /// Draws what differs from run to run.
    run_seed: u64,
    effects: Effects,
}

/// Most CPUs that a phone can have.
const MOST_CPUS: u32 = 64;

impl Simulation {
    /// A phone that is exactly as its model says.
    pub fn new(spec: PhoneSpec, workload: Workload, seed: u64) -> Result<Self, SimError> {
        Self::with_errors(spec, workload, CurveErrors::NONE, seed)
    }

    /// A phone that differs from its model by errors drawn from the seed.
    #[expect(clippy::needless_pass_by_value, reason = "a simulation owns what it is made of")]
    pub fn with_errors(
        spec: PhoneSpec,
        workload: Workload,
        errors: CurveErrors,
        seed: u64,
    ) -> Result<Self, SimError> {
        check_phone(&spec)?;
        check_workload(&spec, &workload)?;
        let stage = Stage::of_workload(&workload)?;
        let random = SplitMix64::new(seed).fork(2);
        let (curves, residuals) = curve_error::draw(&spec, errors, random);
        let device_model = device_model::toml(&spec, &residuals);
        Ok(Self {
            spec,
            stage,
            curves,
            device_model,
            seed,
            code_seed: seed,
            run_seed: seed,
            effects: Effects::NONE,
        })
    }

    /// The same, with a shell that polls the kernel's counters meanwhile.
    ///
    /// # Errors
    ///
    /// When the poller cannot be: its costs or its period are out of bounds, or its number is another process's.
    pub fn with_poller(mut self, poller: Poller) -> Result<Self, SimError> {
        self.stage.poll(poller)?;
        Ok(self)
    }

    /// The same phone and workload with effects that its device model does not know, drawn from the seed. To
    /// be called once: binning changes the curves each time.
    #[must_use]
    pub fn with_effects(mut self, effects: &Effects) -> Self {
        Nature::bin(effects, &mut self.curves, self.seed);
        self.effects = effects.clone();
        self
    }

    /// The same phone in another run, of code drawn from a seed: other air, other calls, other noise.
    #[must_use]
    pub const fn run_as(mut self, code_seed: u64, run_seed: u64) -> Self {
        self.code_seed = code_seed;
        self.run_seed = run_seed;
        self
    }

    /// The same, with hooks around all sections: [`crate::replay::RecordedSources::hooks`].
    #[must_use]
    pub fn with_hooks(mut self) -> Self {
        self.stage.sources.hooks = true;
        self
    }

    /// The same, with the packets of the network in the trace.
    #[must_use]
    pub const fn with_network_packets(mut self) -> Self {
        self.stage.sources.network_packets = true;
        self
    }

    /// The device model that an estimator may have.
    pub fn device_model(&self) -> &str {
        &self.device_model
    }

    /// Runs it in memory.
    pub fn run(&self) -> Result<Simulated, SimError> {
        let performed = self.perform(Vec::new(), u64::MAX)?;
        Ok(Simulated {
            trace: performed.out,
            truth: performed.truth,
            device_model: self.device_model.clone(),
            counters: performed.counters,
        })
    }

    /// Runs it and writes the trace as it goes. Memory does not grow with the duration. Gives back what was
    /// written to. What a shell has polled is left out.
    pub fn write_trace<W: Write>(&self, out: W) -> Result<(Truth, W), SimError> {
        self.write_at_most(out, u64::MAX)
    }

    /// The same, and ends early once so many bytes are written.
    pub(crate) fn write_at_most<W: Write>(
        &self,
        out: W,
        most_bytes: u64,
    ) -> Result<(Truth, W), SimError> {
        let performed = self.perform(out, most_bytes)?;
        Ok((performed.truth, performed.out))
    }

    fn perform<W: Write>(&self, out: W, most_bytes: u64) -> Result<Performance<W>, SimError> {
        let specimen = Specimen {
            spec: &self.spec,
            curves: &self.curves,
            effects: &self.effects,
            seeds: Seeds { phone: self.seed, code: self.code_seed },
        };
        Performance::give(specimen, &self.stage, self.run_seed, out, most_bytes)
    }
}

pub(crate) fn check_phone(spec: &PhoneSpec) -> Result<(), SimError> {
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
