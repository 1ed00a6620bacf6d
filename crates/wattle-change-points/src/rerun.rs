//! Further runs of commits that were measured before.

/// Runs of two commits, taken in turns so that both met the same conditions.
#[derive(Clone, PartialEq, Debug)]
pub struct Rerun {
    /// The earlier commit.
    pub before: u64,
    /// The later commit.
    pub after: u64,
    /// Value of the later commit less that of the earlier one, for each pair.
    pub differences: Vec<f64>,
}

/// The re-runs that would decide a suspicion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RerunRequest {
    /// The earlier commit: the last that is surely before the suspected change.
    pub before: u64,
    /// The earliest commit that can take its place.
    pub earliest: u64,
    /// The later commit: the newest.
    pub after: u64,
    /// Runs of each of the two.
    pub pairs: usize,
}

impl RerunRequest {
    /// Requests of several metrics after the same commit as few re-runs, because a run measures all metrics. Each request goes
    /// with the first of these whose `before` is not earlier than its `earliest`.
    pub fn merged(mut requests: Vec<Self>) -> Vec<Self> {
        requests.sort_unstable_by_key(|request| request.before);
        let mut merged: Vec<Self> = Vec::new();
        for request in requests {
            match merged.iter_mut().find(|other| request.earliest <= other.before) {
                Some(other) => {
                    other.earliest = other.earliest.max(request.earliest);
                    other.pairs = other.pairs.max(request.pairs);
                }
                None => merged.push(request),
            }
        }
        merged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_share_reruns_where_their_history_allows() {
        let request = |before, earliest| RerunRequest { before, earliest, after: 60, pairs: 6 };
        let merged = RerunRequest::merged(vec![request(55, 0), request(40, 0), request(58, 50)]);
        assert_eq!(merged, [request(40, 0), request(58, 50)]);
    }
}
