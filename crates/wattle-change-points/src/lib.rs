//! Change points in series of noisy runs, and the search for the first bad commit.
//!
//! A [`Monitor`] is given commit after commit, each with one or more runs, and says after each whether the newest one
//! *changed* the metric, is *flat*, is *flaky* (and why), or is *suspected* of a change that more commits or re-runs would
//! confirm. Noise may be Gaussian, bimodal, autocorrelated, spiked or drifting; which of them it is, is learned from the series.
//!
//! ```text
//! runs of a commit ──CommitSummary──► ShapeFilter × every NoiseShape ──► evidence for a step at each recent commit
//!                                                                            │ over the threshold of the suite
//!                                                            ChangePoint ◄───┘        [`Bisection`]: which commit exactly
//! ```
//!
//! Knows numbers only: no storage, no terminal, no unit. The same points give the same decisions, and a decision about a
//! commit is never taken back by later commits.
//!
//! ```
//! use wattle_change_points::{Direction, Monitor, MonitorOptions, Point};
//!
//! let mut monitor = Monitor::new(MonitorOptions::default());
//! for commit in 0..40_u32 {
//!     let level = if commit < 30 { 100.0 } else { 110.0 };
//!     let jitter = f64::from(commit * 7 % 5) - 2.0;
//!     monitor.push(&Point::from_values(u64::from(commit), [level + jitter, level - jitter / 2.0]));
//! }
//! let change = &monitor.change_points()[0];
//! assert_eq!(change.direction(), Direction::Up);
//! assert_eq!((change.range.last_good, change.range.first_bad), (29, 30));
//! ```

mod bisection;
mod carried_noise;
mod change_point;
mod clipping;
mod commit_summary;
mod commit_verdict;
mod evidence;
mod flaky_cause;
mod monitor;
mod monitor_options;
mod noise_band;
mod noise_shape;
mod outside_commits;
mod point;
mod rerun;
mod robust;
mod shape_filter;
mod step_scatter;

pub use bisection::{Bisection, BisectionOptions, BisectionOutcome, BisectionStep};
pub use change_point::{ChangePoint, CommitRange, Confirmation, Direction, StepSize};
pub use commit_verdict::Verdict;
pub use flaky_cause::FlakyCause;
pub use monitor::Monitor;
pub use monitor_options::MonitorOptions;
pub use noise_band::NoiseBand;
pub use point::{Conditions, Point, Run};
pub use rerun::{Rerun, RerunRequest};
