//! The verdict on a growth.

use wattle_compare::{Change, Outlook, Threshold, Verdict};
use wattle_units::{Joules, Si};

use crate::compared_runs::Against;
use crate::history_judgement::{CommitChange, HistoryFinding, HistoryJudgement, RUNS_AT_ONCE};
use crate::one_line::{one_line, si};
use crate::{CheckRow, CheckVerdict, Measured, ScatterCause};

/// Commits for which a change that is part of the level now is still mentioned.
const MENTIONED: usize = 30;

/// The verdict on a growth, and how it is told.
#[derive(Clone, Debug)]
pub(crate) struct Growth {
    pub verdict: CheckVerdict,
    /// A few words.
    pub gist: String,
    /// A sentence.
    pub text: String,
    pub cause: Option<ScatterCause>,
}

impl Growth {
    /// The verdict by the runs of the level before alone, and then by the commits before, where there are enough.
    pub fn new(row: &CheckRow, allowed: &Threshold, against: &Against<'_>) -> Self {
        let (Some(change), Some(before)) = (row.change, row.baseline) else {
            let why = if against.runs.is_empty() {
                format!("nothing to compare with in {}", against.describe(0))
            } else {
                format!("{} does not have it", against.describe(against.runs.len()))
            };
            let gist = format!("not compared: {why}");
            return Self { verdict: CheckVerdict::NotMeasured, gist, text: why, cause: None };
        };
        let direct = Self::directly(row, allowed, (change, before), against);
        match &row.history {
            Some(history) => direct.by_history(row, history, (allowed, against.is_same_branch)),
            None => direct,
        }
    }

    fn directly(
        row: &CheckRow,
        allowed: &Threshold,
        (change, before): (Change, Measured),
        against: &Against<'_>,
    ) -> Self {
        let text = format!(
            "{} over {} ({}), {} more allowed",
            size(change.joules.value(), row.share()),
            against.describe(before.runs),
            si(before.energy.joules),
            threshold(allowed)
        );
        let grown = size(change.joules.value(), row.share());
        let gist = format!("{grown} (at most {} more)", threshold(allowed));
        let with = |verdict, text| Self { verdict, gist: gist.clone(), text, cause: None };
        let is_single = before.runs == 1 && row.measured.is_none_or(|now| now.runs == 1);
        if is_single && change.interval.high > change.threshold {
            let why = "one run each says how these runs differ, not how the builds do";
            return with(CheckVerdict::Inconclusive, format!("{text}; {why}"));
        }
        if change.verdict() == Verdict::Higher {
            return with(CheckVerdict::Failed, text);
        }
        if change.interval.high <= change.threshold {
            return with(CheckVerdict::Passed, text);
        }
        let outlook = match change.outlook {
            Outlook::Settled => None,
            other => other.sentence(),
        };
        let outlook = outlook.unwrap_or_else(|| {
            format!("it may be up to {} more", si(change.interval.high.value()))
        });
        with(CheckVerdict::Inconclusive, format!("{text}; {outlook}"))
    }

