//! The uncertainty of a step by the values on both sides alone.

use wattle_fit::student_quantile;

use crate::commit_summary::CommitSummary;

/// A variance, and how surely it is known.
#[derive(Clone, Copy, Debug, Default)]
struct Spread {
    variance: f64,
    freedom: f64,
}

impl Spread {
    /// Of the mean of commits, by how far they are from each other; 0 of a single one.
    fn of_commits(commits: &[CommitSummary]) -> Self {
        let count = commits.len() as f64;
        if commits.len() < 2 {
            return Self::default();
        }
        let mean = commits.iter().map(|commit| commit.mean).sum::<f64>() / count;
        let squares: f64 = commits.iter().map(|commit| (commit.mean - mean).powi(2)).sum();
        Self { variance: squares / (count - 1.0) / count, freedom: count - 1.0 }
    }

    /// Of the mean of all runs, by how far those of one commit are from each other; 0 of single ones.
    fn of_runs(commits: &[CommitSummary]) -> Self {
        let sum =
            |value: fn(&CommitSummary) -> f64| -> f64 { commits.iter().map(value).sum::<f64>() };
        let (scatter, freedom) = (sum(|it| it.scatter), sum(|it| it.freedom));
        let runs = sum(|it| it.runs);
        if freedom <= 0.0 || runs <= 0.0 {
            return Self::default();
        }
        Self { variance: scatter / freedom / runs, freedom }
    }
}

/// Half the 90 % interval of the difference of two levels: by the scatter between commits or that within them, whichever is greater.
pub fn half_of_difference(before: &[CommitSummary], after: &[CommitSummary]) -> f64 {
    let half = |spread: fn(&[CommitSummary]) -> Spread| {
        let (before, after) = (spread(before), spread(after));
        if after.freedom < 1.0 {
            return 0.0;
        }
        student_quantile(0.95, after.freedom) * (before.variance + after.variance).sqrt()
    };
    half(Spread::of_commits).max(half(Spread::of_runs))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(mean: f64, deviation: f64) -> CommitSummary {
        CommitSummary { mean, runs: 3.0, scatter: 2.0 * deviation * deviation, freedom: 2.0 }
    }

    #[test]
    fn the_greater_scatter_counts() {
        let before: Vec<CommitSummary> = (0..10).map(|_| commit(0.2, 0.02)).collect();
        // Commits agree by chance, runs do not: 0.3 / √9 · t(0.95, 6) = 0.194.
        let alike = [commit(4.4, 0.3), commit(4.4, 0.3), commit(4.4, 0.3)];
        assert!((half_of_difference(&before, &alike) - 0.194).abs() < 0.002);
        // Commits differ more than their runs: 0.3 / √3 · t(0.95, 2) = 0.506.
        let apart = [commit(4.1, 0.01), commit(4.4, 0.01), commit(4.7, 0.01)];
        assert!((half_of_difference(&before, &apart) - 0.506).abs() < 0.002);
        assert_eq!(
            half_of_difference(&before, &[CommitSummary { freedom: 0.0, ..commit(4.4, 0.0) }]),
            0.0
        );
    }
}
