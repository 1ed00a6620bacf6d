//! Runs that are old enough to be deleted.

use std::collections::HashMap;

use crate::KeptRun;

/// A rule for deleting old runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// The latest so many of each app, device, scenario and branch stay.
    pub keep_last: Option<usize>,
    /// Runs at most so old stay, in milliseconds.
    pub older_than_ms: Option<i64>,
}

impl Retention {
    /// The runs that the rule deletes: those that meet every part of it that is given, none without any. `runs` are in any order.
    pub fn expired<'r>(&self, runs: &'r [KeptRun], now_ms: i64) -> Vec<&'r KeptRun> {
        if self.keep_last.is_none() && self.older_than_ms.is_none() {
            return Vec::new();
        }
        let mut latest: Vec<&KeptRun> = runs.iter().collect();
        latest.sort_by_key(|run| std::cmp::Reverse((run.time_ms(), run.id)));
        let mut seen: HashMap<_, usize> = HashMap::new();
        let mut expired: Vec<&KeptRun> = latest
            .into_iter()
            .filter(|run| {
                let facts = &run.facts;
                let key = (
                    &facts.app.package,
                    &facts.device.key,
                    &facts.circumstances.scenario,
                    &facts.code.branch,
                );
                let before = seen.entry(key).or_default();
                *before += 1;
                let age = now_ms.saturating_sub(run.time_ms());
                self.keep_last.is_none_or(|keep| *before > keep)
                    && self.older_than_ms.is_none_or(|most| age > most)
            })
            .collect();
        expired.sort_by_key(|run| run.id);
        expired
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AppBuild, Circumstances, KeptLedger, RunFacts, RunId};

    fn run(id: i64, package: &str, started_ms: i64) -> KeptRun {
        KeptRun {
            id: RunId(id),
            kept_ms: 0,
            facts: RunFacts {
                app: AppBuild { package: package.to_owned(), ..AppBuild::default() },
                circumstances: Circumstances {
                    started_ms: Some(started_ms),
                    ..Circumstances::default()
                },
                ..RunFacts::default()
            },
            total: None,
            app: None,
            ledger: KeptLedger::of_bytes(b""),
        }
    }

    #[track_caller]
    fn check(keep_last: Option<usize>, older_than_ms: Option<i64>, expected: &[i64]) {
        // The second run is the oldest of `a`.
        let runs = [run(1, "a", 50), run(2, "a", 10), run(3, "a", 90), run(4, "b", 20)];
        let retention = Retention { keep_last, older_than_ms };
        let ids: Vec<i64> = retention.expired(&runs, 100).iter().map(|run| run.id.0).collect();
        assert_eq!(ids, expected, "{retention:?}");
    }

    #[test]
    fn both_parts_of_a_rule_must_be_met() {
        check(None, None, &[]);
        check(Some(1), None, &[1, 2]);
        check(Some(0), None, &[1, 2, 3, 4]);
        check(None, Some(50), &[2, 4]);
        check(None, Some(80), &[2]);
        check(Some(1), Some(49), &[1, 2]);
        check(Some(1), Some(50), &[2]);
    }
}
