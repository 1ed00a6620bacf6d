//! The ledger and its parts.

use wattle_power::{
    BatteryFacts, BatterySummary, ErrorModel, InputStatement, ModelFacts, ModelSpread, RailSummary,
};
use wattle_timeline::{DeviceFacts, Quality, Window};

use crate::{
    Account, ApiSheet, ArtifactEntry, Booking, CallStats, Closure, ComponentEntry, CoverageEntry,
    CpuEntry, EnergyBins, EnergyCoverage, FrameEntry, InlinedEntry, MeterIntervals, NoWaits,
    PackageEntry, PathEntry, PowerBins, PowerSeries, ProbeOverhead, ProcessEntry, Sampling,
    SharedPolicy, SiteEntry, SpanBooking, SpanEntry, Stretch, TestBooking, TestEntry,
    TestMethodEntry, ThreadEntry, TimeTracks, TransferEntry, UpperBounds, WaitEntry,
};

/// The name and version of the file format. Figures of two versions are not compared.
pub const SCHEMA: &str = "wattle-ledger/1";

/// The result of attribution: every joule of every power track, attributed to exactly one account.
///
/// [`bookings`](Self::bookings) are the entries proper. They point to [`rows`](Self::rows) (accounts, components) and to the error
/// sources of [`power`](Self::power). The other parts are facts about the recording and views that stand beside the entries. In a
/// file all parts share one level of keys (`docs/ledger-format.md`).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(transform = crate::file_keys::flatten_parts)
)]
pub struct Ledger {
    /// The recording that the ledger was made from.
    pub recording: RecordingFacts,
    /// The models and meters behind the power tracks, and their errors.
    pub power: PowerFacts,
    /// The rows that entries and other rows point to.
    pub rows: LedgerRows,
    /// Entries, in ascending order of account, component, charge and source.
    #[cfg_attr(feature = "schema", schemars(with = "crate::booking::columns::Columns"))]
    pub bookings: Vec<Booking>,
    /// The energy of tests that ran.
    pub test_runs: TestRuns,
    /// The energy of frames, app starts, user journeys, foreground and background.
    pub spans: SpanSheet,
    /// Power over time.
    pub over_time: PowerOverTime,
    /// Figures beside the ledger, none of which is an entry.
    pub sheets: Sheets,
    /// Difference between the total of each component and the integral of its tracks.
    pub closure: Vec<Closure>,
    /// Events that were lost, values that were guessed and input that was not understood.
    pub quality: Quality,
}

/// Facts about the recording behind a ledger.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct RecordingFacts {
    /// The input files.
    pub artifacts: Vec<ArtifactEntry>,
    /// The recorded device.
    pub device: DeviceFacts,
    /// The packages that the recording was made of, where it names them.
    pub apps: Vec<String>,
    /// The period that the ledger covers.
    pub window: Window,
    /// Whether there was a scheduler trace.
    pub has_scheduler: bool,
}

/// Models and meters behind the power tracks.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct PowerFacts {
    /// The model behind the CPU's tracks; `None` when none applies.
    pub model: Option<ModelFacts>,
    /// Totals according to the other applicable models.
    pub spread: Vec<ModelSpread>,
    /// Errors of the model's numbers, which every interval is computed from.
    pub errors: ErrorModel,
    /// The division of shared power: `proportional`, `none`, `first-waker`.
    #[cfg_attr(feature = "schema", schemars(with = "SharedPolicy"))]
    pub shared_policy: String,
    /// The totals of each power rail.
    pub rails: Vec<RailSummary>,
    /// The battery's discharge; `None` without battery counters.
    pub battery: Option<BatterySummary>,
    /// Capacity and voltage of the battery.
    pub battery_facts: BatteryFacts,
    /// The components and the time that the total covers; `None` without energy, and in files of earlier versions.
    pub coverage: Option<EnergyCoverage>,
    /// Energies that the input itself states.
    pub statements: Vec<InputStatement>,
}

impl Default for PowerFacts {
    fn default() -> Self {
        Self {
            model: None,
            spread: Vec::new(),
            errors: ErrorModel::default(),
            shared_policy: SharedPolicy::default().name().to_owned(),
            rails: Vec::new(),
            battery: None,
            battery_facts: BatteryFacts::default(),
            coverage: None,
            statements: Vec::new(),
        }
    }
}

