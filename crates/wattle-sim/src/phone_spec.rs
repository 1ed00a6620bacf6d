//! Specification of a simulated phone.

use wattle_units::{Hertz, Nanos, Volts, Watts};

/// One line of a cluster's power curve. The four powers are those of Wattson's `cpu_1d.csv`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// The frequency at which they hold.
    pub frequency: Hertz,
    /// Power of the cluster, drawn once, while any of its cores is not in the deepest idle state.
    pub static_power: Watts,
    /// Power of a core while it executes.
    pub active: Watts,
    /// Power of a core in idle state 0 (clock gated).
    pub idle0: Watts,
    /// Power of a core in idle state 1 (power gated).
    pub idle1: Watts,
}

/// Cores that share a clock and a supply: a cpufreq policy.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterSpec {
    /// Number of cores. They get the kernel's numbers in order of the clusters.
    pub cores: u32,
    /// The power curve that the *device model* believes in, ascending in frequency, at least one point.
    /// The true power of this one phone follows from it and from the drawn errors.
    pub curve: Vec<CurvePoint>,
    /// Time that a core needs to come out of idle state 1, drawing active power, before the kernel can write that it
    /// did. Wattson calls it the deep idle offset.
    pub deep_idle_exit: Nanos,
    /// Work done per clock cycle compared with a little core.
    pub work_per_cycle: f64,
}

/// The clock that a rail's samples are stamped with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RailClock {
    /// Boot time, in the milliseconds of `EnergyData.timestamp_ms`.
    BootMillis,
    /// Boot time, on the packet, in nanoseconds.
    Boot,
    /// `CLOCK_MONOTONIC_RAW`, on the packet: a clock that starts elsewhere and runs at another speed. The
    /// trace's clock snapshots tell how to convert it.
    MonotonicRaw,
}

/// Load of a rail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RailLoad {
    /// A cluster with its cores, by index into [`PhoneSpec::clusters`].
    Cluster(usize),
    /// A device beside the processor.
    Device(crate::Device),
    /// Something outside of the processor that draws the same all the time.
    Constant(Watts),
}

/// A metered supply rail.
#[derive(Clone, Debug, PartialEq)]
pub struct RailSpec {
    /// The monitor's name (`S2M_VDD_CPUCL2`).
    pub name: String,
    /// The subsystem it names (`CPU(BIG)`).
    pub subsystem: String,
    /// Loads that it supplies.
    pub loads: Vec<RailLoad>,
    /// Time between two samples.
    pub period: Nanos,
    /// Standard deviation of the error of each reading of the counter, in microwatt-seconds.
    pub noise_microjoules: f64,
    /// Step of the counter in microwatt-seconds; readings are rounded down to it. At least 1.
    pub quantum_microjoules: u64,
    /// Reading of the counter when the trace began, in microwatt-seconds.
    pub start_microjoules: u64,
    /// The clock of its stamps.
    pub clock: RailClock,
    /// Delay of the stamps behind the instant of the reading, without anybody knowing.
    pub stamp_error: Nanos,
}

/// Form in which the maker reports the battery's current.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurrentReading {
    /// Microamperes, negative while discharging: what Android asks for.
    Android,
    /// Microamperes, positive while discharging.
    Inverted,
    /// Milliamperes, negative while discharging.
    Milliamperes,
}

/// The battery and its gauge.
#[derive(Clone, Debug, PartialEq)]
pub struct BatterySpec {
    /// Voltage at full charge under no load.
    pub voltage: Volts,
    /// Time between two polls.
    pub period: Nanos,
    /// Form in which the current is reported.
    pub reading: CurrentReading,
    /// Power of the phone beside processor and rails: display, radios, memory, losses.
    pub rest: Watts,
    /// Power that a charger gives, which the phone takes first. None for most recordings.
    pub charger: Watts,
    /// Charge when full, in coulombs.
    pub capacity_coulombs: f64,
    /// Charge when the trace begins, in coulombs.
    pub charge_coulombs: f64,
}

impl BatterySpec {
    /// The current out of the battery, in amperes, at a mean power of the phone; negative while it is charged.
    pub fn amperes(&self, watts: f64) -> f64 {
        (watts - self.charger.value()) / self.volts(watts)
    }

