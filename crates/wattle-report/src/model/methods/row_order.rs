//! Which row comes first.

use std::cmp::Ordering;

use wattle_units::Nanos;

use super::CodeMeasures;
use crate::Figure;
use crate::Sort;

/// Criteria for the order of rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    pub sort: Sort,
    /// The ledger has no energy of them: that by tables of costs takes its place.
    pub api_leads: bool,
}

/// Sort keys of a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranks<'a> {
    /// Total, own and mean of the ledger.
    pub ledger: [Figure; 3],
    /// The same by tables of costs.
    pub api: [Figure; 3],
    /// Time with what was called and without, on a CPU if that is known; where there is no energy.
    pub times: [Option<Nanos>; 2],
    pub calls: Option<u64>,
    pub name: &'a str,
}

impl<'a> Ranks<'a> {
    /// The ranks of a row without times.
    pub fn new(of: &CodeMeasures, name: &'a str) -> Self {
        Self {
            ledger: [of.total, of.own, of.mean],
            api: [of.api_total, of.api_own, of.api_mean],
            times: [None; 2],
            calls: of.calls,
            name,
        }
    }
}

impl Ranks<'_> {
    /// Returns the substitute for a total, own or mean energy: nanoseconds.
    fn time(&self, at: usize) -> Option<i64> {
        match at {
            0 => self.times[0].map(Nanos::value),
            1 => self.times[1].map(Nanos::value),
            _ => self.times[0]?.value().checked_div(i64::try_from(self.calls?).ok()?),
        }
    }
}

impl Order {
    /// Most first, no data last; what is equal in that by the total, by calls, by name.
    pub fn compare(self, one: &Ranks<'_>, other: &Ranks<'_>) -> Ordering {
        let most = |at: usize| {
            let ledger = other.ledger[at].rank().total_cmp(&one.ledger[at].rank());
            let api = other.api[at].rank().total_cmp(&one.api[at].rank());
            let energy = if self.api_leads { api.then(ledger) } else { ledger.then(api) };
            let has_none = |row: &Ranks<'_>| row.ledger[at].0.is_none() && row.api[at].0.is_none();
            let times = if has_none(one) && has_none(other) {
                other.time(at).cmp(&one.time(at))
            } else {
                Ordering::Equal
            };
            energy.then(times)
        };
        let calls = other.calls.cmp(&one.calls);
        let first = match self.sort {
            Sort::Total => Ordering::Equal,
            Sort::Own => most(1),
            Sort::Mean => most(2),
            Sort::Calls => calls,
        };
        first.then_with(|| most(0)).then(calls).then_with(|| one.name.cmp(other.name))
    }
}
