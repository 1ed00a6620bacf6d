//! Choices of attribution.

use wattle_timeline::Window;

use wattle_power::ApiCosts;

use crate::{ApiSets, StretchDetail};

/// Division of power that several cores share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename_all = "kebab-case"))]
pub enum SharedPolicy {
    /// At each instant all busy cores in equal parts, as Android's own accounting does with concurrent
    /// time.
    #[default]
    Proportional,
    /// Not divided: it goes to *unattributed*.
    None,
    /// The core that has been busy for longest: the one whose work keeps the others' block awake.
    FirstWaker,
}

impl SharedPolicy {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Proportional, Self::None, Self::FirstWaker];

    /// The word in flags and files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Proportional => "proportional",
            Self::None => "none",
            Self::FirstWaker => "first-waker",
        }
    }
}

impl std::fmt::Display for SharedPolicy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

impl std::str::FromStr for SharedPolicy {
    type Err = crate::LedgerError;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|policy| policy.name() == word)
            .ok_or_else(|| crate::LedgerError::UnknownPolicy { found: word.to_owned() })
    }
}

/// The measure by which a radio's or a storage's energy is divided among calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Prefer {
    /// The bytes that probes saw calls move, where they saw any; else time.
    #[default]
    Split,
    /// The time for which calls ran, whatever probes saw (Hitani et al., equation 2). Also what probes do not see
    /// (headers, repeats, calls without probes) is shared out.
    Total,
}

/// The source of a thread's call paths, where it has both calls that were recorded from entry to exit and samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Stacks {
    /// Calls of threads with probes or a method trace, samples of other threads that have some, else calls.
    #[default]
    Auto,
    /// Calls only.
    Calls,
    /// Samples of all threads that have some.
    Samples,
}

/// The evidence by which the energy of hardware other than cores is divided among its users.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HardwareEvidence {
    /// Calls that use hardware by name, else what the recording says otherwise: the app in front, busy cores, waits, packets.
    #[default]
    All,
    /// Calls and the system's own accounts alone; the rest is unattributed.
    Calls,
}

/// The length of a slice whose end is not recorded, because it ran when recording stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unfinished {
    /// As long as the timeline has it. Of a recording that was read, that is until the last event of its CPU, too; the idle task's is
    /// until the end of the recording.
    #[default]
    UntilEnd,
    /// Until the last event of its CPU; what the core drew after that is *unattributed*. Comes closest to tools that
    /// leave such slices out (Wattson).
    UntilLastEvent,
}

/// The programs that record on the device, by the last part of their process's name.
const RECORDERS: [&str; 28] = [
    // Android.
    "traced",
    "traced_probes",
    "traced_perf",
    "traced_relay",
    "tracebox",
    "heapprofd",
    "perfetto",
    "atrace",
    "logcat",
    "simpleperf",
    // Linux.
    "perf",
    "trace-cmd",
    // Windows.
    "perfview",
    "perfview64",
    "perfviewcollect",
    "xperf",
    "wpr",
    "wprui",
    "logman",
    "tracelog",
    "uiforetw",
    "presentmon",
    // Intel's.
    "socwatch",
    "socwatch64",
    "vtune",
    "amplxe-runss",
    "amplxe-cl",
    "power_gadget",
];

/// Choices of [`crate::attribute`].
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "independent choices, each set by its name")]
pub struct AttributionOptions {
    /// The stretch of time to account for. Default is the whole timeline.
    pub window: Option<Window>,
    /// Who pays for shared power. Default is [`SharedPolicy::Proportional`].
    pub shared: SharedPolicy,
    /// Processes that only run because somebody records: what they draw is *profiling overhead*. Compared
    /// with the last part of the process's name (`/system/bin/traced_probes`), arguments, `.exe` and the case of letters left
    /// aside; in lower case. Default is the recorders of Android, Linux and Windows, Perfetto's and PerfView among them.
    pub recorders: Vec<String>,
    /// Number of worker threads. Default is 0: as many as the machine has. The result does not
    /// depend on it.
    pub threads: usize,
    /// The length of unfinished slices. Default is [`Unfinished::UntilEnd`].
    pub unfinished: Unfinished,
    /// Whether upper bounds also carry what Navitas shows, which is wrong by a factor of a hundred. Default is `false`.
    pub legacy: bool,
    /// Number of bins of the power series. Default is 600.
    pub bins: u32,
    /// The measure that divides an interval among its calls. Default is [`Prefer::Split`].
    pub prefer: Prefer,
    /// Which calls use which hardware. Default is [`ApiSets::built_in`].
    pub api_sets: ApiSets,
    /// Costs of calls into the framework. Default is `None`: [`wattle_power::ApiCosts::library`], which is read only where a recording has
    /// such calls.
    pub api_costs: Option<ApiCosts>,
    /// Whether quantiles are also made of slices of which no place in the code is known. Default is `false`.
    pub all_call_stats: bool,
    /// The source of call paths. Default is [`Stacks::Auto`].
    pub stacks: Stacks,
    /// The evidence by which hardware other than cores is divided. Default is [`HardwareEvidence::All`].
    pub hardware: HardwareEvidence,
    /// The detail in which the ledger also says what paths drew when. Default is [`StretchDetail::None`].
    pub stretches: StretchDetail,
    /// Whether the ledger also has the energy of its entries over time ([`crate::EnergyBins`]), from which a page answers any selection.
    /// Default is `false`.
    pub keep_energy_bins: bool,
    /// Whether the ledger also has what happened when ([`crate::TimeTracks`]): clocks, running threads, slices, rails, frames, battery,
    /// wakelocks. Default is `false`.
    pub keep_tracks: bool,
    /// Whether the ledger also has why threads did not run ([`crate::WaitEntry`]). Default is `false`.
    pub keep_waits: bool,
}

impl Default for AttributionOptions {
    fn default() -> Self {
        Self {
            window: None,
            shared: SharedPolicy::default(),
            recorders: RECORDERS.map(str::to_owned).to_vec(),
            threads: 0,
            unfinished: Unfinished::default(),
            legacy: false,
            bins: 600,
            prefer: Prefer::default(),
            api_sets: ApiSets::built_in().clone(),
            api_costs: None,
            all_call_stats: false,
            stacks: Stacks::default(),
            hardware: HardwareEvidence::default(),
            stretches: StretchDetail::None,
            keep_energy_bins: false,
            keep_tracks: false,
            keep_waits: false,
        }
    }
}
