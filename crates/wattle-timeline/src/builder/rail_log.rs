//! Samples of power rails while a recording is read.
//!
//! A monitor reads all of its rails at once, so their samples have the same times; a phone has one or two monitors. Rails go on with one
//! column of times as long as that holds. One that is read at another time goes over to the column that has its times, or gets a copy:
//!
//! ```text
//! times   t0 t1 t2 │ t3 ──► column 0: rails A, B
//! A       ·  ·  ·  │ ·
//! B       ·  ·  ·  │ ·
//! C       ·  ·  ·  │ t3' ──► column 1: t0 t1 t2 t3', rail C
//! ```

use rustc_hash::FxHashMap;
use wattle_units::BootNanos;

use crate::{NameId, Rail, SharedColumn};

/// All rails.
#[derive(Debug, Default)]
pub(super) struct RailLog {
    rails: Vec<LoggedRail>,
    index: FxHashMap<(NameId, u64), u32>,
    times: Vec<Vec<BootNanos>>,
}

/// Number of samples after which a rail does not go over to another column any more: monitors differ from the first samples on, and to
/// compare long columns again and again would take time that grows with their square.
const SETTLED: usize = 16;

/// Number of columns, the first ones, that a rail may go over to, for the same reason.
const MONITORS: usize = 64;

/// One rail; as many times of its column as it has energies are its own.
#[derive(Debug)]
struct LoggedRail {
    name: NameId,
    subsystem: Option<NameId>,
    sampling_rate: u32,
    column: Option<usize>,
    energy: Vec<u64>,
}

impl RailLog {
    /// The number of the rail with this name, of one run of the monitor.
    pub(super) fn rail(
        &mut self,
        name: NameId,
        session: u64,
        subsystem: Option<NameId>,
        sampling_rate: u32,
    ) -> u32 {
        let next = self.rails.len() as u32;
        let key = *self.index.entry((name, session)).or_insert(next);
        if key == next {
            let (column, energy) = (None, Vec::new());
            self.rails.push(LoggedRail { name, subsystem, sampling_rate, column, energy });
        }
        key
    }

    /// A sample of a rail.
    pub(super) fn sample(&mut self, rail: u32, time: BootNanos, energy: u64) {
        let Self { rails, times, .. } = self;
        let Some(rail) = rails.get_mut(rail as usize) else { return };
        let count = rail.energy.len();
        let before = rail.column.and_then(|column| times.get(column)?.get(..count));
        let before = before.unwrap_or_default();
        let has =
            |column: usize| times.get(column).and_then(|times| times.get(count)) == Some(&time);
        let column = match rail.column {
            // Another rail was read at this time already, or this one is the first to be read.
            Some(column) if has(column) || times[column].len() == count => column,
            _ => {
                let is_same = |column: &usize| has(*column) && times[*column].starts_with(before);
                let candidates = if count < SETTLED { times.len().min(MONITORS) } else { 0 };
                if let Some(known) = (0..candidates).find(is_same) {
                    known
                } else {
                    let own = before.to_vec();
                    times.push(own);
                    times.len() - 1
                }
            }
        };
        if times[column].len() == count {
            times[column].push(time);
        }
        rail.column = Some(column);
        rail.energy.push(energy);
    }

    /// The rails, each in order of time.
    pub(super) fn finish(self) -> Vec<Rail> {
        let columns: Vec<SharedColumn<BootNanos>> = self
            .times
            .into_iter()
            .map(|mut times| {
                times.shrink_to_fit();
                times.into()
            })
            .collect();
        let rails = self.rails.into_iter();
        rails
            .map(|mut rail| {
                let whole = rail.column.and_then(|column| columns.get(column)).cloned();
                let mut time = whole.unwrap_or_default();
                if time.len() != rail.energy.len() {
                    time = time.iter().copied().take(rail.energy.len()).collect();
                }
                if !time.is_sorted() {
                    let mut order: Vec<usize> = (0..time.len()).collect();
                    order.sort_by_key(|i| time[*i]);
                    time = order.iter().map(|i| time[*i]).collect();
                    rail.energy = order.iter().map(|i| rail.energy[*i]).collect();
                }
                rail.energy.shrink_to_fit();
                Rail {
                    name: rail.name,
                    subsystem: rail.subsystem,
                    sampling_rate: rail.sampling_rate,
                    time,
                    energy: rail.energy.into(),
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads (rail, time) in this order; the energy of a sample is its number.
    fn read(samples: &[(u32, i64)]) -> Vec<Rail> {
        let mut log = RailLog::default();
        for rail in 0..3 {
            log.rail(NameId(rail), 0, None, 0);
        }
        for (number, (rail, time)) in (0..).zip(samples) {
            log.sample(*rail, BootNanos::new(*time), number);
        }
        log.finish()
    }

    #[track_caller]
    fn check(samples: &[(u32, i64)]) -> Vec<Rail> {
        let rails = read(samples);
        for (number, rail) in (0_u32..).zip(&rails) {
            let mut expected: Vec<(i64, u64)> = (0..)
                .zip(samples)
                .filter(|(_, (of, _))| *of == number)
                .map(|(energy, (_, time))| (*time, energy))
                .collect();
            expected.sort_by_key(|sample| sample.0);
            let times = rail.time.iter().map(|time| time.value());
            let found: Vec<_> = times.zip(rail.energy.iter().copied()).collect();
            assert_eq!(found, expected, "rail {number}");
        }
        rails
    }

    #[test]
    fn rails_of_one_packet_share_their_times() {
        let rails = check(&[(0, 1), (1, 1), (2, 1), (0, 5), (1, 5), (2, 5)]);
        assert!(rails[0].time.is_same(&rails[1].time) && rails[0].time.is_same(&rails[2].time));
    }

    #[test]
    fn rails_of_one_monitor_share_its_times() {
        // Two monitors, in turns; and two that differ from the second sample on.
        for samples in [
            [(0, 1), (1, 2), (2, 1), (0, 5), (1, 6), (2, 5)],
            [(0, 1), (1, 1), (2, 1), (1, 6), (0, 5), (2, 5)],
        ] {
            let rails = check(&samples);
            assert!(rails[0].time.is_same(&rails[2].time));
            assert!(!rails[0].time.is_same(&rails[1].time));
        }
    }

    #[test]
    fn a_rail_with_times_of_its_own_keeps_them() {
        let rails =
            check(&[(0, 1), (1, 1), (2, 1), (0, 5), (1, 5), (2, 6), (0, 9), (1, 9), (2, 8)]);
        assert!(rails[0].time.is_same(&rails[1].time) && !rails[0].time.is_same(&rails[2].time));
        // One that begins later, one that ends earlier, times that go back.
        check(&[(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]);
        check(&[(0, 1), (1, 1), (0, 2), (1, 2), (0, 3)]);
        check(&[(0, 5), (1, 5), (0, 3), (1, 3), (0, 4), (1, 7)]);
        check(&[]);
    }
}
