//! Probability of each commit to be the first bad one.

use wattle_fit::student_cdf;

/// Probability of a difference of the ends by chance below which they differ.
const ENDS_BY_CHANCE: f64 = 0.005;
/// Distance of the two levels, in standard deviations of the mean of the repeats, that one visit of a commit should reach.
const VISIT: f64 = 2.0;

/// Probability of each commit to be the first bad one, after some runs.
#[derive(Clone, PartialEq, Debug)]
pub struct FirstBadOdds {
    /// By commit; 0 for the first, which is good.
    pub probabilities: Vec<f64>,
    /// Whether the first and the last commit differ more than chance allows.
    pub ends_differ: bool,
    /// The change, bad less good.
    pub size: f64,
    /// The same in standard deviations of a run.
    standardized: f64,
}

/// Sums of some commits' runs.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Sums {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        self.sum += value;
        self.squares += value * value;
    }

    fn plus(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            sum: self.sum + other.sum,
            squares: self.squares + other.squares,
        }
    }

    fn minus(self, other: Self) -> Self {
        Self {
            count: self.count - other.count,
            sum: self.sum - other.sum,
            squares: self.squares - other.squares,
        }
    }

    fn mean(self) -> f64 {
        self.sum / self.count
    }

    /// Squared deviations from the mean.
    fn scatter(self) -> f64 {
        (self.squares - self.sum * self.sum / self.count).max(0.0)
    }
}

impl FirstBadOdds {
    /// Odds by the runs of each commit; `None` before both ends were run. `noise`: a known standard deviation of runs, and the
    /// number of runs that it is worth.
    pub fn from_runs(runs: &[Vec<f64>], noise: Option<(f64, f64)>) -> Option<Self> {
        let (first, last) = (runs.first()?, runs.last()?);
        if first.is_empty() || last.is_empty() {
            return None;
        }
        // Around the first run, so that squares keep their digits.
        let origin = first[0];
        let by_commit: Vec<Sums> = runs
            .iter()
            .map(|values| {
                let mut sums = Sums::default();
                for value in values {
                    sums.add(value - origin);
                }
                sums
            })
            .collect();
        let total = by_commit.iter().fold(Sums::default(), |sum, commit| sum.plus(*commit));
        let (known_deviation, known_runs) = noise.unwrap_or((0.0, 0.0));
        let known = known_runs.max(0.0) * known_deviation * known_deviation;
        let freedom = (total.count - 2.0 + known_runs.max(0.0)).max(1.0);
        let floor = total.squares.max(origin * origin) * 1e-14 + f64::MIN_POSITIVE;

        let mut good = Sums::default();
        let mut logs = vec![f64::NEG_INFINITY];
        let mut means = vec![(0.0, 0.0, floor)];
        for commit in &by_commit[..by_commit.len() - 1] {
            good = good.plus(*commit);
            let bad = total.minus(good);
            let scatter = good.scatter() + bad.scatter() + known + floor;
            logs.push(-0.5 * (good.count.ln() + bad.count.ln() + freedom * scatter.ln()));
            means.push((good.mean(), bad.mean(), scatter));
        }
        let greatest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = logs.iter().map(|log| (log - greatest).exp()).collect();
        let sum: f64 = weights.iter().sum();
        let probabilities: Vec<f64> = weights.iter().map(|weight| weight / sum).collect();
        let size: f64 = probabilities.iter().zip(&means).map(|(p, (g, b, _))| p * (b - g)).sum();
        let scatter: f64 = probabilities.iter().zip(&means).map(|(p, (_, _, s))| p * s).sum();

        let (good_end, bad_end) = (by_commit[0], by_commit[by_commit.len() - 1]);
        let end_freedom = (good_end.count + bad_end.count - 2.0 + known_runs.max(0.0)).max(1.0);
        let end_variance = (good_end.scatter() + bad_end.scatter() + known + floor) / end_freedom;
        let error = (end_variance * (1.0 / good_end.count + 1.0 / bad_end.count)).sqrt();
        let t = (bad_end.mean() - good_end.mean()).abs() / error;
        Some(Self {
            probabilities,
            ends_differ: 2.0 * student_cdf(-t, end_freedom) < ENDS_BY_CHANCE,
            size,
            standardized: size.abs() / (scatter / freedom).sqrt(),
        })
    }

    /// Runs of one commit that tell good from bad well enough to go on.
    pub fn repeats(&self) -> usize {
        let repeats = (VISIT / self.standardized.max(1e-3)).powi(2).ceil();
        repeats.min(1e6) as usize
    }

    /// The commit of which it is least known whether it is good or bad.
    pub fn most_uncertain(&self, testable: &[bool]) -> Option<usize> {
        let mut bad = 0.0;
        let last = self.probabilities.len() - 1;
        let mut best = None;
        let commits = self.probabilities.iter().zip(testable).enumerate();
        for (commit, (probability, testable)) in commits.take(last).skip(1) {
            bad += probability;
            let distance = (bad - 0.5).abs();
            if *testable && best.is_none_or(|(least, _)| distance < least) {
                best = Some((distance, commit));
            }
        }
        best.map(|(_, commit)| commit)
    }

    /// The likeliest commit together with those that no run can tell from it; or, where that is less likely than `confidence`,
    /// the shortest range around it that is as likely.
    pub fn likeliest_range(&self, testable: &[bool], confidence: f64) -> (usize, usize) {
        let last = self.probabilities.len() - 1;
        let groups = Self::groups(testable);
        let mass = |(low, high): (usize, usize)| self.probabilities[low..=high].iter().sum::<f64>();
        let best = (0..groups.len())
            .max_by(|a, b| mass(groups[*a]).total_cmp(&mass(groups[*b])))
            .unwrap_or(0);
        let (mut low, mut high) = (best, best);
        let range = |low: usize, high: usize| (groups[low].0, groups[high].1);
        while mass(range(low, high)) < confidence && (low > 0 || high + 1 < groups.len()) {
            let below = if low > 0 { mass(groups[low - 1]) } else { -1.0 };
            let above = if high + 1 < groups.len() { mass(groups[high + 1]) } else { -1.0 };
            if below >= above {
                low -= 1;
            } else {
                high += 1;
            }
        }
        let (low, high) = range(low, high);
        (low.max(1), high.min(last))
    }

    /// Whether these commits cannot be told from each other by any run.
    pub fn is_one_group(testable: &[bool], low: usize, high: usize) -> bool {
        Self::groups(testable).contains(&(low, high))
    }

    /// Runs of commits that cannot be told apart: a commit ends its group if it can be run.
    fn groups(testable: &[bool]) -> Vec<(usize, usize)> {
        let mut groups = Vec::new();
        let mut first = 1;
        for (commit, testable) in testable.iter().enumerate().skip(1) {
            if *testable {
                groups.push((first, commit));
                first = commit + 1;
            }
        }
        groups
    }
}
