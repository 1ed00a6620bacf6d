//! What can be chosen about a diagnosis.

use serde::{Deserialize, Serialize};
use wattle_timeline::Window;
use wattle_units::Nanos;

use crate::{IdleChoice, ProcessChoice};

/// Choices of [`crate::diagnose`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DiagnoseOptions {
    /// Whose threads are looked at. Empty: the processes of the apps that the recording was made of, else all but the idle one.
    pub processes: Vec<ProcessChoice>,
    /// The stretch of time to look at. Default is all.
    pub window: Option<Window>,
    /// When the app should have done nothing. Default is to find out.
    pub idle: IdleChoice,
    /// How regions are found.
    pub regions: RegionOptions,
    /// How stacks are held together.
    pub stacks: StackOptions,
    /// Which rules look, and from where on they speak.
    pub rules: RuleOptions,
}

/// How regions are found. The paper gives no numbers; these are ours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RegionOptions {
    /// A cluster ends where the next event is further away than this. Default is 10 ms.
    pub cluster_gap: Nanos,
    /// … and than this many times the thread's median time between events. Default is 5.
    pub cluster_gap_medians: f64,
    /// Length of the sliding window. Default is 100 ms.
    pub window: Nanos,
    /// How much of a window the next one covers again, 0 to 0.95. Default is 0.5.
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
    /// Regions that the thread used less CPU in than this are not shown. Default is 0.01 of one core.
    pub least_cpu_use: f64,
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
        }
    }
}

/// How stacks are held together.
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
