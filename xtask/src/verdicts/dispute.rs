//! Verdicts that differ, and why.

use std::collections::BTreeSet;
use std::fmt;

use super::referee::{Opinion, Reason};

/// Rules of ours that Android's checkers do not have, with what they protect.
const STRICTER: &[(&str, &str)] = &[
    (
        "archive ",
        "apksigner believes the directory of an archive; the platform also reads the local headers, and refuses what contradicts",
    ),
    (
        "init code_item: an uninitialised",
        "ours only: a constructor of another class than the superclass; the runtime's check is commented out",
    ),
    (
        "index code_item: a number that its table has",
        "ours only: constants of a handle or signature that is not there; the runtime looks when they are used",
    ),
    (
        "instruction code_item: an instruction that ends inside the code",
        "ours only: a nop with bits that mean nothing, which no assembler writes",
    ),
    (
        "signature : an APK Signing Block that can be read",
        "ours only: what stands in the signing block behind the signatures; the platform stops at the scheme that it looks for",
    ),
    ("alignment ", "ours only: a section that begins with the bytes that align it"),
    (
        "debug-info ",
        "ours only: lines and names of variables are read by debuggers and by stack traces, not by checkers",
    ),
    (
        "offset code_item: the offset of a debug_info_item",
        "ours only: lines and names of variables are read by debuggers and by stack traces, not by checkers",
    ),
    (
        "order class_data_item: members in ascending order, each once",
        "ours only: a member that is listed twice; the runtime takes the first",
    ),
    (
        "offset annotation_set_item: the offset of an annotation",
        "ours only: an annotation set with an empty place, which no tool writes",
    ),
    ("readable class_def_item", "ours only: a source file's name that is not there"),
];

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

/// All verdicts on one file together.
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
    /// Of our opinion and those of the others on a change of a file, of which the runtime could not check these classes as it was.
    pub fn new(ours: &Opinion, theirs: &[Opinion], known: &BTreeSet<String>) -> Self {
        let refusal = theirs.iter().find(|it| it.is_refusal());
        let has_doubt = theirs.iter().any(|it| it.is_doubt);
        if let (true, Some(refusal)) = (ours.reasons.is_empty(), refusal) {
            let reason = refusal.reasons.first().map_or("", |reason| &reason.text);
            return explained(MILDER, reason).map_or_else(
                || Self::Disputed(Dispute::Missed { by: refusal.by, reason: reason.to_owned() }),
                Self::Explained,
            );
        }
        let Some(first) = ours.reasons.first() else {
            return if has_doubt { Self::Doubted } else { Self::Accepted };
        };
        if refusal.is_some() || has_doubt {
            return Self::Refused;
        }
        let is_checked = |reason: &&Reason| {
            let class = reason.class.as_deref();
            !class
                .is_some_and(|class| known.iter().any(|line| line.split(' ').nth(1) == Some(class)))
        };
        let checked: Vec<&Reason> = ours.reasons.iter().filter(is_checked).collect();
        if checked.is_empty() {
            return Self::Explained("of classes that the runtime could not check before either");
        }
        // One that is not explained counts.
        match checked.iter().find(|it| explained(STRICTER, &it.text).is_none()) {
            Some(reason) => Self::Disputed(Dispute::Alarm { rule: reason.text.clone() }),
            None => Self::Explained(explained(STRICTER, &first.text).unwrap_or("several of them")),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn opinion(reasons: &[&str], is_doubt: bool) -> Opinion {
        let reason = |text: &&str| {
            let (text, class) = text.split_once(" in ").unwrap_or((text, ""));
            let class = Some(class.to_owned()).filter(|class| !class.is_empty());
            Reason { text: text.to_owned(), class }
        };
        Opinion { by: "x", reasons: reasons.iter().map(reason).collect(), is_doubt }
    }

    #[track_caller]
    fn check(ours: &[&str], theirs: (&[&str], bool), expected: &str) {
        let known = BTreeSet::from(["SOFT a.B".to_owned()]);
        let theirs = opinion(theirs.0, theirs.1);
        let found = Judgement::new(&opinion(ours, false), &[theirs], &known).to_string();
        assert!(found.contains(expected), "{found}");
    }

    #[test]
    fn only_what_nothing_explains_is_disputed() {
        check(&[], (&[], false), "accepted by all");
        check(&[], (&[], true), "could not check");
        check(&["order"], (&["Out of order"], false), "refused by all");
        check(&["order"], (&[], true), "refused by all");
        check(&[], (&["Bad size"], false), "DISPUTED missed: x: Bad size");
        check(&["register code_item"], (&[], false), "DISPUTED alarm: register");
        check(&["register code_item in a.B"], (&[], false), "explained: of classes");
        check(&["debug-info code_item: x"], (&[], false), "explained: ours only");
        check(&["debug-info x", "register x"], (&[], false), "DISPUTED alarm: register");
    }
}
