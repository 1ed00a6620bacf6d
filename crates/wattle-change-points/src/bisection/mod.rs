//! The search for the first bad commit, with as few runs as noise allows.

mod bisection_outcome;
mod first_bad_odds;

pub use bisection_outcome::{BisectionOutcome, BisectionStep};
use first_bad_odds::FirstBadOdds;

use crate::robust;

/// Standard deviations from a level beyond which a run says no more.
const OUTLIER: f64 = 2.5;
/// Runs of one commit that outvote an outlier among them; both commits of an answer are run so often.
const ENOUGH_TO_OUTVOTE: usize = 3;

/// Settings of a [`Bisection`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BisectionOptions {
    /// Probability that the reported commit must have.
    pub confidence: f64,
    /// Runs of each end before they are compared for the first time.
    pub first_repeats: usize,
    /// Runs of each end after which they count as equal.
    pub most_end_repeats: usize,
    /// Most runs of a commit at a time.
    pub most_repeats: usize,
    /// Runs after which the search gives up.
    pub most_runs: usize,
    /// Standard deviation of runs where it is known from a history, and the number of runs that it is worth.
    pub noise: Option<(f64, f64)>,
}

impl Default for BisectionOptions {
    fn default() -> Self {
        Self {
            confidence: 0.95,
            first_repeats: 3,
            most_end_repeats: 12,
            most_repeats: 5,
            most_runs: 300,
            noise: None,
        }
    }
}

/// A noisy binary search for the first commit with a lasting change.
///
/// Commits are numbered from 0, which is known to be good, to the last, which is known to be bad. Each run changes the
/// probability of every commit to be the first bad one; the next run is of the commit that halves it. Runs of one commit need
/// not agree, and a decision is never final before the end.
///
/// ```
/// use wattle_change_points::{Bisection, BisectionOptions, BisectionOutcome, BisectionStep};
///
/// let mut bisection = Bisection::new(20, BisectionOptions::default());
/// let outcome = loop {
///     match bisection.next_step() {
///         BisectionStep::Run { commit, repeats } => {
///             for repeat in 0..repeats {
///                 let jitter = ((commit * 7 + repeat * 3) % 5) as f64;
///                 bisection.add_run(commit, if commit < 13 { 100.0 } else { 120.0 } + jitter);
///             }
///         }
///         BisectionStep::Done(outcome) => break outcome,
///     }
/// };
/// assert!(matches!(outcome, BisectionOutcome::Found { last_good: 12, first_bad: 13, .. }));
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Bisection {
    options: BisectionOptions,
    runs: Vec<Vec<f64>>,
    testable: Vec<bool>,
}

impl Bisection {
    /// A search among so many commits, both ends included; there are two at least.
    pub fn new(commits: usize, options: BisectionOptions) -> Self {
        let commits = commits.max(2);
        Self { options, runs: vec![Vec::new(); commits], testable: vec![true; commits] }
    }

    /// Takes in a run. One of a commit outside the search, or without a finite value, is ignored.
    pub fn add_run(&mut self, commit: usize, value: f64) {
        if let Some(runs) = self.runs.get_mut(commit)
            && value.is_finite()
            && value.abs() < 1e150
        {
            runs.push(value);
        }
    }

    /// Excludes a commit from being run, because it cannot be built or started. The ends cannot be excluded.
    pub fn skip(&mut self, commit: usize) {
        let last = self.runs.len() - 1;
        if (1..last).contains(&commit) {
            self.testable[commit] = false;
        }
    }

    /// Runs made so far.
    pub fn run_count(&self) -> usize {
        self.runs.iter().map(Vec::len).sum()
    }

    /// Probability of each commit to be the first bad one; empty before both ends were run.
    pub fn probabilities(&self) -> Vec<f64> {
        self.odds().map_or_else(Vec::new, |odds| odds.probabilities)
    }

