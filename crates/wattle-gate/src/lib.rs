//! The gate: whether runs keep the budgets and baselines of a policy.
//!
//! A [`Policy`] is what `wattle.toml` says: rules for the app, the whole run, components, methods and findings, each with an energy that is not
//! to be passed, a growth over earlier runs, or both. [`check`] judges [`GateRun`]s by it; [`mod@format`] has the forms in which
//! people and CI servers read the [`GateReport`].
//!
//! A rule fails only if the data say so for sure: the interval of a figure lies above the limit, or the test of a growth is definite after
//! correction for the number of rules. What the data leave open is [`CheckVerdict::Inconclusive`], with the number of runs that would
//! settle it, or [`CheckVerdict::Flaky`], with the cause of the scatter where one is seen.
//!
//! If a history has twelve commits before the judged one, `wattle-change-points` decides what is blamed on it: a change that was there
//! before is the level now, and a change that may be none asks for further runs ([`HistoryJudgement`]).

mod baseline;
mod baseline_choice;
mod check_policy;
mod check_report;
mod check_row;
mod check_rule;
mod check_subject;
mod check_verdict;
mod commit_series;
mod compared_runs;
mod energy_limit;
mod evaluation;
pub mod format;
mod gate_error;
mod growth_verdict;
mod history_judgement;
mod judged_run;
mod kept_runs;
mod name_pattern;
mod one_line;
mod scatter_cause;

pub use baseline::{Baseline, BaselineOrigin};
pub use baseline_choice::BaselineChoice;
pub use check_policy::Policy;
pub use check_report::{ComparedTo, GateReport};
pub use check_row::{CheckRow, Measured};
pub use check_rule::CheckRule;
pub use check_subject::Subject;
pub use check_verdict::CheckVerdict;
pub use energy_limit::EnergyLimit;
pub use evaluation::check;
pub use gate_error::GateError;
pub use history_judgement::{CommitChange, HistoryFinding, HistoryJudgement, RerunPlan};
pub use judged_run::{Energy, FindingEnergy, GateRun, RunFigure};
pub use kept_runs::{
    EarlierRuns, JudgedRuns, KeptRunsError, LatestRuns, earlier_runs, kept_run, latest_runs,
};
pub use name_pattern::NamePattern;
pub use scatter_cause::ScatterCause;