/// Tables of a ledger whose rows are referred to by index.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct LedgerRows {
    /// Consumers of energy.
    pub accounts: Vec<Account>,
    /// Components with power tracks. Empty where energy cannot be estimated.
    pub components: Vec<ComponentEntry>,
    /// CPUs.
    pub cpus: Vec<CpuEntry>,
    /// Processes.
    pub processes: Vec<ProcessEntry>,
    /// Packages of the apps to which energy is attributed as a whole.
    pub packages: Vec<PackageEntry>,
    /// Threads.
    pub threads: Vec<ThreadEntry>,
    /// Call paths.
    pub paths: Vec<PathEntry>,
    /// Places in the app's code that paths refer to.
    pub sites: Vec<SiteEntry>,
    /// Methods that a shrinker inlined around a site, in order of sites, the method that makes the call first.
    pub inlined: Vec<InlinedEntry>,
    /// Frames of sampled stacks that paths refer to.
    pub frames: Vec<FrameEntry>,
}

/// Energy and methods of the tests that ran.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct TestRuns {
    /// Tests that ran, in order of time.
    pub tests: Vec<TestEntry>,
    /// The energy of the period of each test, by test, component and source in ascending order.
    #[cfg_attr(feature = "schema", schemars(with = "crate::test_entry::columns::Columns"))]
    pub bookings: Vec<TestBooking>,
    /// The methods that ran during each test, by test and site in ascending order.
    pub methods: Vec<TestMethodEntry>,
}

/// Named stretches of time of apps, and their energy.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct SpanSheet {
    /// Stretches by kind (frames last), each kind in order of time, and after each kind its sums.
    pub entries: Vec<SpanEntry>,
    /// Their energy by stretch, consumer, component and source in ascending order. For each kind that occurs, its named entries and the
    /// one *outside*, less the one *repeated*, are the entries of the ledger.
    #[cfg_attr(feature = "schema", schemars(with = "crate::spans::columns::Columns"))]
    pub bookings: Vec<SpanBooking>,
}

/// Power over time.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct PowerOverTime {
    /// The time axis of `series`.
    pub bins: PowerBins,
    /// Mean power of each component in each bin.
    pub series: Vec<PowerSeries>,
    /// The energy of call paths over time, by start, if requested ([`crate::AttributionOptions::stretches`]). The entries
    /// contain all of it, too.
    #[cfg_attr(feature = "schema", schemars(with = "crate::stretch::columns::Columns"))]
    pub stretches: Vec<Stretch>,
    /// The energy of entries over time, if requested ([`crate::AttributionOptions::keep_energy_bins`]); absent in files of earlier versions.
    pub energy: Option<EnergyBins>,
    /// When the meters were read, if the energy over time was requested.
    pub meter_intervals: Vec<MeterIntervals>,
    /// Tracks over time, if requested ([`crate::AttributionOptions::keep_tracks`]); absent in files of earlier versions.
    pub tracks: Option<TimeTracks>,
}

/// Figures beside the ledger: how it was made, and bounds and costs that are not energy of power tracks.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct Sheets {
    /// The stack samples that call paths were made from; `None` without samples.
    pub sampling: Option<Sampling>,
    /// The share of the probed code that ran, by class in order of names; empty without a probe map.
    pub coverage: Vec<CoverageEntry>,
    /// The costs of framework calls according to tables.
    pub apis: ApiSheet,
    /// Quantiles of the energy of single calls, in order of name and site.
    pub call_stats: Vec<CallStats>,
    /// Bytes of interfaces and disks, and the calls they were allocated to, over the whole recording.
    pub transfers: Vec<TransferEntry>,
    /// The cost of the probes in an app's code; `None` without probes.
    pub probes: Option<ProbeOverhead>,
    /// Upper bounds of calls for which only the CPUs' clocks are known; `None` without such calls.
    pub upper_bounds: Option<UpperBounds>,
    /// Why threads did not run, most time first, if requested ([`crate::AttributionOptions::keep_waits`]).
    pub waits: Vec<WaitEntry>,
    /// Waits that are not counted, because events of some CPU are missing meanwhile: the thread may have run there.
    pub doubtful_waits: u64,
    /// Why nothing is known of waits; `None` where they are known, or were not requested.
    pub no_waits: Option<NoWaits>,
}

impl Ledger {
    /// A ledger without rows and entries.
    pub fn empty(window: Window) -> Self {
        let bins = PowerBins { start: window.start, ..PowerBins::default() };
        Self {
            recording: RecordingFacts { window, ..RecordingFacts::default() },
            power: PowerFacts::default(),
            rows: LedgerRows::default(),
            bookings: Vec::new(),
            test_runs: TestRuns::default(),
            spans: SpanSheet::default(),
            over_time: PowerOverTime { bins, ..PowerOverTime::default() },
            sheets: Sheets::default(),
            closure: Vec::new(),
            quality: Quality::default(),
        }
    }
}
