//! Verdicts that differ, and why.

use std::fmt;

use super::referee::Opinion;

/// Rules of ours that Android's checkers do not have, with what they protect.
const STRICTER: &[(&str, &str)] = &[];

/// Reasons of Android's checkers that are none for us.
const MILDER: &[(&str, &str)] = &[];

/// A difference that nothing explains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dispute {
    /// Another checker refuses what we accept.
    Missed { by: &'static str, reason: String },
    /// We refuse what all others accept.
    Alarm { rule: String },
}

impl fmt::Display for Dispute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missed { by, reason } => write!(f, "missed: {by}: {reason}"),
            Self::Alarm { rule } => write!(f, "alarm: {rule}"),
        }
    }
}

/// What comes of the verdicts on one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// All accept it.
    Accepted,
    /// All refuse it, or we do and the runtime could not check it.
    Refused,
    /// The runtime could not check some of it, and we accept it.
    Doubted,
    /// A difference with a reason.
    Explained(&'static str),
    /// Any other.
    Disputed(Dispute),
}

impl Judgement {
    /// Of our opinion and those of the others.
    pub fn new(ours: &Opinion, theirs: &[Opinion]) -> Self {
        let refusal = theirs.iter().find(|it| it.is_refusal());
        match (ours.reasons.first(), refusal) {
            (Some(_), Some(_)) => Self::Refused,
            (None, None) => {
                if theirs.iter().any(|it| it.is_doubt) {
                    Self::Doubted
                } else {
                    Self::Accepted
                }
            }
            (None, Some(refusal)) => {
                let reason = refusal.reasons.first().cloned().unwrap_or_default();
                match explained(MILDER, &reason) {
                    Some(why) => Self::Explained(why),
                    None => Self::Disputed(Dispute::Missed { by: refusal.by, reason }),
                }
            }
            (Some(_), None) if theirs.iter().any(|it| it.is_doubt) => Self::Refused,
            (Some(rule), None) => {
                // One that is not explained counts.
                let unexplained = ours.reasons.iter().find(|it| explained(STRICTER, it).is_none());
                match unexplained {
                    Some(rule) => Self::Disputed(Dispute::Alarm { rule: rule.clone() }),
                    None => Self::Explained(explained(STRICTER, rule).unwrap_or_default()),
                }
            }
        }
    }
}

fn explained(table: &[(&'static str, &'static str)], reason: &str) -> Option<&'static str> {
    table.iter().find(|(part, _)| reason.contains(part)).map(|(_, why)| *why)
}

impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Accepted => f.write_str("accepted by all"),
            Self::Refused => f.write_str("refused by all"),
            Self::Doubted => f.write_str("accepted, with classes that the runtime could not check"),
            Self::Explained(why) => write!(f, "explained: {why}"),
            Self::Disputed(dispute) => write!(f, "DISPUTED {dispute}"),
        }
    }
}
