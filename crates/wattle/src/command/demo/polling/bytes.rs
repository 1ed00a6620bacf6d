//! Bytes of calls in both ways: shared from polled counters, and as hooks around the calls saw them.

use anyhow::Context as _;
use wattle_ledger::allocation::{
    Allocation, AllocationOptions, Comparison, NamePattern, allocate, by_bytes,
};
use wattle_sim::scenario;
use wattle_timeline::{CounterTrack, Timeline};

/// The interface that the accesses go through.
const INTERFACE: &str = "wlan0";
/// The counter.
const COUNTERS: [&str; 2] = ["rx_bytes", "tx_bytes"];
/// Low-level calls that use networks begin with this; the others use files.
const NETWORK_CALLS: &str = "java.net.";

/// The attribution of polled bytes to calls, and its error.
#[derive(Clone, Copy, Debug)]
pub struct SharedBytes {
    /// The increase of the counters.
    pub counted: f64,
    /// The bytes attributed to calls.
    pub allocated: f64,
    /// The true bytes of the calls, as counted by a hook around each.
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
    /// Shares the interface's bytes of a timeline and holds them against what hooks saw.
    pub fn new(timeline: &Timeline) -> anyhow::Result<Self> {
        let calls = scenario::WEB_CALLS.iter().filter(|name| name.starts_with(NETWORK_CALLS));
        let options = AllocationOptions::new(calls.map(|name| NamePattern::new(name)));
        let mut shared = Vec::new();
        for counter in COUNTERS {
            shared.push(allocate(timeline, track(timeline, counter)?, &options));
        }
        // Both directions at once; also of calls before the first poll, of which the counters know nothing.
        let hooked = by_bytes(timeline, None, &options)
            .context("expected bytes of low-level calls in the trace, found none")?;
        let found = Comparison::new(&shared, &[hooked]);
        let first: &Allocation = shared.first().context("expected a counter")?;
        Ok(Self {
            counted: found.counted,
            allocated: found.shared,
            hooked: found.hooked,
            total_error: found
                .shared_error
                .with_context(|| format!("expected bytes through {INTERFACE}, none was counted"))?,
            allocation_variance: found
                .allocation_error
                .context("expected low-level calls in the trace, found none")?,
            calls: found.calls,
            intervals: first.intervals,
            without_call: shared.iter().map(|it| it.without_call).max().unwrap_or_default(),
        })
    }
}

fn track<'a>(timeline: &'a Timeline, counter: &str) -> anyhow::Result<&'a CounterTrack> {
    let name = format!("net.{INTERFACE}.{counter}");
    let id = timeline.names.find(&name);
    let track = timeline.system.counters.iter().find(|track| Some(track.name) == id);
    track.with_context(|| format!("expected the counter {name} in the recording"))
}
