//! Clusters: events that follow each other closely.

use wattle_timeline::Window;
use wattle_units::Nanos;

use crate::RegionOptions;

/// Silence after which a cluster is over: the larger one of the option's and so many times the median time between events.
pub(crate) fn longest_silence(spans: &[Window], options: &RegionOptions) -> Nanos {
    let mut gaps: Vec<i64> = spans
        .windows(2)
        .filter_map(|pair| match pair {
            [one, next] => Some((next.start - one.start).value()),
            _ => None,
        })
        .collect();
    let middle = gaps.len() / 2;
    let median = if gaps.is_empty() { 0 } else { *gaps.select_nth_unstable(middle).1 };
    let by_median = Nanos::new((median as f64 * options.cluster_gap_medians) as i64);
    options.cluster_gap.max(by_median)
}

/// From the beginning of each cluster's first event to the end of its last one. `spans` are events in order of start; no cluster
/// goes on from one looked-at stretch into the next.
pub(crate) fn clusters(spans: &[Window], silence: Nanos, looked: &[Window]) -> Vec<Window> {
    let mut clusters: Vec<Window> = Vec::new();
    let mut stretch = 0;
    for span in spans {
        let mut begins = clusters.is_empty();
        while looked.get(stretch).is_some_and(|it| it.end <= span.start) {
            stretch += 1;
            begins = true;
        }
        match clusters.last_mut() {
            Some(last) if !begins && span.start - last.end <= silence => {
                last.end = last.end.max(span.end);
            }
            _ => clusters.push(*span),
        }
    }
    clusters
}

#[cfg(test)]
mod tests {
    use wattle_units::BootNanos;

    use super::*;

    fn windows(of: &[(i64, i64)]) -> Vec<Window> {
        of.iter().map(|(s, e)| Window::new(BootNanos::new(*s), BootNanos::new(*e))).collect()
    }

    #[track_caller]
    fn check(spans: &[(i64, i64)], silence: i64, looked: &[(i64, i64)], expected: &[(i64, i64)]) {
        let found = clusters(&windows(spans), Nanos::new(silence), &windows(looked));
        assert_eq!(found, windows(expected));
    }

    #[test]
    fn silence_ends_a_cluster() {
        check(&[], 5, &[(0, 100)], &[]);
        check(&[(1, 3), (8, 9), (15, 20)], 5, &[(0, 100)], &[(1, 9), (15, 20)]);
        check(&[(1, 30), (4, 4), (33, 34)], 5, &[(0, 100)], &[(1, 34)]);
        check(&[(1, 3), (4, 5)], 5, &[(0, 3), (4, 9)], &[(1, 3), (4, 5)]);
    }

    #[test]
    fn the_silence_is_the_larger_of_both() {
        let options = RegionOptions { cluster_gap: Nanos::new(10), ..RegionOptions::default() };
        let silence = |spans: &[(i64, i64)]| longest_silence(&windows(spans), &options).value();
        assert_eq!(silence(&[]), 10);
        assert_eq!(silence(&[(0, 1)]), 10);
        // Gaps 1, 1, 30.
        assert_eq!(silence(&[(0, 1), (1, 2), (2, 3), (32, 33)]), 10);
        // Gaps 20, 20, 1.
        assert_eq!(silence(&[(0, 1), (20, 22), (40, 41), (41, 42)]), 100);
    }
}
