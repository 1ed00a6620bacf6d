//! Cost of a pair of probes, from empty methods that the runtime times at the start of a process (probe 0).

use wattle_timeline::ProbeCost;
use wattle_units::Nanos;

use super::probe_record::{Kind, Record};

/// Pairs that are looked at.
const MAX_PAIRS: usize = 1 << 16;

/// Times of empty methods, one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairs {
    last_enter: Option<i64>,
    /// From one entry to the next.
    spacing: Vec<i64>,
    /// From an entry to its exit.
    inside: Vec<i64>,
}

impl Pairs {
    /// An empty method ran.
    pub fn pair(&mut self, enter: i64, exit: i64) {
        if self.inside.len() >= MAX_PAIRS || exit < enter {
            return;
        }
        if let Some(last) = self.last_enter.replace(enter) {
            self.spacing.push(enter.saturating_sub(last));
        }
        self.inside.push(exit - enter);
    }

    /// Something else happened: the next pair does not follow the last one.
    pub fn interrupt(&mut self) {
        self.last_enter = None;
    }

    /// The cost, by the later half: at first the code is interpreted, and everything is cold.
    pub fn cost(&self) -> Option<ProbeCost> {
        let later = |times: &[i64]| {
            let mut half = times.get(times.len() / 2..).unwrap_or_default().to_vec();
            half.sort_unstable();
            half
        };
        let (spacing, inside) = (later(&self.spacing), later(&self.inside));
        Some(ProbeCost {
            process: None,
            pair: Nanos::new(quantile(&spacing, 50)?),
            low: Nanos::new(quantile(&spacing, 5)?),
            high: Nanos::new(quantile(&spacing, 95)?),
            inside: Nanos::new(quantile(&inside, 50)?),
            pairs: u32::try_from(spacing.len()).unwrap_or(u32::MAX),
        })
    }
}

/// The value that so many percent lie at or below (nearest rank).
fn quantile(sorted: &[i64], percent: usize) -> Option<i64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

/// The pairs among the records of a thread: entries of probe 0 with the exit right behind them.
pub(crate) fn of_records(records: &[Record]) -> Pairs {
    let mut pairs = Pairs::default();
    for two in records.windows(2) {
        let [enter, exit] = two else { continue };
        match (enter.kind(), enter.id(), exit.kind(), exit.id()) {
            (Kind::Enter, 0, Kind::Exit, 0) => pairs.pair(enter.time, exit.time),
            // The exit of one and the entry of the next.
            (Kind::Exit, 0, Kind::Enter, 0) => {}
            _ => pairs.interrupt(),
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;

    #[test]
    fn the_later_half_counts() {
        let mut pairs = Pairs::default();
        let mut time = 0;
        // Slow at first: 21 pairs of 1,000 ns, then 20 with 101 to 120.
        for spacing in std::iter::repeat_n(1000, 21).chain(101..=120) {
            pairs.pair(time, time + spacing / 2);
            time += spacing;
        }
        pairs.pair(time, time + 55);
        // 41 spacings: the later 21 are one of 1,000 and 101 to 120.
        let cost = pairs.cost().unwrap();
        let values = [cost.pair, cost.low, cost.high, cost.inside].map(Nanos::value);
        // Ranks 11, 2 and 20 of 21. Of 42 insides the later 21: 50 to 60, each twice but 50, and 55.
        assert_eq!(values, [111, 102, 120, 55]);
        assert_eq!(cost.pairs, 21);
    }

    #[test]
    fn only_neighbours_are_pairs() {
        let record = |time, letter, id| Record::from_letter(time, letter, id).unwrap();
        let records = [
            record(0, b'E', 0),
            record(4, b'X', 0),
            record(10, b'E', 0),
            record(15, b'X', 0),
            record(90, b'D', 0),
            record(95, b'R', 0),
            record(100, b'E', 0),
            record(106, b'X', 0),
            record(112, b'E', 7),
        ];
        let pairs = of_records(&records);
        assert_eq!(pairs.spacing, [10]);
        assert_eq!(pairs.inside, [4, 5, 6]);
        assert_eq!(Pairs::default().cost(), None);
    }
}
