//! Ranks of scores.

/// The rank of each score, the highest first. Those that are equal share the worst of their ranks, as in Jones and Harrold: it is the
/// number of parts that a reader has looked at once all of that score are seen. What has no score has no rank.
pub fn worst_ranks(scores: &[Option<f64>]) -> Vec<Option<usize>> {
    let mut sorted: Vec<f64> = scores.iter().copied().flatten().collect();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let rank = |score: f64| sorted.partition_point(|other| other.total_cmp(&score).is_ge());
    scores.iter().map(|score| score.map(rank)).collect()
}