    /// The next commit to run, or the result.
    pub fn next_step(&self) -> BisectionStep {
        let last = self.runs.len() - 1;
        let BisectionOptions { first_repeats, most_end_repeats, most_runs, .. } = self.options;
        let (good, bad) = (self.runs[0].len(), self.runs[last].len());
        let first_repeats = first_repeats.max(2);
        // The ends take turns, so that slow changes of conditions meet both.
        if good.min(bad) < first_repeats {
            let commit = if good <= bad { 0 } else { last };
            let repeats = (first_repeats - good.min(bad)).div_ceil(2);
            return BisectionStep::Run { commit, repeats };
        }
        let Some(odds) = self.odds() else {
            return BisectionStep::Done(BisectionOutcome::NoDifference { runs: self.run_count() });
        };
        let (lowest, highest) = odds.likeliest_range(&self.testable, self.options.confidence);
        let confidence: f64 = odds.probabilities[lowest..=highest].iter().sum();
        let is_separated = FirstBadOdds::is_one_group(&self.testable, lowest, highest);
        if !odds.ends_differ {
            if good.min(bad) >= most_end_repeats.max(first_repeats) {
                return BisectionStep::Done(BisectionOutcome::NoDifference {
                    runs: self.run_count(),
                });
            }
            let commit = if good <= bad { 0 } else { last };
            return BisectionStep::Run { commit, repeats: 2 };
        }
        if is_separated && confidence >= self.options.confidence {
            let unproven = [lowest - 1, highest]
                .into_iter()
                .find(|commit| {
                    self.testable[*commit] && self.runs[*commit].len() < ENOUGH_TO_OUTVOTE
                })
                .filter(|_| self.run_count() < most_runs);
            if let Some(commit) = unproven {
                return BisectionStep::Run {
                    commit,
                    repeats: ENOUGH_TO_OUTVOTE - self.runs[commit].len(),
                };
            }
            return BisectionStep::Done(BisectionOutcome::Found {
                last_good: lowest - 1,
                first_bad: highest,
                confidence,
                size: odds.size,
                runs: self.run_count(),
            });
        }
        match odds.most_uncertain(&self.testable) {
            Some(commit) if self.run_count() < most_runs => {
                let most = self.options.most_repeats.max(1);
                BisectionStep::Run { commit, repeats: odds.repeats().clamp(1, most) }
            }
            _ => BisectionStep::Done(BisectionOutcome::Undecided {
                last_good: lowest - 1,
                first_bad: highest,
                confidence,
                runs: self.run_count(),
            }),
        }
    }

    fn odds(&self) -> Option<FirstBadOdds> {
        FirstBadOdds::from_runs(&self.bounded_runs(), self.options.noise)
    }

    /// Runs with outliers moved to where they say no more than that they are good, or bad.
    fn bounded_runs(&self) -> Vec<Vec<f64>> {
        let last = self.runs.len() - 1;
        let (good, bad) = (&self.runs[0], &self.runs[last]);
        if good.is_empty() || bad.is_empty() {
            return self.runs.clone();
        }
        let deviations: Vec<f64> = self
            .runs
            .iter()
            .filter(|runs| runs.len() >= 2)
            .flat_map(|runs| {
                let center = robust::median(&mut runs.clone());
                let lost = (runs.len() as f64 / (runs.len() as f64 - 1.0)).sqrt();
                runs.iter().map(move |value| (value - center) * lost)
            })
            .collect();
        let (_, deviation) = robust::median_and_deviation(&deviations);
        let (good, bad) = (robust::median(&mut good.clone()), robust::median(&mut bad.clone()));
        let reach = OUTLIER * deviation;
        let (low, high) = (good.min(bad) - reach, good.max(bad) + reach);
        if deviation <= 0.0 {
            return self.runs.clone();
        }
        let bounded = |runs: &Vec<f64>| {
            // Three runs outvote an outlier among them.
            let (low, high) = if runs.len() >= ENOUGH_TO_OUTVOTE {
                let center = robust::median(&mut runs.clone());
                (center - reach, center + reach)
            } else {
                (low, high)
            };
            runs.iter().map(|value| value.clamp(low, high)).collect()
        };
        self.runs.iter().map(bounded).collect()
    }
}
