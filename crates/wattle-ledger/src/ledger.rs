//! The ledger.

use serde::{Deserialize, Serialize};
use wattle_power::{
    BatteryFacts, BatterySummary, ErrorModel, ModelFacts, ModelSpread, RailSummary,
};
use wattle_timeline::{DeviceFacts, Quality, Window};

use crate::{
    Account, ApiSheet, ArtifactEntry, Booking, CallStats, Closure, ComponentEntry, CoverageEntry,
    CpuEntry, FrameEntry, InlinedEntry, PackageEntry, PathEntry, PowerBins, PowerSeries,
    ProbeOverhead, ProcessEntry, Sampling, SiteEntry, Stretch, TestBooking, TestEntry,
    TestMethodEntry, ThreadEntry, TransferEntry, UpperBounds,
};

/// The name and version of the file format. Figures of two versions are not compared.
pub const SCHEMA: &str = "wattle-ledger/1";

/// The result: every joule of every power track, booked to exactly one account.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// [`SCHEMA`].
    pub schema: String,
    /// What the recording was made of.
    pub artifacts: Vec<ArtifactEntry>,
    /// The device that made it.
    pub device: DeviceFacts,
    /// The packages that the recording was made of, where it says so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub apps: Vec<String>,
    /// The stretch of time that is accounted for.
    pub window: Window,
    /// The model behind the CPU's tracks; `None` when none applies.
    pub model: Option<ModelFacts>,
    /// How shared power was divided: `proportional`, `none`, `first-waker`.
    pub shared_policy: String,
    /// Whether there was a scheduler trace.
    pub has_scheduler: bool,
    /// Components with power tracks. Empty: there is no energy to speak of.
    pub components: Vec<ComponentEntry>,
    /// Processes.
    pub processes: Vec<ProcessEntry>,
    /// Packages of the apps that pay as a whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<PackageEntry>,
    /// Threads.
    pub threads: Vec<ThreadEntry>,
    /// Call paths.
    pub paths: Vec<PathEntry>,
    /// Places in the app's code that paths are of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<SiteEntry>,
    /// What a shrinker put in the place of its call around a site, in order of sites, the method that makes the call first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inlined: Vec<InlinedEntry>,
    /// Frames of sampled stacks that paths are of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<FrameEntry>,
    /// The samples that paths were made from; `None` where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<Sampling>,
    /// What paths drew over time, by start, if that was asked for ([`crate::AttributionOptions::keep_stretches`]). All of it is in
    /// the bookings, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "crate::stretch::columns")]
    pub stretches: Vec<Stretch>,
    /// How much of the probed code ran, by class in order of names; empty where no probe map is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coverage: Vec<CoverageEntry>,
    /// What calls into the framework cost by tables. Beside the ledger: nothing of it is booked.
    #[serde(default, skip_serializing_if = "ApiSheet::is_empty")]
    pub api_sheet: ApiSheet,
    /// What single calls drew, in order of name and site.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub call_stats: Vec<CallStats>,
    /// Accounts.
    pub accounts: Vec<Account>,
    /// The lines.
    #[serde(with = "crate::booking::columns")]
    pub bookings: Vec<Booking>,
    /// Tests that ran, in order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<TestEntry>,
    /// What was drawn in their time, by test, component and source in ascending order.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "crate::test_entry::columns")]
    pub test_bookings: Vec<TestBooking>,
    /// Which methods ran in the time of which test, by test and site in ascending order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub test_methods: Vec<TestMethodEntry>,
    /// Bytes of interfaces and disks, and what calls were given of them, over the whole recording.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transfers: Vec<TransferEntry>,
    /// The probes in an app's code; `None` where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probes: Option<ProbeOverhead>,
    /// The most that calls can have cost of which only the CPUs' clocks are known; `None` where there are no such calls. Beside the
    /// ledger: nothing of it is booked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper_bounds: Option<UpperBounds>,
    /// How wrong they can be.
    pub errors: ErrorModel,
    /// CPUs.
    pub cpus: Vec<CpuEntry>,
    /// Rails.
    pub rails: Vec<RailSummary>,
    /// Battery.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub battery: Option<BatterySummary>,
    /// What is known of the battery itself.
    #[serde(default, skip_serializing_if = "BatteryFacts::is_empty")]
    pub battery_facts: BatteryFacts,
    /// Other models' word.
    pub spread: Vec<ModelSpread>,
    /// Time axis of `series`.
    pub bins: PowerBins,
    /// Power over time by component.
    pub series: Vec<PowerSeries>,
    /// How well each component closes.
    pub closure: Vec<Closure>,
    /// What was lost, guessed or not understood.
    pub quality: Quality,
}
