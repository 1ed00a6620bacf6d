//! What probes cost the run, as a ledger keeps it.

use serde::{Deserialize, Serialize};
use wattle_timeline::{Note, Severity, Timeline};
use wattle_units::{Joules, Nanos};

use crate::burden::Burdens;
use crate::call_tree::CallTrees;
use crate::lines::Lines;
use crate::owners::Owners;
use crate::payer::Payer;

/// From this share of the app's own energy on, overhead is a warning.
const WARNING_SHARE: f64 = 0.1;

/// The probes in an app's code, inside the window.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeOverhead {
    /// How many times a probe was passed: entries and exits of methods and calls.
    pub events: u64,
    /// Those of which no cost is known, so that nothing was taken off for them.
    pub unpriced: u64,
    /// Calls with less time on a CPU than their probes cost: they have 0 left.
    pub short_calls: u64,
    /// Time on a CPU that was taken off the calls.
    pub cpu: Nanos,
    /// What a pair of probes costs, by process.
    pub costs: Vec<ProbeCostEntry>,
}

/// What a pair of probes costs, timed around nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeCostEntry {
    /// The kernel's number of the process; absent: all that have no cost of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Median on the CPU.
    pub pair: Nanos,
    /// 5th percentile.
    pub low: Nanos,
    /// 95th percentile.
    pub high: Nanos,
    /// What of the median lies inside the slice.
    pub inside: Nanos,
    /// How many pairs were timed.
    pub pairs: u32,
}

impl ProbeOverhead {
    /// `None` where no code has probes.
    pub(crate) fn new(
        timeline: &Timeline,
        burdens: &Burdens,
        calls: &CallTrees,
        probe_cpu: &[Nanos],
    ) -> Option<Self> {
        if burdens.is_empty() {
            return None;
        }
        let mut found = Self { cpu: probe_cpu.iter().copied().sum(), ..Self::default() };
        for count in calls.probes() {
            found.events += count.events;
            found.unpriced += count.unpriced;
            found.short_calls += count.short;
        }
        found.costs = timeline
            .probe_costs
            .iter()
            .map(|cost| ProbeCostEntry {
                pid: cost
                    .process
                    .and_then(|process| timeline.processes.get(process.index()))
                    .map(|process| process.pid.0),
                pair: cost.pair,
                low: cost.low,
                high: cost.high,
                inside: cost.inside,
                pairs: cost.pairs,
            })
            .collect();
        Some(found)
    }

    /// What a reader should know of it.
    pub(crate) fn notes(&self, share: Option<f64>) -> Vec<Note> {
        let mut notes = Vec::new();
        if self.unpriced > 0 {
            notes.push(
                Note::new(
                    Severity::Warning,
                    "probe-cost-unknown",
                    format!(
                        "{} of {} probe events are of processes in which no probe was timed: their cost is not known \
                         and still part of what their methods pay",
                        self.unpriced, self.events
                    ),
                )
                .times(self.unpriced),
            );
        }
        if self.short_calls > 0 {
            notes.push(
                Note::new(
                    Severity::Info,
                    "calls-shorter-than-probes",
                    "calls were on a CPU for less time than their probes cost: nothing is left of them",
                )
                .times(self.short_calls),
            );
        }
        if let Some((below, above)) = self.spread() {
            notes.push(Note::new(
                Severity::Info,
                "probe-cost-spread",
                format!(
                    "of all probes that were timed, 90 % cost between {:.0} % less and {:.0} % more than what was \
                     taken off; the intervals of reports hold this",
                    below * 100.0,
                    above * 100.0
                ),
            ));
        }
        if let Some(share) = share.filter(|share| *share > WARNING_SHARE) {
            notes.push(Note::new(
                Severity::Warning,
                "probe-overhead",
                format!(
                    "probes took {:.0} % of what the app itself drew: what they do to caches, clocks and waiting \
                     threads cannot be taken off; trace fewer methods, or sample",
                    share * 100.0
                ),
            ));
        }
        notes
    }

    /// How much less and more a pair can cost than was taken off, relative: the widest of all processes.
    fn spread(&self) -> Option<(f64, f64)> {
        let relative = |cost: &ProbeCostEntry| {
            let pair = cost.pair.value() as f64;
            let below = 1.0 - cost.low.value() as f64 / pair;
            let above = cost.high.value() as f64 / pair - 1.0;
            (cost.pair > Nanos::ZERO).then_some((below.max(0.0), above.max(0.0)))
        };
        let spreads = self.costs.iter().filter_map(relative).filter(|_| self.cpu > Nanos::ZERO);
        let widest = spreads.reduce(|a, b| (a.0.max(b.0), a.1.max(b.1)))?;
        (widest.0 > 0.0 || widest.1 > 0.0).then_some(widest)
    }
}

/// What probes and the recorder's threads inside the app drew for each joule of the app's own; by time on a CPU where no
/// energy is known. `None` where the app drew nothing.
pub(crate) fn share(
    timeline: &Timeline,
    burdens: &Burdens,
    calls: &CallTrees,
    lines: &Lines,
    (self_cpu, probe_cpu): (&[Nanos], &[Nanos]),
) -> Option<f64> {
    let owners = if timeline.apps.is_empty() {
        Owners::of(burdens.processes(timeline))
    } else {
        Owners::new(timeline)
    };
    let paths = owners.paths(timeline, calls);
    let is_own = |path: u32| owners.pays(&paths, Payer::Path(path));
    let (mut own, mut taken) = (0.0, 0.0);
    for (payer, joules) in lines.sums() {
        match payer {
            Payer::Path(path) if is_own(path) => own += joules.value(),
            Payer::Probes(path) if is_own(path) => taken += joules.value(),
            // The probes' own thread: the recorder's other processes are no app's.
            Payer::Recorder(path) if is_own(path) => taken += joules.value(),
            _ => {}
        }
    }
    if own + taken <= Joules::ZERO.value() {
        let sum = |times: &[Nanos]| {
            let own = (0..).zip(times).filter(|(path, _)| is_own(*path));
            own.map(|(_, time)| time.seconds()).sum::<f64>()
        };
        (own, taken) = (sum(self_cpu), sum(probe_cpu));
    }
    (own > 0.0).then(|| taken / own)
}
