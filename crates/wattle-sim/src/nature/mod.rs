//! Physics of one phone beyond its power curves: everything that an estimator does not know.

mod binning;
mod cold_caches;
mod device_meters;
mod heat;
mod method_traits;
mod pmu;
mod rail_error;
mod root_seed;
mod shared_domain;
mod shared_memory;

use crate::SplitMix64;
use crate::code_owner::CodeOwner;
use crate::curve_error::{TrueCurves, TruePoint};
use crate::specimen::Specimen;
use crate::{Effect, Effects};

use cold_caches::ColdCaches;
pub(crate) use device_meters::DeviceMeters;
pub(crate) use heat::Heat;
use method_traits::MethodTraits;
pub(crate) use pmu::Pmu;
pub(crate) use rail_error::RailError;
use root_seed::RootSeed;
pub(crate) use shared_domain::SharedDomain;
pub(crate) use shared_memory::Memory;

/// Time between two looks at what changes slowly: temperatures, pressure on memory, the shared clock; in nanoseconds.
pub(crate) const LOOK_PERIOD: i64 = 4_000_000;
/// Time that a change of clock takes, in nanoseconds.
const CLOCK_CHANGE: f64 = 30_000.0;

/// The drawn physics of one phone and of the code that runs on it.
#[derive(Clone, Debug)]
pub(crate) struct Nature {
    effects: Effects,
    seed: RootSeed,
    /// Drawn while the phone runs: the part of each call.
    calls: SplitMix64,
    /// Drawn while the phone runs: everything else.
    pub chances: SplitMix64,
    /// By node of the call trees.
    methods: Vec<MethodTraits>,
    pub rail_errors: Vec<RailError>,
    pub heat: Option<Heat>,
    pub memory: Option<Memory>,
    pub domain: Option<SharedDomain>,
    pub devices: Option<DeviceMeters>,
    pub caches: Option<ColdCaches>,
    pub pmu: Option<Pmu>,
}

/// Progress of code on a core over a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Progress {
    /// Work in cycles of a little core.
    pub work: f64,
    pub instructions: f64,
    pub misses: f64,
}

impl Nature {
    /// The physics of a phone from an instant on. With no effects everything is as the curves say.
    pub fn new(
        Specimen { spec, effects, seeds, .. }: Specimen<'_>,
        processes: usize,
        start: i64,
        seed: u64,
    ) -> Self {
        let random = SplitMix64::new(seed);
        let size = |effect| effects.size(effect);
        // A rail of a device shows what apps do with it, whatever else is simulated.
        let mut loads = spec.loads_beside();
        let has_devices = effects.has(Effect::Devices)
            || effects.has(Effect::Contention)
            || loads.any(|load| matches!(load, crate::RailLoad::Device(_)));
        let cpus = spec.cpus() as usize;
        Self {
            effects: effects.clone(),
            seed: RootSeed::new(seeds.code),
            calls: random.fork(21),
            chances: random.fork(24),
            methods: Vec::new(),
            rail_errors: rail_error::draw(effects, spec, SplitMix64::new(seeds.phone).fork(22)),
            heat: size(Effect::Leakage)
                .map(|size| Heat::new(size, spec.clusters.len(), random.fork(25))),
            memory: size(Effect::Contention).map(|size| Memory::new(size, cpus)),
            domain: size(Effect::Dsu).map(|size| SharedDomain::new(size, start)),
            devices: has_devices
                .then(|| DeviceMeters::new(start, processes, spec.brightness, random.fork(26))),
            caches: size(Effect::Recorder).map(ColdCaches::new),
            pmu: effects.has(Effect::Counters).then(|| Pmu::new(cpus)),
        }
    }

    /// Changes the curves of a phone by what its chip differs from others.
    pub fn bin(effects: &Effects, curves: &mut TrueCurves, seed: u64) {
        if let Some(size) = effects.size(Effect::Binning) {
            binning::apply(curves, size, SplitMix64::new(seed).fork(23));
        }
    }

    /// Whether anything changes between the events of the phone and has to be looked at.
    pub const fn changes_slowly(&self) -> bool {
        self.heat.is_some()
            || self.memory.is_some()
            || self.domain.is_some()
            || self.caches.is_some()
    }

