//! Statistics of differences: whether one build uses more energy than another, by how much, how sure that is, and how many runs
//! would tell.
//!
//! # Errors of a difference
//!
//! - **The model's common error**: one device model reads both builds wrong in the same way. It makes a difference larger or smaller
//!   and no number of runs reduces it ([`CommonError`]).
//! - **A run's own model error**, which no other run shares, and **the scatter between runs**. Both show in how far runs of one build
//!   lie apart, and more runs reduce both ([`RunComparison`]).
//!
//! With one run of each build there is no scatter to be seen, and none is invented: the verdict is about these two runs.
//!
//! # Verdicts
//!
//! | verdict | condition |
//! |---|---|
//! | [`Verdict::Higher`], [`Verdict::Lower`] | the difference is beyond the [`Threshold`], and a two-sided test at 5 % rules out that there is none |
//! | [`Verdict::Equal`] | the 90 % interval lies within the threshold to both sides (two one-sided tests at 5 %) |
//! | [`Verdict::Inconclusive`] | anything else; [`Outlook`] says how many further runs would settle it |
//!
//! Of many comparisons, such as all methods of an app, the p-values are adjusted first ([`adjusted`]), so that at most 5 % of the
//! definite verdicts are expected to be false.
//!
//! # Runs in turns
//!
//! Builds that take turns (A B B A, A B A B, a random order) are compared by the differences of neighbouring runs and a drift that is
//! linear in the run's number, by least squares. Slow changes of the device (heat, battery, background work) cancel. The error is the larger
//! of two: that of runs that scatter independently, and that of runs whose neighbours are correlated by 0.2. Degrees of freedom are
//! those of the quadratic form (Box 1954), and quantiles are Student's. A run that does not belong to the others (deleted residual,
//! 1 % over all runs) is left out, one at most, where three of its build remain. Builds that do not take turns are compared by
//! Welch's test.
//!
//! # Measured
//!
//! Of 20,000 series of each kind, five runs of each build, 2 % noise, with kinds of noise that the estimator does not know
//! (`tests/all/run_rates.rs`):
//!
//! | noise | 90 % intervals that hold the truth | no change: higher or lower | 3 % change: higher |
//! |---|---|---|---|
//! | strongly correlated (0.8), A B B A / A B A B | 91 % / 97 % | 3.1 % / 0.6 % | 98 % / 99 % |
//! | linear drift | 92 % / 90 % | 3.0 % / 3.6 % | 95 % / 96 % |
//! | heating up | 94 % / 93 % | 2.1 % / 2.7 % | 95 % / 95 % |
//! | two modes that last | 92 % / 95 % | 1.5 % / 0.1 % | 92 % / 93 % |
//! | correlated (0.5) | 90 % / 95 % | 4.6 % / 1.7 % | 73 % / 76 % |
//! | heavy tails (t with 3 degrees of freedom) | 92 % / 91 % | 3.2 % / 4.1 % | 62 % / 65 % |
//! | spikes | 92 % / 91 % | 2.9 % / 3.4 % | 58 % / 62 % |
//! | independent | 92 % / 90 % | 4.0 % / 4.7 % | 44 % / 47 % |
//! | two modes, drawn for each run | 91 % / 90 % | 4.5 % / 5.1 % | 37 % / 41 % |
//!
//! If the noise of each run is independent, five pairs cannot show 3 % at 2 % noise: even with known scatter, a test at 5 % finds
//! it in 66 % of all series. [`Change::detectable`] says what can be found, and effects of that size are found in 89 to 92 %.
//! The further runs of [`Outlook::MoreRuns`] settle 94 to 98 % of the series with a change of 2 or 3 %, and 71 to 85 % of those without one. Of the methods that differ by
//! Benjamini and Hochberg's rule, 2 to 5 % are false, whether methods have noise of their own, share that of the run, or divide a
//! fixed energy; Yekutieli's correction for any dependence finds up to a third fewer and is not needed.

mod blame;
mod change_verdict;
mod common_error;
mod difference_fit;
mod energy_change;
mod false_discovery;
mod independent_runs;
mod mean_energy;
mod outlier;
mod outlook;
mod practical_threshold;
mod rename;
mod run_comparison;
mod run_energy;
mod runs_in_turns;

pub use blame::{Blame, BlamedPart};
pub use change_verdict::Verdict;
pub use common_error::CommonError;
pub use energy_change::{Change, ModelDifference};
pub use false_discovery::{Dependence, adjusted};
pub use mean_energy::MeanEnergy;
pub use outlook::Outlook;
pub use practical_threshold::{Threshold, ThresholdError};
pub use rename::{Confidence, MethodShape, Rename, renames};
pub use run_comparison::{Arrangement, RunComparison};
pub use run_energy::{Build, Run};
