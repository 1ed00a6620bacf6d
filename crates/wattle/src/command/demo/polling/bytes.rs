//! Bytes of calls: as they were allocated, and as they truly were.

use std::collections::HashMap;

use anyhow::Context as _;
use wattle_ledger::allocation::{
    Allocation, AllocationOptions, NamePattern, allocate, allocation_error, total_error,
};
use wattle_sim::{Truth, scenario};
use wattle_timeline::{CounterTrack, Timeline};

/// The interface that the accesses go through.
const INTERFACE: &str = "wlan0";
/// What is counted of it.
const COUNTERS: [&str; 2] = ["rx_bytes", "tx_bytes"];
/// Low-level calls that use networks begin with this; the others use files.
const NETWORK_CALLS: &str = "java.net.";

/// How polled bytes were shared among calls, and how far from the truth.
#[derive(Clone, Copy, Debug)]
pub struct SharedBytes {
    /// What the counters rose by.
    pub counted: f64,
    /// What calls were given.
    pub allocated: f64,
    /// What the calls moved themselves, as a hook around each sees it.
    pub hooked: f64,
    /// Error index 1 of the paper.
    pub total_error: f64,
    /// Error index 2 of the paper, in bytes squared.
    pub allocation_variance: f64,
    /// Low-level calls.
    pub calls: u64,
    /// Intervals between polls.
    pub intervals: u64,
    /// Those in which something was counted while nobody called.
    pub without_call: u64,
}

impl SharedBytes {
    /// Shares the interface's bytes of a timeline and holds them against the simulator's.
    pub fn new(timeline: &Timeline, truth: &Truth) -> anyhow::Result<Self> {
        let calls = scenario::WEB_CALLS.iter().filter(|name| name.starts_with(NETWORK_CALLS));
        let options = AllocationOptions::new(calls.map(|name| NamePattern::new(name)));
        let mut allocations = Vec::new();
        for counter in COUNTERS {
            allocations.push(allocate(timeline, track(timeline, counter)?, &options));
        }
        let sum = |of: fn(&Allocation) -> f64| allocations.iter().map(of).sum::<f64>();
        let (counted, allocated) = (sum(|it| it.counted), sum(Allocation::allocated));
        let pairs = pairs(timeline, truth, &allocations)?;
        let first = allocations.first().context("expected a counter")?;
        Ok(Self {
            counted,
            allocated,
            hooked: pairs.iter().map(|(hooked, _)| hooked).sum(),
            total_error: total_error(counted, allocated)
                .with_context(|| format!("expected bytes through {INTERFACE}, none was counted"))?,
            allocation_variance: allocation_error(pairs)
                .context("expected low-level calls in the trace, found none")?,
            calls: first.calls.len() as u64,
            intervals: first.intervals,
            without_call: allocations.iter().map(|it| it.without_call).max().unwrap_or_default(),
        })
    }
}

fn track<'a>(timeline: &'a Timeline, counter: &str) -> anyhow::Result<&'a CounterTrack> {
    let name = format!("net.{INTERFACE}.{counter}");
    let id = timeline.names.find(&name);
    let track = timeline.counters.iter().find(|track| Some(track.name) == id);
    track.with_context(|| format!("expected the counter {name} in the recording"))
}

/// By call: bytes in both directions as a hook sees them, and as allocated.
fn pairs(
    timeline: &Timeline,
    truth: &Truth,
    allocations: &[Allocation],
) -> anyhow::Result<Vec<(f64, f64)>> {
    let mut hooked: HashMap<(u32, i64), f64> = truth
        .bytes
        .calls
        .iter()
        .filter(|call| call.device == INTERFACE)
        .filter(|call| call.path.last().is_some_and(|name| name.starts_with(NETWORK_CALLS)))
        .map(|call| ((call.tid, call.begin.value()), call.own.total() as f64))
        .collect();
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    for (nth, allocation) in allocations.iter().enumerate() {
        for (at, call) in allocation.calls.iter().enumerate() {
            if nth == 0 {
                let tid = timeline.threads.get(call.thread.index()).map(|thread| thread.tid.0);
                let begin = call.window.start.value();
                // A call that moved nothing is not in the truth.
                let own = tid.and_then(|tid| hooked.remove(&(tid, begin))).unwrap_or_default();
                pairs.push((own, 0.0));
            }
            if let Some((_, allocated)) = pairs.get_mut(at) {
                *allocated += call.amount;
            }
        }
    }
    anyhow::ensure!(
        hooked.is_empty(),
        "expected every call of the simulator in the trace, {} of {} are missing",
        hooked.len(),
        hooked.len() + pairs.len()
    );
    Ok(pairs)
}
