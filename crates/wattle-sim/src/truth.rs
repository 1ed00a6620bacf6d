//! Ground truth of a simulated phone, by the rules of accounting.

use std::collections::BTreeMap;

use wattle_units::{BootNanos, Joules, Nanos};

use crate::ByteTruth;

/// Energy of one account, by kind of consumption.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Charges {
    /// The cores' own power while it was on them.
    pub core: Joules,
    /// Its part of the clusters' static power.
    pub shared: Joules,
    /// From the moment a core began to leave idle until it ran there as the first task: of deep idle the exit,
    /// of any idle state what the idle task executes before it gives way (Wattson's `idle_transitions_mws`).
    pub wake: Joules,
}

impl Charges {
    /// All of it.
    pub fn total(self) -> Joules {
        self.core + self.shared + self.wake
    }
}

impl std::ops::AddAssign for Charges {
    fn add_assign(&mut self, other: Self) {
        self.core += other.core;
        self.shared += other.shared;
        self.wake += other.wake;
    }
}

/// A thread.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadTruth {
    /// Its process's name.
    pub process: String,
    /// Its process's number.
    pub pid: u32,
    /// Its name, as the kernel keeps it: 15 bytes.
    pub thread: String,
    /// Its number.
    pub tid: u32,
    /// Whether it is the recorder's: then its joules are *profiling overhead*.
    pub recorder: bool,
    /// Energy of the thread.
    pub charges: Charges,
    /// Time on a CPU, interrupts taken out.
    pub cpu: Nanos,
}

/// A method on one call path of one thread.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodTruth {
    /// The process's name.
    pub process: String,
    /// The thread's name.
    pub thread: String,
    /// The thread's number.
    pub tid: u32,
    /// Whether the thread is the recorder's.
    pub recorder: bool,
    /// The methods from the outermost to this one. Empty for time outside of any.
    pub path: Vec<String>,
    /// Self energy of the method.
    pub own: Charges,
    /// Self energy of the method: the sum of `own`.
    pub self_joules: Joules,
    /// Total energy of the method, with everything it called.
    pub total_joules: Joules,
    /// Number of entries.
    pub calls: u64,
    /// Time on a CPU while it was innermost.
    pub self_cpu: Nanos,
}

/// A cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterTruth {
    /// The number of its cpufreq policy: its first CPU.
    pub policy: u32,
    /// `∫` of its cores' own power, by core.
    pub cores: Vec<Joules>,
    /// `∫` of its static power.
    pub shared: Joules,
}

impl ClusterTruth {
    /// All that it drew.
    pub fn total(&self) -> Joules {
        self.cores.iter().copied().sum::<Joules>() + self.shared
    }
}

/// A rail.
#[derive(Clone, Debug, PartialEq)]
pub struct RailTruth {
    /// Its name.
    pub name: String,
    /// Energy that it supplied from the trace's begin to its end.
    pub joules: Joules,
    /// Energy that it supplied from its first to its last sample, without any error of the meter.
    pub sampled_joules: Joules,
    /// Energy by the counter over the same time: last minus first.
    pub counted_joules: Joules,
    /// Number of samples.
    pub samples: u64,
}

/// Energy that a process caused.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessJoules {
    /// Its name.
    pub process: String,
    /// Its number.
    pub pid: u32,
    /// Its uid.
    pub uid: u32,
    /// The energy.
    pub joules: Joules,
}

/// A device beside the processor.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceTruth {
    /// The device.
    pub device: crate::Device,
    /// All that it drew.
    pub total: Joules,
    /// Energy that it would have drawn without any app.
    pub base: Joules,
    /// Energy beyond that, by the processes that caused any.
    pub processes: Vec<ProcessJoules>,
}

/// Every joule that the simulated processor drew, with its account. Integrated at each change of any
/// state, by the machine itself and not from anything that is written to the trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Truth {
    /// When the trace begins.
    pub start: BootNanos,
    /// When it ends.
    pub end: BootNanos,
    /// `∫` of the processor's power.
    pub total: Joules,
    /// By cluster: the same energy from the hardware's side.
    pub clusters: Vec<ClusterTruth>,
    /// By thread, in the order of the workload.
    pub threads: Vec<ThreadTruth>,
    /// By thread and call path; callers before their callees.
    pub methods: Vec<MethodTruth>,
    /// Cores with nothing to run and their clusters.
    pub idle_floor: Charges,
    /// By handler; under `wake without a task` what a core drew for nothing after idle.
    pub interrupts: BTreeMap<String, Charges>,
    /// By rail.
    pub rails: Vec<RailTruth>,
    /// Energy that the battery gave, if there is one.
    pub battery: Option<Joules>,
    /// By device beside the processor; none without effects that give them a truth.
    pub devices: Vec<DeviceTruth>,
    /// Every byte that a network or a disk moved.
    pub bytes: ByteTruth,
}

impl Truth {
    /// Returns the energy of the recorder's own threads: *profiling overhead*.
    pub fn profiling_overhead(&self) -> Joules {
        self.threads.iter().filter(|t| t.recorder).map(|t| t.charges.total()).sum()
    }

    /// Returns the energy of all interrupts.
    pub fn interrupts_total(&self) -> Joules {
        self.interrupts.values().map(|charges| charges.total()).sum()
    }

    /// Returns the energy charged to first tasks for waking their cores, over all threads.
    pub fn wake_transitions(&self) -> Joules {
        self.threads.iter().map(|thread| thread.charges.wake).sum()
    }

    /// The sum over all accounts: threads, interrupts, idle floor. Equals [`Self::total`] to rounding.
    pub fn booked(&self) -> Joules {
        let threads = self.threads.iter().map(|thread| thread.charges.total());
        threads.chain([self.interrupts_total(), self.idle_floor.total()]).sum()
    }

    /// The energy of every method name wherever it was called, as a reader of slices by name sees it,
    /// without the recorder's.
    pub fn self_joules_by_method(&self) -> BTreeMap<&str, Joules> {
        let mut by_name = BTreeMap::new();
        for method in self.methods.iter().filter(|method| !method.recorder) {
            if let Some(name) = method.path.last() {
                *by_name.entry(name.as_str()).or_insert(Joules::ZERO) += method.self_joules;
            }
        }
        by_name
    }
}
