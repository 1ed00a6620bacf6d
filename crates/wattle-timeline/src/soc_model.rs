//! Power models of SoCs that a recording contains.
//!
//! They are data of the recording, as it states them: nothing here was checked against physics or against the recorded
//! CPUs. `wattle-power` decides whether such a model can be used.

/// Different models that are kept of one recording: a second one already contradicts the first.
const MAX_MODELS: usize = 4;

/// A power model of the device's SoC that the recording contains. Powers are in milliwatts and clocks in kilohertz.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SocModel {
    /// Name of the SoC (`Tensor G6`); empty where none is stated.
    pub name: String,
    /// Product or chassis that it was calibrated for; empty where none is stated.
    pub variant: String,
    /// Maker of the SoC or of the model; empty where none is stated.
    pub vendor: String,
    /// Author of the model.
    pub origin: SocModelOrigin,
    /// Version of the model; 0 where none is stated.
    pub version: u32,
    /// Clusters and idle states of the CPUs.
    pub topology: SocTopology,
    /// Power of the CPUs by clock, clusters without and with another clock that they depend on.
    pub cpu: Vec<SocCpuPoint>,
    /// Energy of the shared cache.
    pub l3: Vec<SocL3Point>,
    /// The driver's number of the GPU.
    pub gpu_id: Option<i32>,
    /// Power of the GPU by clock.
    pub gpu: Vec<SocGpuPoint>,
    /// Power of the TPU by clock and requests.
    pub tpu: Vec<SocTpuPoint>,
    /// Entries that were left out because the model is larger than any device's, or damaged.
    pub dropped: u64,
}

/// Author of a model that a recording contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SocModelOrigin {
    /// It is not stated, or by a number that has no meaning yet.
    #[default]
    Unknown,
    /// The tool that reads traces.
    Builtin,
    /// The vendor of the SoC.
    SocVendor,
    /// The maker of the device, calibrated on it.
    DeviceMaker,
}

/// Clusters and idle states of a SoC's CPUs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SocTopology {
    /// The policy of each CPU.
    pub cpus: Vec<SocCpu>,
    /// Properties of policies.
    pub policies: Vec<SocPolicy>,
    /// The driver's number of an idle state, and the column of the tables that holds for it.
    pub idle_states: Vec<(i64, i64)>,
    /// Whether the clock of the DynamIQ shared unit is read from devfreq events.
    pub uses_devfreq: bool,
}

/// The policy of one CPU. What is `None` is the policy's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SocCpu {
    /// The CPU.
    pub cpu: i32,
    /// Its cpufreq policy.
    pub policy: i32,
    /// Nanoseconds of active power before the exit from deep idle is logged.
    pub deep_idle_exit: Option<i64>,
    /// Whether the other cluster is chosen by its clock instead of its power.
    pub votes_by_clock: Option<bool>,
}

/// Properties of one cpufreq policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SocPolicy {
    /// Its number.
    pub policy: i32,
    /// Nanoseconds of active power before the exit from deep idle is logged.
    pub deep_idle_exit: Option<i64>,
    /// Whether the other cluster is chosen by its clock instead of its power.
    pub votes_by_clock: Option<bool>,
}

/// The other clock that a point of a table is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SocDependency {
    /// The other policy; 255 is the DynamIQ shared unit.
    pub policy: u32,
    /// Its clock.
    pub khz: u32,
}

/// Power of a policy at one clock.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SocCpuPoint {
    /// The policy; 255 is the DynamIQ shared unit.
    pub policy: u32,
    /// Its clock.
    pub khz: u32,
    /// The other clock that the point is for; `None` of policies that depend on none.
    pub on: Option<SocDependency>,
    /// Power of the cluster, once.
    pub shared: f64,
    /// Power of one core that executes.
    pub active: f64,
    /// Power of one core in each of the two columns of idle states.
    pub idle: [f64; 2],
    /// Power of the interconnect.
    pub interconnect: f64,
}

/// Energy of the shared cache at one clock of the first policy, in nanojoules.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SocL3Point {
    /// The clock of policy 0.
    pub khz: u32,
    /// The other clock.
    pub on: SocDependency,
    /// Energy of a hit.
    pub hit: f64,
    /// Energy of a miss.
    pub miss: f64,
}

/// Power of a GPU at one clock.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SocGpuPoint {
    /// The clock.
    pub khz: u32,
    /// Power by state: 0 off, 1 power-gated, 2 on.
    pub by_state: [f64; 3],
}

/// Power of a TPU in one state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SocTpuPoint {
    /// Cluster; 2 is both together.
    pub cluster: u32,
    /// Requests in flight.
    pub requests: u32,
    /// The clock.
    pub khz: u32,
    /// Power.
    pub active: f64,
}

impl SocModel {
    /// Adds a model to those of a recording. One that is already there says nothing new: recorders repeat descriptions.
    pub(crate) fn add_to(self, models: &mut Vec<Self>) {
        if models.len() < MAX_MODELS && !models.contains(&self) {
            models.push(self);
        }
    }
}