    /// The verdict by the commits before. They decide what is blamed on this one; what its own runs leave no room for stays passed.
    fn by_history(
        self,
        row: &CheckRow,
        history: &HistoryJudgement,
        (allowed, is_same_branch): (&Threshold, bool),
    ) -> Self {
        let is_too_much = |change: &CommitChange| {
            let before = Joules::new(change.before);
            let grown = Joules::new(change.before + change.joules);
            change.joules > allowed.between(before, grown).value()
        };
        // Far above the level when its first commit was judged, which failed then.
        let has_failed = row.beyond.zip(row.baseline).is_some_and(|(joules, before)| {
            let before = before.energy.value();
            joules > allowed.between(before, before + Joules::new(joules)).value()
        });
        match &history.finding {
            HistoryFinding::Here(change) if is_too_much(change) => {
                let how = if change.by_reruns { "runs in turns" } else { "the commits before" };
                let text = format!("{} with this commit, certain by {how}", change_size(change));
                let gist = format!("{} with this commit", change_size(change));
                self.with(CheckVerdict::Failed, &text).about(&gist, allowed)
            }
            HistoryFinding::Earlier(change)
                if is_too_much(change) && is_same_branch && !has_failed =>
            {
                let text = format!("{}, certain with this one", since(change));
                self.with(CheckVerdict::Failed, &text).about(&since(change), allowed)
            }
            HistoryFinding::Earlier(change) => self.eased(history, &since(change)),
            HistoryFinding::Suspected { change, rerun } if change.commits_ago == 0 => {
                if self.verdict == CheckVerdict::Passed {
                    return self.mentioning(history, is_too_much);
                }
                if has_failed {
                    return self.with(CheckVerdict::Failed, FAR_BEYOND);
                }
                let text = format!(
                    "a change of {} is suspected: {} more runs of {} and of {} in turns would decide",
                    change_size(change),
                    rerun.pairs,
                    one_line(&rerun.before),
                    one_line(&rerun.after)
                );
                let gist = format!("{} suspected", change_size(change));
                self.with(CheckVerdict::Inconclusive, &text).about(&gist, allowed)
            }
            HistoryFinding::Suspected { change, .. } if is_too_much(change) => {
                let text = format!("suspected {}, not certain yet", since(change));
                self.eased(history, &text)
            }
            HistoryFinding::Flaky(_) | HistoryFinding::Outside | HistoryFinding::Quiet
                if has_failed && self.verdict != CheckVerdict::Passed =>
            {
                self.with(CheckVerdict::Failed, FAR_BEYOND)
            }
            HistoryFinding::Flaky(cause) if self.verdict != CheckVerdict::Passed => {
                let cause = ScatterCause::Series(*cause);
                let text =
                    format!("the commits before scatter too much to tell: {}", cause.describe());
                Self { cause: Some(cause), ..self.with(CheckVerdict::Flaky, &text) }
            }
            HistoryFinding::Outside if self.verdict != CheckVerdict::Passed => {
                let is_few = row.measured.is_some_and(|now| now.runs < RUNS_AT_ONCE);
                let how = if is_few {
                    format!("{RUNS_AT_ONCE} runs of this commit, or the next commits, will tell")
                } else {
                    "the next commits will tell".to_owned()
                };
                let text = format!("outside of what the commits before it make likely: {how}");
                self.with(CheckVerdict::Inconclusive, &text)
            }
            HistoryFinding::Flaky(_)
            | HistoryFinding::Outside
            | HistoryFinding::Here(_)
            | HistoryFinding::Suspected { .. }
            | HistoryFinding::Quiet => self.eased(history, "").mentioning(history, is_too_much),
        }
    }

    fn with(self, verdict: CheckVerdict, text: &str) -> Self {
        Self { verdict, gist: self.gist, text: format!("{}; {text}", self.text), cause: None }
    }

    /// The same with the change that decides it as the first thing that is said.
    fn about(self, change: &str, allowed: &Threshold) -> Self {
        Self { gist: format!("{change} (at most {} more)", threshold(allowed)), ..self }
    }

    /// Not failed, and why.
    fn eased(self, history: &HistoryJudgement, text: &str) -> Self {
        let reason = match self.verdict {
            CheckVerdict::Failed if text.is_empty() => {
                format!("the {} commits before differ as much from each other", history.commits)
            }
            _ => text.to_owned(),
        };
        let verdict = match self.verdict {
            CheckVerdict::Failed => CheckVerdict::Inconclusive,
            other => other,
        };
        if reason.is_empty() { self } else { self.with(verdict, &reason) }
    }

    /// The same with a change that is part of the level by now.
    fn mentioning(
        self,
        history: &HistoryJudgement,
        is_too_much: impl Fn(&CommitChange) -> bool,
    ) -> Self {
        match &history.since {
            Some(change) if change.commits_ago <= MENTIONED && is_too_much(change) => {
                let (verdict, cause) = (self.verdict, self.cause);
                Self { cause, ..self.with(verdict, &since(change)) }
            }
            _ => self,
        }
    }
}

/// Of a commit that fails at once.
const FAR_BEYOND: &str = "far beyond every run of this level";

/// `+8.1 % since 0123abcde (3 commits before)`.
fn since(change: &CommitChange) -> String {
    let ago = match change.commits_ago {
        1 => "1 commit before".to_owned(),
        count => format!("{count} commits before"),
    };
    format!("{} since {} ({ago})", change_size(change), one_line(&change.commit))
}

fn change_size(change: &CommitChange) -> String {
    size(change.joules, change.share())
}

/// `+8.1 %`, or joules where there is nothing to take a share of.
fn size(joules: f64, share: Option<f64>) -> String {
    let sign = if joules < 0.0 { "−" } else { "+" };
    match share {
        Some(share) => format!("{sign}{:.1} %", share.abs() * 100.0),
        None => format!("{sign}{}", Si { value: joules.abs(), unit: "J" }),
    }
}

/// `5 %`, `2 mJ`, `5 % and 2 mJ`.
fn threshold(allowed: &Threshold) -> String {
    let share = format!("{} %", trimmed(allowed.share * 100.0));
    match (allowed.share > 0.0, allowed.joules > Joules::ZERO) {
        (true, false) => share,
        (true, true) => format!("{share} and at least {}", si(allowed.joules.value())),
        (false, _) => si(allowed.joules.value()),
    }
}

/// A number without needless digits.
fn trimmed(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
