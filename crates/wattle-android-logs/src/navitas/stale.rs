//! Which records of a test's log are the test's own.
//!
//! Navitas means to clear the device's log before each test and does not, so a test's log holds those of earlier runs, too. Each run is
//! a process of its own: the one that began last is the test's, and so is what ran beside it.
//!
//! ```text
//!  time ──────────────────────────►
//!  pid 3   ├────┤                       ended before 7 began: of an earlier run
//!  pid 7            ├───────────────┤   still ran when 9 began: the test's
//!  pid 9                 ├────┤         began last: the test's
//! ```

use std::collections::BTreeMap;

use super::test_log::CallRecord;

/// The processes of a log that are the test's. The times are those of the records, in the same order.
pub(super) fn own_processes(calls: &[CallRecord], times: &[i64]) -> Vec<Option<u32>> {
    let mut spans: BTreeMap<Option<u32>, (i64, i64)> = BTreeMap::new();
    for (call, time) in calls.iter().zip(times) {
        let pid = call.owner.map(|(pid, _)| pid);
        let span = spans.entry(pid).or_insert((*time, *time));
        *span = (span.0.min(*time), span.1.max(*time));
    }
    let mut spans: Vec<(Option<u32>, (i64, i64))> = spans.into_iter().collect();
    spans.sort_by_key(|(_, (first, _))| std::cmp::Reverse(*first));
    let mut own = Vec::new();
    let mut begin = i64::MAX;
    for (pid, (first, last)) in spans {
        // Those that ended before all of the others began are of earlier runs; so is all that began before them.
        if own.is_empty() || last >= begin {
            own.push(pid);
            begin = begin.min(first);
        }
    }
    own
}

#[cfg(test)]
mod tests {
    use wattle_timeline::NameId;

    use super::*;

    #[track_caller]
    fn check(records: &[(u32, i64)], expected: &[u32]) {
        let record = |(pid, time): &(u32, i64)| CallRecord {
            owner: (*pid > 0).then_some((*pid, *pid)),
            time: Some(*time),
            is_entry: true,
            name: NameId(0),
            readings: None,
        };
        let calls: Vec<_> = records.iter().map(record).collect();
        let times: Vec<_> = records.iter().map(|(_, time)| *time).collect();
        let mut own: Vec<_> =
            own_processes(&calls, &times).into_iter().map(Option::unwrap_or_default).collect();
        own.sort_unstable();
        assert_eq!(own, expected);
    }

    #[test]
    fn the_last_process_and_those_beside_it() {
        check(&[], &[]);
        check(&[(0, 1), (0, 9)], &[0]);
        check(&[(7, 1), (7, 2), (9, 5), (9, 6)], &[9]);
        // A second process of the app, begun while the first ran.
        check(&[(3, 0), (3, 1), (7, 10), (9, 15), (9, 16), (7, 20)], &[7, 9]);
        // Pids are used again.
        check(&[(30_000, 1), (30_000, 2), (120, 5), (120, 6)], &[120]);
    }
}
