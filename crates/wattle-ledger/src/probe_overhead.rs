//! Cost of the probes in a run.

use serde::{Deserialize, Serialize};
use wattle_timeline::{Note, Severity};
use wattle_units::Nanos;

/// From this share of the app's own energy on, overhead is a warning.
const WARNING_SHARE: f64 = 0.1;

/// The probes in an app's code, inside the window.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProbeOverhead {
    /// Number of passes of a probe: entries and exits of methods and calls.
    pub events: u64,
    /// Those of which no cost is known, so that nothing was taken off for them.
    pub unpriced: u64,
    /// Calls with less time on a CPU than their probes cost: they have 0 left.
    pub short_calls: u64,
    /// Time on a CPU that was taken off the calls.
    pub cpu: Nanos,
    /// Cost of a pair of probes, by process.
    pub costs: Vec<ProbeCostEntry>,
}

/// Cost of a pair of probes, timed around nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// The part of the median that lies inside the slice.
    pub inside: Nanos,
    /// Number of pairs that were timed.
    pub pairs: u32,
}

impl ProbeOverhead {
    /// Notes on its size and certainty.
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

    /// Relative spread of a pair's cost below and above the one that was taken off: the widest of all processes.
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
