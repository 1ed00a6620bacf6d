//! Findings that are known and accepted.

use serde::Deserialize;
use wattle_ledger::allocation::NamePattern;
use wattle_timeline::{Note, Severity};

use crate::{AcceptedFinding, Diagnosis, Finding, KnownFindings};

/// A choice to accept findings (`[[diagnose.accept]]` of `wattle.toml`). In every text `*` stands for any text; what is absent fits all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Acceptance {
    /// The rule.
    pub rule: String,
    /// The process, app or account that the finding is about.
    pub subject: Option<String>,
    /// The thread's name, without its number.
    pub thread: Option<String>,
    /// The function or section.
    pub place: Option<String>,
    /// The reason for accepting them.
    pub reason: String,
    /// The last day on which they are accepted, `YYYY-MM-DD`; absent for ever.
    pub until: Option<String>,
}

impl Acceptance {
    /// Whether it is about the finding.
    fn is_of(&self, finding: &Finding) -> bool {
        let fits = |pattern: Option<&String>, text: Option<&str>| {
            pattern.is_none_or(|it| NamePattern::new(it).matches(text.unwrap_or_default()))
        };
        NamePattern::new(&self.rule).matches(&finding.rule.0)
            && fits(self.subject.as_ref(), finding.who.as_deref())
            && fits(self.thread.as_ref(), finding.thread_name())
            && fits(self.place.as_ref(), finding.place.as_ref().map(|it| it.function.as_str()))
    }

    /// Whether its last day is before today; days are `YYYY-MM-DD`, which sort as texts.
    fn is_over(&self, today: &str) -> bool {
        self.until.as_deref().is_some_and(|until| until < today)
    }
}

impl Diagnosis {
    /// Moves findings that somebody accepts out of [`Diagnosis::findings`] into [`Diagnosis::accepted`]. A choice whose last day is
    /// before `today` (`YYYY-MM-DD`) accepts nothing any more, which a note says; so does one that no finding fits.
    pub fn accept(&mut self, choices: &[Acceptance], today: &str) {
        let mut used = vec![false; choices.len()];
        let mut left = Vec::new();
        for finding in std::mem::take(&mut self.findings) {
            let fitting = |it: &(usize, &Acceptance)| it.1.is_of(&finding);
            let choice =
                choices.iter().enumerate().filter(fitting).min_by_key(|it| it.1.is_over(today));
            let Some((index, choice)) = choice else {
                left.push(finding);
                continue;
            };
            if let Some(used) = used.get_mut(index) {
                *used = true;
            }
            if choice.is_over(today) {
                let until = choice.until.as_deref().unwrap_or_default();
                let text = format!(
                    "{}: accepted until {until} only ({}): it counts again",
                    finding.rule, choice.reason
                );
                self.notes.push(Note::new(Severity::Warning, "acceptance-over", text));
                left.push(finding);
                continue;
            }
            let (reason, until) = (choice.reason.clone(), choice.until.clone());
            self.accepted.push(AcceptedFinding { finding, reason, until });
        }
        self.findings = left;
        let idle = choices.iter().zip(used).filter(|(_, used)| !used).count();
        if idle > 0 {
            let text = "choices of [[diagnose.accept]] fit no finding: the defects may be gone";
            self.notes
                .push(Note::new(Severity::Info, "acceptance-unused", text).times(idle as u64));
        }
    }

    /// Moves findings of a baseline out of [`Diagnosis::findings`] into [`Diagnosis::accepted`].
    pub fn accept_known(&mut self, known: &KnownFindings) {
        let findings = std::mem::take(&mut self.findings);
        let (known, new): (Vec<_>, Vec<_>) = findings.into_iter().partition(|it| known.has(it));
        self.findings = new;
        let reason = || "known from the baseline".to_owned();
        self.accepted.extend(known.into_iter().map(|finding| AcceptedFinding {
            finding,
            reason: reason(),
            until: None,
        }));
    }
}
