//! A defect with its cause, its place in the code and the joules at stake.

use serde::{Deserialize, Serialize};
use wattle_timeline::Window;
use wattle_units::Estimate;

use crate::{Confidence, FindingSeverity, RuleId};

/// One thing that was seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The observation, in a sentence with its figures.
    pub text: String,
    /// When; `None` where only totals are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
}

/// A place in the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodePlace {
    /// The function or method, as frames are shown.
    pub function: String,
    /// Its source file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Its callers, outermost first, itself last; empty where they are not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<String>,
}

/// A defect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Which rule found it.
    pub rule: RuleId,
    /// Its severity.
    pub severity: FindingSeverity,
    /// Confidence that it is a defect, with the reason.
    #[serde(default)]
    pub confidence: Confidence,
    /// The defect, in a line with names and figures.
    pub title: String,
    /// Who: the name of a process, a package, a uid or an interrupt; `None` for the device as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub who: Option<String>,
    /// Which thread: `name (tid)`, `thread tid` where it has no name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// Observations, the most severe first.
    pub evidence: Vec<Evidence>,
    /// Place in the program, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<CodePlace>,
    /// The energy that mending it could save at most; `None` where no energy is known. Findings can be of the same energy: they do
    /// not add up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_stake: Option<Estimate>,
    /// The same by the hours of the recording, in joules: what to compare findings of recordings of different lengths by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joules_per_hour: Option<f64>,
    /// The fix for this finding.
    pub remedy: String,
}

impl Finding {
    /// The thread's name without its number, which is another one in the next recording.
    pub fn thread_name(&self) -> Option<&str> {
        let thread = self.thread.as_deref()?;
        Some(thread.rsplit_once(" (").map_or(thread, |(name, _)| name))
    }

    /// The kernel's number of the thread.
    pub fn thread_number(&self) -> Option<u32> {
        let thread = self.thread.as_deref()?;
        let number = match thread.rsplit_once(" (") {
            Some((_, number)) => number.strip_suffix(')')?,
            None => thread.strip_prefix("thread ")?,
        };
        number.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_names_and_numbers() {
        let finding = |thread: Option<&str>| Finding {
            rule: RuleId("busy-wait".to_owned()),
            severity: FindingSeverity::Note,
            confidence: Confidence::default(),
            title: String::new(),
            who: None,
            thread: thread.map(str::to_owned),
            evidence: Vec::new(),
            place: None,
            at_stake: None,
            joules_per_hour: None,
            remedy: String::new(),
        };
        for (thread, name, number) in [
            (Some("Waiter (4711)"), Some("Waiter"), Some(4711)),
            (Some("pool (2) (12)"), Some("pool (2)"), Some(12)),
            (Some("thread 9"), Some("thread 9"), Some(9)),
            (Some("Waiter (x)"), Some("Waiter"), None),
            (None, None, None),
        ] {
            let finding = finding(thread);
            assert_eq!(finding.thread_name(), name);
            assert_eq!(finding.thread_number(), number, "{thread:?}");
        }
    }
}
