//! Costs of calls into the framework by tables, added up.

use wattle_ledger::ApiCostEntry;
use wattle_units::{CompensatedSum, Estimate, Interval, Joules, Provenance};

use crate::Figure;

/// `Σ calls × cost`. Figures of one table are wrong together: their errors add up linearly; those of different tables in
/// quadrature.
#[derive(Clone, Debug, Default)]
pub(crate) struct ApiTally {
    parts: Vec<Part>,
    /// All calls, those too of which no cost is known.
    calls: u64,
}

/// Sums of one table, by provenance.
#[derive(Clone, Copy, Debug)]
struct Part {
    table: u32,
    provenance: Provenance,
    calls: u64,
    joules: CompensatedSum,
    less: CompensatedSum,
    more: CompensatedSum,
}

impl ApiTally {
    /// Adds calls of one method of the framework.
    pub fn add(&mut self, cost: Option<&ApiCostEntry>, calls: u64) {
        self.calls = self.calls.saturating_add(calls);
        let Some(cost) = cost.filter(|_| calls > 0) else { return };
        let Estimate { joules, interval, provenance } = cost.per_call;
        let times = calls as f64;
        let part = self.part(cost.table, provenance);
        part.calls = part.calls.saturating_add(calls);
        part.joules.add(joules.value() * times);
        part.less.add((joules - interval.low).value().max(0.0) * times);
        part.more.add((interval.high - joules).value().max(0.0) * times);
    }

    /// Adds all of another.
    pub fn merge(&mut self, other: &Self) {
        self.calls = self.calls.saturating_add(other.calls);
        for of_other in &other.parts {
            let part = self.part(of_other.table, of_other.provenance);
            part.calls = part.calls.saturating_add(of_other.calls);
            part.joules.merge(of_other.joules);
            part.less.merge(of_other.less);
            part.more.merge(of_other.more);
        }
    }

    /// Takes away what was added before.
    pub fn remove(&mut self, other: &Self) {
        self.calls = self.calls.saturating_sub(other.calls);
        for of_other in &other.parts {
            let part = self.part(of_other.table, of_other.provenance);
            part.calls = part.calls.saturating_sub(of_other.calls);
            part.joules.add(-of_other.joules.value());
            part.less.add(-of_other.less.value());
            part.more.add(-of_other.more.value());
        }
        self.parts.retain(|part| part.calls > 0);
    }

    /// Calls with a known cost, and all calls.
    pub fn coverage(&self) -> (u64, u64) {
        let known = self.parts.iter().fold(0_u64, |sum, part| sum.saturating_add(part.calls));
        (known, self.calls)
    }

    /// The energy; "no data" where no call has a known cost.
    pub fn figure(&self) -> Figure {
        let Some(provenance) = self.parts.iter().map(|part| part.provenance).max() else {
            return Figure::NO_DATA;
        };
        let joules: CompensatedSum = self.parts.iter().map(|part| part.joules.value()).collect();
        let joules = Joules::new(joules.value());
        let width = |of: fn(&Part) -> CompensatedSum| {
            let squares = self.parts.chunk_by(|one, other| one.table == other.table).map(|parts| {
                let sum: f64 = parts.iter().map(|part| of(part).value()).sum();
                sum * sum
            });
            Joules::new(squares.sum::<f64>().sqrt())
        };
        let interval = Interval {
            low: joules - width(|part| part.less),
            high: joules + width(|part| part.more),
        };
        Figure(Some(Estimate { joules, interval, provenance }))
    }

    fn part(&mut self, table: u32, provenance: Provenance) -> &mut Part {
        let key = (table, provenance);
        let at = match self.parts.binary_search_by_key(&key, |part| (part.table, part.provenance)) {
            Ok(at) => at,
            Err(at) => {
                let zero = CompensatedSum::default();
                let part =
                    Part { table, provenance, calls: 0, joules: zero, less: zero, more: zero };
                self.parts.insert(at, part);
                at
            }
        };
        &mut self.parts[at]
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use wattle_power::ApiMatch;

    use super::*;

    fn cost(table: u32, joules: f64, low: f64, high: f64) -> ApiCostEntry {
        let interval = Interval { low: Joules::new(low), high: Joules::new(high) };
        let provenance = if table == 0 { Provenance::Assumed } else { Provenance::Modelled };
        ApiCostEntry {
            per_call: Estimate { joules: Joules::new(joules), interval, provenance },
            matched: ApiMatch::Exact,
            signature: String::new(),
            table,
            greedy: false,
        }
    }

    #[test]
    fn errors_add_within_a_table_and_in_quadrature_between_tables() {
        let mut sum = ApiTally::default();
        assert_eq!(sum.figure(), Figure::NO_DATA);
        sum.add(None, 7);
        assert_eq!(sum.figure(), Figure::NO_DATA, "a call without a known cost is not 0 J");
        sum.add(Some(&cost(0, 1.0, 0.5, 2.0)), 2);
        sum.add(Some(&cost(0, 2.0, 0.0, 3.0)), 1);
        // 2 · 1 + 2 J; less 2 · 0.5 + 2 = 3 J, more 2 · 1 + 1 = 3 J.
        let one_table = sum.clone();
        let figure = sum.figure().0.unwrap();
        assert_eq!(figure.joules, Joules::new(4.0));
        assert_eq!(figure.interval, Interval { low: Joules::new(1.0), high: Joules::new(7.0) });
        // Of another table ± 4 J: together 5 J.
        let mut other = ApiTally::default();
        other.add(Some(&cost(1, 10.0, 6.0, 14.0)), 1);
        sum.merge(&other);
        let figure = sum.figure().0.unwrap();
        assert_eq!(figure.joules, Joules::new(14.0));
        assert_eq!(figure.interval, Interval { low: Joules::new(9.0), high: Joules::new(19.0) });
        assert_eq!(figure.provenance, Provenance::Assumed);
        assert_eq!(sum.coverage(), (4, 11));
        sum.remove(&other);
        assert_eq!(sum.figure(), one_table.figure());
        sum.remove(&one_table);
        assert_eq!(sum.figure(), Figure::NO_DATA);
    }
}
