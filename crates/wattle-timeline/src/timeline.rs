//! The event model of one recording, in boot time.

use crate::{
    BatteryTrack, BlockedReason, CallSlices, ClockedCall, CodeSites, CounterTrack, CpuTimeline,
    DevfreqTrack, DeviceFacts, DeviceWake, DiskOperation, EnergyConsumer, EnergySample,
    GpuTimeline, MeterTrack, NameId, Names, NetworkPacket, Package, Pid, ProbeCost, Process,
    Quality, Rail, ScreenFrame, SocModel, StackSamples, StateTrack, Steps, SyncMark, TestRun,
    Thread, TpuTimeline, Usage, Wakeups, Window,
};

/// Everything read from a recording, in one clock.
///
/// Parts that no input file provided are empty; [`Quality`] says which files were read and what was lost.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    /// From the first to the last event of the recording.
    pub window: Window,
    /// The scenario's time, where the recording says it: before it is set-up, after it tear-down.
    pub scenario: Option<Window>,
    /// All strings; every [`NameId`] of this timeline is an index into it.
    pub names: Names,
    /// Facts about the device.
    pub device: DeviceFacts,
    /// Power models of the device's SoC that the recording contains. Several contradict each other.
    pub soc_models: Vec<SocModel>,
    /// Processes, threads and packages.
    pub tasks: Tasks,
    /// CPUs, indexed by [`crate::CpuId`]: who ran on each, at which frequency, in which idle state.
    pub cpus: Vec<CpuTimeline>,
    /// Which thread woke which.
    pub wakeups: Wakeups,
    /// Why threads had slept when they were woken, in order of time.
    pub blocked: Vec<BlockedReason>,
    /// When the device as a whole was suspended, and what woke it.
    pub suspend: Suspend,
    /// The code that threads executed.
    pub code: CodeActivity,
    /// Energy and battery readings, from inside and outside the device.
    pub energy: EnergyReadings,
    /// Activity of hardware other than CPUs.
    pub hardware: HardwareActivity,
    /// States and totals that the system recorded by itself.
    pub system: SystemRecords,
    /// Events that were lost, guessed or not understood, by input file.
    pub quality: Quality,
}

/// The processes and threads of a recording and the packages they belong to.
#[derive(Clone, Debug, Default)]
pub struct Tasks {
    /// Processes, indexed by [`crate::ProcessId`].
    pub processes: Vec<Process>,
    /// Threads, indexed by [`crate::ThreadId`]. The first is always the idle task.
    pub threads: Vec<Thread>,
    /// Installed packages.
    pub packages: Vec<Package>,
    /// Packages that were profiled.
    pub apps: Vec<NameId>,
    /// Processes of the recorder by the recording's own account, whatever their names. Their children belong to it, too.
    pub recorders: Vec<Pid>,
}

/// Suspend of the device as a whole.
#[derive(Clone, Debug, Default)]
pub struct Suspend {
    /// Whether the device was suspended (`suspend_resume`). Empty where nothing was recorded: taken as awake.
    pub suspended: Steps<bool>,
    /// Wake-ups of the device, in order of time.
    pub wakes: Vec<DeviceWake>,
}

/// Calls, samples and tests: which code ran.
#[derive(Clone, Debug, Default)]
pub struct CodeActivity {
    /// Sections and calls with beginning and end, by thread or by an owner of their own.
    pub slices: CallSlices,
    /// Places in the app's code that slices point to.
    pub sites: CodeSites,
    /// Calls known only by CPU clock counters read before and after them.
    pub clocked_calls: Vec<ClockedCall>,
    /// Sampled stacks.
    pub samples: StackSamples,
    /// Tests that ran, in order of time.
    pub tests: Vec<TestRun>,
    /// Measured costs of the probes in the app's code.
    pub probe_costs: Vec<ProbeCost>,
    /// Frames of apps and of the display, in order of the beginning of their work.
    pub frames: Vec<ScreenFrame>,
}

/// Everything in the recording that was measured or estimated as energy, power or charge.
#[derive(Clone, Debug, Default)]
pub struct EnergyReadings {
    /// Energy counters of the on-device power monitor.
    pub rails: Vec<Rail>,
    /// Batteries.
    pub batteries: Vec<BatteryTrack>,
    /// Consumers of Android's energy-estimation breakdown.
    pub consumers: Vec<EnergyConsumer>,
    /// Energies of those consumers, in order of time.
    pub consumer_samples: Vec<EnergySample>,
    /// Power measured by meters outside the device.
    pub meters: Vec<MeterTrack>,
    /// Marks written into the recording for aligning meters, in order of time.
    pub sync_marks: Vec<SyncMark>,
}

/// Activity of GPUs, TPUs, buses, network interfaces and disks.
#[derive(Clone, Debug, Default)]
pub struct HardwareActivity {
    /// GPUs.
    pub gpus: Vec<GpuTimeline>,
    /// TPU clusters.
    pub tpus: Vec<TpuTimeline>,
    /// Bus and memory clocks.
    pub devfreq: Vec<DevfreqTrack>,
    /// Network packets in order of time.
    pub packets: Vec<NetworkPacket>,
    /// Disk operations in order of their beginning.
    pub disk: Vec<DiskOperation>,
}

/// Records of the system that need no scheduler: states over time, totals of stretches of time, counters.
#[derive(Clone, Debug, Default)]
pub struct SystemRecords {
    /// States of the device and of its use by apps, by kind, scope and tag.
    pub states: Vec<StateTrack>,
    /// Totals of stretches of time, by app where known.
    pub usage: Vec<Usage>,
    /// Counters that have no field of their own.
    pub counters: Vec<CounterTrack>,
}

impl Timeline {
    /// Whether the time of threads on CPUs was inferred from samples, see [`crate::CpuTimeline::sched_is_inferred`].
    pub fn is_schedule_inferred(&self) -> bool {
        self.cpus.iter().any(|cpu| cpu.sched_is_inferred)
    }

    /// Whether the CPUs are virtual, see [`crate::CpuTimeline::is_virtual`]. Then all of them are.
    pub fn has_virtual_cpus(&self) -> bool {
        self.cpus.iter().any(|cpu| cpu.is_virtual)
    }
}