    /// A node of a call tree is entered for the first time or again: a thread's root has the thread's index and no name.
    pub fn know(&mut self, node: usize, owner: CodeOwner, name: &str) {
        if node == self.methods.len() {
            self.methods.push(MethodTraits::new(self.seed.draws(owner, name)));
        }
    }

    /// Draws the factor of one call on the active power of its core.
    pub fn call_factor(&mut self) -> f64 {
        self.effects.size(Effect::Activity).map_or(1.0, |size| {
            method_traits::mean_one(size * method_traits::CALL_SHARE, self.calls.normal())
        })
    }

    /// The factor of a node's code on the active power of its core at an instant in nanoseconds.
    pub fn power(&self, cpu: usize, node: usize, call_factor: f64, now: i64) -> f64 {
        let Some(method) = self.methods.get(node) else { return 1.0 };
        let activity = self
            .effects
            .size(Effect::Activity)
            .map_or(1.0, |size| call_factor * method.activity(size, now));
        let stalls = self
            .memory
            .as_ref()
            .map_or(1.0, |memory| Memory::power(memory.speed(cpu, method.memory_bound)));
        activity * stalls
    }

    /// The speed of a node's code on a CPU, relative to that of the same code with memory and caches for itself.
    pub fn speed(&self, cpu: usize, node: usize) -> f64 {
        let Some(method) = self.methods.get(node) else { return 1.0 };
        let memory =
            self.memory.as_ref().map_or(1.0, |memory| memory.speed(cpu, method.memory_bound));
        let caches = self.caches.as_ref().map_or(1.0, |it| it.speed(method.memory_bound));
        memory * caches
    }

    /// Progress of a node's code that has done so much work, in cycles of a little core.
    pub fn progress(&self, node: usize, work: f64) -> Progress {
        let Some(method) = self.methods.get(node) else {
            return Progress { work, instructions: work, misses: 0.0 };
        };
        let instructions = work * method.instructions;
        let cold = self.caches.as_ref().map_or(1.0, ColdCaches::misses);
        Progress { work, instructions, misses: instructions * method.misses * cold }
    }

    /// A node's code demands memory on a CPU while it works, in cycles of a little core a nanosecond.
    pub fn demand(&mut self, cpu: usize, running: Option<(usize, f64)>) {
        let work = running.map_or(0.0, |(node, rate)| {
            self.methods.get(node).map_or(0.0, |method| method.memory_bound * rate)
        });
        if let Some(memory) = &mut self.memory {
            memory.demand(cpu, work);
        }
    }

    /// The power of a cluster at its temperature.
    pub fn warmed(&self, cluster: usize, point: TruePoint) -> TruePoint {
        self.heat.as_ref().map_or(point, |heat| heat.warmed(cluster, point))
    }

    /// Energy in joules and time in nanoseconds of a change of a cluster's clock.
    pub fn clock_change(&self) -> Option<(f64, f64)> {
        self.effects.size(Effect::Dvfs).map(|microjoules| (microjoules * 1e-6, CLOCK_CHANGE))
    }

    /// Whether changes of the shared clock are written to the trace.
    pub fn writes_shared_clock(&self) -> bool {
        self.effects.has(Effect::DsuEvents)
    }

    /// Draws for how long a CPU's buffer overruns after it was read, in nanoseconds; mostly it does not.
    pub fn overrun(&mut self) -> Option<u64> {
        let size = self.effects.size(Effect::Lost)?;
        let (happens, length) = (self.chances.chance(size), self.chances.between(2e6, 60e6));
        happens.then_some(length as u64)
    }

    /// Time in nanoseconds that a clock has gained beyond its linear drift after running so long.
    pub fn clock_error(&self, running: f64) -> f64 {
        const PERIOD: f64 = 7e9;
        let turns = std::f64::consts::TAU * running / PERIOD;
        self.effects
            .size(Effect::Drift)
            .map_or(0.0, |ppm| ppm * 1e-6 * PERIOD / std::f64::consts::TAU * (1.0 - turns.cos()))
    }
}
