//! Errors of policies.

/// A policy that says nothing that could be checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GateError {
    /// A text that does not name a subject.
    #[error(
        "{0:?} is not a subject: expected app, total, component:NAME, method:PATTERN or finding:RULE"
    )]
    Subject(String),
    /// A text that is not an energy.
    #[error(
        "{0:?} is not an energy: expected a number with its unit, as in 300 mJ (J, mJ, uJ, kJ, mWh, Wh)"
    )]
    Limit(String),
    /// A rule without a limit.
    #[error("the rule for {0} has no limit: give it at-most, grow-at-most, or both")]
    NoLimit(String),
    /// A growth of something that earlier runs do not have.
    #[error(
        "{0}: grow-at-most is not for findings, which earlier runs were not searched for: give the rule at-most"
    )]
    FindingGrowth(String),
    /// A baseline of no runs.
    #[error("last = 0 leaves no run to compare with: expected 1 or more")]
    EmptyBaseline,
    /// No rules.
    #[error("there is nothing to check: wattle.toml has no [[check.rule]]")]
    NoRules,
    /// Runs that are not comparable with each other.
    #[error(
        "{run} cannot be checked together with the first run: {reason}; check them one after the other"
    )]
    Mixed {
        /// The run.
        run: String,
        /// The reason.
        reason: String,
    },
    /// No runs.
    #[error("there are no runs to check")]
    NoRuns,
}