    /// The voltage under a load, in volts.
    pub fn volts(&self, watts: f64) -> f64 {
        let open = self.voltage.value();
        open - RESISTANCE * (watts - self.charger.value()) / open
    }
}

/// Inner resistance of a battery in ohms.
const RESISTANCE: f64 = 0.08;

/// Properties that the phone reports of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceSpec {
    /// `ro.build.fingerprint`.
    pub fingerprint: String,
    /// `ro.product.manufacturer`.
    pub manufacturer: String,
    /// `ro.soc.model`.
    pub soc: String,
    /// Android SDK level.
    pub sdk: u32,
    /// Kernel release.
    pub kernel: String,
}

/// Information in a trace on the frequencies that held when it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InitialFrequency {
    /// A `cpu_frequency` event for every CPU at the very start, beside the poll.
    #[default]
    Events,
    /// A poll by `sys_stats`, once: how Perfetto is configured for power traces.
    Poll,
    /// Nothing: a reader has to guess until the first change.
    Untold,
}

/// Settings of the phone's recorder.
#[derive(Clone, Debug, PartialEq)]
pub struct RecorderSpec {
    /// Write `sched_switch` and `sched_waking` in the compact form (Perfetto's default since Android 11).
    pub compact_sched: bool,
    /// Write `cpu_idle` events. Without them a reader has to infer idle from the idle task.
    pub cpu_idle: bool,
    /// Source from which a reader learns the frequencies that held when the trace began.
    pub initial_frequency: InitialFrequency,
    /// Time between two clock snapshots.
    pub snapshot_period: Nanos,
    /// Drift of `CLOCK_MONOTONIC_RAW` against boot time, in parts per million.
    pub raw_clock_skew_ppm: f64,
    /// Offset of `CLOCK_MONOTONIC_RAW` behind boot time when the trace begins.
    pub raw_clock_offset: Nanos,
    /// Longest time that events of a CPU stay in its buffer before they are written as one bundle.
    pub bundle_period: Nanos,
}

/// A simulated phone.
#[derive(Clone, Debug, PartialEq)]
pub struct PhoneSpec {
    /// Properties that it reports of itself.
    pub device: DeviceSpec,
    /// Its clusters, in order of CPU numbers. At most 64 CPUs in all.
    pub clusters: Vec<ClusterSpec>,
    /// Its metered rails; none on most phones.
    pub rails: Vec<RailSpec>,
    /// Loads beside the processor that no meter shows, which the battery supplies like those of rails.
    pub unmetered: Vec<RailLoad>,
    /// Brightness of the screen as a share of the full one; `None` lets the seed choose.
    pub brightness: Option<f64>,
    /// Its battery; `None` writes no battery counters.
    pub battery: Option<BatterySpec>,
    /// Settings of its recorder.
    pub recorder: RecorderSpec,
}

impl Default for RecorderSpec {
    fn default() -> Self {
        Self {
            compact_sched: true,
            cpu_idle: true,
            initial_frequency: InitialFrequency::Events,
            snapshot_period: Nanos::new(1_000_000_000),
            raw_clock_skew_ppm: 18.0,
            raw_clock_offset: Nanos::new(7_340_000_123),
            bundle_period: Nanos::new(100_000_000),
        }
    }
}

impl PhoneSpec {
    /// Number of CPUs.
    pub fn cpus(&self) -> u32 {
        self.clusters.iter().map(|cluster| cluster.cores).sum()
    }

    /// The same phone without rails: the common case, where only a model is left. It draws as much as before.
    #[must_use]
    pub fn without_rails(mut self) -> Self {
        let loads = self.rails.drain(..).flat_map(|rail| rail.loads);
        self.unmetered.extend(loads.filter(|load| !matches!(load, RailLoad::Cluster(_))));
        self
    }

    /// All loads beside the processor, metered or not.
    pub(crate) fn loads_beside(&self) -> impl Iterator<Item = &RailLoad> {
        let metered = self.rails.iter().flat_map(|rail| &rail.loads);
        metered.chain(&self.unmetered).filter(|load| !matches!(load, RailLoad::Cluster(_)))
    }

    /// The kernel's number of a cluster's first CPU, which is also the number of its cpufreq policy.
    pub(crate) fn first_cpu(&self, cluster: usize) -> u32 {
        self.clusters.iter().take(cluster).map(|cluster| cluster.cores).sum()
    }
}
