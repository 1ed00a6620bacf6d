//! The whole of it.

use crate::{
    BatteryTrack, CallSlices, ClockedCall, CodeSites, CounterTrack, CpuTimeline, DevfreqTrack,
    DeviceFacts, DeviceWake, DiskOperation, EnergyConsumer, EnergySample, GpuTimeline, MeterTrack,
    NameId, Names, NetworkPacket, Package, Pid, ProbeCost, Process, Quality, Rail, StackSamples,
    StateTrack, Steps, SyncMark, TestRun, Thread, TpuTimeline, Usage, Wakeups, Window,
};

/// Everything read from a recording, in one clock.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    /// From the first to the last event of the recording.
    pub window: Window,
    /// All strings.
    pub names: Names,
    /// The device.
    pub device: DeviceFacts,
    /// Processes, indexed by [`crate::ProcessId`].
    pub processes: Vec<Process>,
    /// Threads, indexed by [`crate::ThreadId`]. The first is always the idle task.
    pub threads: Vec<Thread>,
    /// Installed packages.
    pub packages: Vec<Package>,
    /// CPUs, indexed by [`crate::CpuId`].
    pub cpus: Vec<CpuTimeline>,
    /// Whether the device was suspended (`suspend_resume`). Empty: never said, so awake.
    pub suspended: Steps<bool>,
    /// What woke the device as a whole, in order of time.
    pub device_wakes: Vec<DeviceWake>,
    /// Who woke whom.
    pub wakeups: Wakeups,
    /// What code said it was doing.
    pub slices: CallSlices,
    /// Places in the app's code that probes stand at.
    pub code: CodeSites,
    /// Calls of which nothing is known but what the CPUs' clocks counted meanwhile.
    pub clocked_calls: Vec<ClockedCall>,
    /// Everything that was counted and has no place of its own.
    pub counters: Vec<CounterTrack>,
    /// Energy counters of the on-device power monitor.
    pub rails: Vec<Rail>,
    /// Batteries.
    pub batteries: Vec<BatteryTrack>,
    /// Consumers of Android's energy-estimation breakdown.
    pub energy_consumers: Vec<EnergyConsumer>,
    /// Their energies, in order of time.
    pub energy_samples: Vec<EnergySample>,
    /// States of the device and of what apps did with it, by kind, scope and tag.
    pub states: Vec<StateTrack>,
    /// What the system counted of stretches of time as a whole.
    pub usage: Vec<Usage>,
    /// What meters outside the device measured.
    pub meters: Vec<MeterTrack>,
    /// What was written for meters to be aligned by, in order of time.
    pub sync_marks: Vec<SyncMark>,
    /// GPUs.
    pub gpus: Vec<GpuTimeline>,
    /// TPU clusters.
    pub tpus: Vec<TpuTimeline>,
    /// Bus and memory clocks.
    pub devfreq: Vec<DevfreqTrack>,
    /// Network packets in order of time.
    pub packets: Vec<NetworkPacket>,
    /// What disks were asked for, in order of its beginning.
    pub disk: Vec<DiskOperation>,
    /// Sampled stacks.
    pub samples: StackSamples,
    /// Tests that ran, in order of time.
    pub tests: Vec<TestRun>,
    /// What the probes in the app's code cost, where that was timed.
    pub probe_costs: Vec<ProbeCost>,
    /// Processes that a recording names as the recorder's own, whatever they are called. Their children belong to them.
    pub recorders: Vec<Pid>,
    /// The packages that the recording was made of.
    pub apps: Vec<NameId>,
    /// What was lost, guessed or not understood.
    pub quality: Quality,
}

impl Timeline {
    /// Whether the time of threads on CPUs was made from samples, see [`crate::CpuTimeline::sched_is_inferred`].
    pub fn is_schedule_inferred(&self) -> bool {
        self.cpus.iter().any(|cpu| cpu.sched_is_inferred)
    }
}
