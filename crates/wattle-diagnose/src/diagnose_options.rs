//! Options of a diagnosis.

use serde::{Deserialize, Serialize};
use wattle_timeline::Window;
use wattle_units::Nanos;

use crate::{IdleChoice, ProcessChoice};

/// Choices of [`crate::diagnose`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DiagnoseOptions {
    /// Whose threads are looked at. Empty: the processes of the apps that the recording was made of, else all but the idle one and the recorder's own.
    pub processes: Vec<ProcessChoice>,
    /// The stretch of time to look at. Default is all.
    pub window: Option<Window>,
    /// When the app should have done nothing. Default is to find out.
    pub idle: IdleChoice,
    /// Options for finding regions.
    pub regions: RegionOptions,
    /// Options for comparing stacks.
    pub stacks: StackOptions,
    /// Which rules look, and from where on they speak.
    pub rules: RuleOptions,
    /// Choice of what is looked for. Default is everything.
    pub parts: DiagnosisParts,
}

/// Parts of a diagnosis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DiagnosisParts {
    /// Regions and findings.
    #[default]
    All,
    /// Findings only: regions, stacks, disk operations and the chart are empty, and threads have no energy.
    Findings,
}

/// Options for finding regions. The paper gives no numbers; these are ours.
///
/// Means are taken over all of the time that is looked at, the thread's silence included, and per core: 1 is one core all the
/// time. A thread that is at it all the time is no busier than its own mean, so windows also qualify by what no thread needs at
/// idle, and by wake-ups that come back like clockwork.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RegionOptions {
    /// A cluster ends where the next event is further away than this. Default is 10 ms.
    pub cluster_gap: Nanos,
    /// … and than this many times the thread's median time between events. Default is 5.
    pub cluster_gap_medians: f64,
    /// Length of the sliding window. Default is 100 ms.
    pub window: Nanos,
    /// Part of a window that the next one covers again, 0 to 0.95. Default is 0.5.
    pub overlap: f64,
    /// A window qualifies with this many times the thread's mean CPU use, at least. Default is 1.5.
    pub thread_factor: f64,
    /// … and this many times the process's mean CPU use (of one thread), at least. Default is 1.
    pub process_factor: f64,
    /// … and this many times the thread's mean rate of events, at least. Default is 1.
    pub repetition_factor: f64,
    /// An event by itself is a region from this many standard deviations above the mean of the thread's events on. Default is 3.
    pub single_deviations: f64,
    /// … and from this many times that mean on. Default is 5.
    pub single_factor: f64,
    /// Windows that the thread used less CPU in than this do not qualify by use. Default is 0.01 of one core.
    pub least_cpu_use: f64,
    /// … nor do those with fewer events, against the means. Default is 5.
    pub least_events: u32,
    /// … nor those whose events are within this many standard deviations of what chance makes of the thread's mean rate. Default
    /// is 4.
    pub significance: f64,
    /// A window with this CPU use qualifies whatever the means are. Default is 0.5 of one core.
    pub hot_cpu_use: f64,
    /// … and so does one with this many events each second. Default is 250.
    pub storm_rate: f64,
    /// Wake-ups are regular where so many times between them, one after another … Default is 30.
    pub regular_events: u32,
    /// … are, in this part of them … Default is 0.6.
    pub regular_share: f64,
    /// … no further from their median than this part of it … Default is 0.25.
    pub regular_tolerance: f64,
    /// … which is no longer than this. Default is 100 ms.
    pub longest_period: Nanos,
    /// An event by itself is a region from this length on only. Default is 20 ms.
    pub single_least: Nanos,
    /// Number of regions shown, those with the highest CPU use first; others are counted in a note. Default is 1000.
    pub most_regions: u32,
}

impl Default for RegionOptions {
    fn default() -> Self {
        Self {
            cluster_gap: Nanos::new(10_000_000),
            cluster_gap_medians: 5.0,
            window: Nanos::new(100_000_000),
            overlap: 0.5,
            thread_factor: 1.5,
            process_factor: 1.0,
            repetition_factor: 1.0,
            single_deviations: 3.0,
            single_factor: 5.0,
            least_cpu_use: 0.01,
            least_events: 5,
            significance: 4.0,
            hot_cpu_use: 0.5,
            storm_rate: 250.0,
            regular_events: 30,
            regular_share: 0.6,
            regular_tolerance: 0.25,
            longest_period: Nanos::new(100_000_000),
            single_least: Nanos::new(20_000_000),
            most_regions: 1000,
        }
    }
}

/// Options for comparing stacks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StackOptions {
    /// The part of the stacks that a majority prefix is of, above 0.5 to 1. Default is 0.8.
    pub majority: f64,
}

impl Default for StackOptions {
    fn default() -> Self {
        Self { majority: 0.8 }
    }
}

/// Which rules look, and from where on they speak.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RuleOptions {
    /// Only these, by id; empty is all.
    pub only: Vec<String>,
    /// Not these.
    pub skip: Vec<String>,
    /// Thresholds in the place of rules' own: `rule.threshold` and its value.
    pub thresholds: Vec<(String, f64)>,
}
