//! Stretches of time in which a thread does more than it should.

use serde::{Deserialize, Serialize};
use wattle_timeline::Window;
use wattle_units::{Estimate, Nanos};

use crate::CommonStack;

/// The criterion by which a region was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegionKind {
    /// Windows over a cluster of events with much CPU use and repetition.
    Cluster,
    /// One event that was very expensive: its count is 1.
    SingleEvent,
}

/// A stretch of time in which a thread used more CPU, and came back more often, than it and its process do on the whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// Whose: index into [`crate::Diagnosis::threads`].
    pub thread: u32,
    /// When.
    pub window: Window,
    /// Criterion by which it was found.
    pub kind: RegionKind,
    /// Events of the thread in it.
    pub events: u64,
    /// The thread's events among all events of its process in the window (Intel's *percent of total events*), 0 to 1.
    pub share_of_process: f64,
    /// The same among the events of all processes.
    pub share_of_machine: f64,
    /// On CPUs in it.
    pub cpu: Nanos,
    /// The same as a part of its length: 1 is one core all the time (Intel's *average CPU use*, per core).
    pub cpu_use: f64,
    /// The same as a part of all cores' time.
    pub cpu_use_of_machine: f64,
    /// Mean time from one event to the next; `None` for fewer than two events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_interval: Option<Nanos>,
    /// Standard deviation of those times by their mean; `None` for fewer than three events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval_variation: Option<f64>,
    /// The time after which events come back, where most of them do so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<Nanos>,
    /// The part of the events that come back after that time, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period_share: Option<f64>,
    /// Times per second that the thread came to a CPU after it had slept.
    pub wakeups_per_second: f64,
    /// Energy of the thread in it; `None` without energy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<Estimate>,
    /// The same by time, in watts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watts: Option<f64>,
    /// Potential saving had it slept: its energy without that which the cores would have drawn idle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saved: Option<Estimate>,
    /// Common beginning of its stacks.
    pub stack: CommonStack,
    /// Index into [`crate::Diagnosis::groups`].
    pub group: u32,
}
