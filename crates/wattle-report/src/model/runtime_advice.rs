//! Advice that follows from the ART overhead.

use wattle_ledger::RuntimeClass::{
    self, AppStart, ClassLoading, GarbageCollection, JitCompilation,
};
use wattle_table::{Column, describe};
use wattle_units::Joules;

use super::RuntimeProcessRow;

/// Parts of a process's energy from which on advice is given: what is less is not worth anybody's time.
const LEAST_SHARE: f64 = 0.05;
/// Starting is what many short recordings are of: it takes more to be worth a word.
const LEAST_SHARE_OF_START: f64 = 0.2;
/// More than that many pieces of advice nobody reads.
const MOST: usize = 5;

/// A piece of advice with what is at stake.
#[derive(Clone, Debug, PartialEq)]
pub struct RuntimeAdvice {
    /// Its stable name: `baseline-profile`, `less-garbage`, `lighter-start`.
    pub code: &'static str,
    /// The process's number.
    pub pid: Option<u32>,
    /// The process's name.
    pub process: String,
    /// Energy of the classes that it is about.
    pub joules: Joules,
    /// Their part of what the process's threads drew.
    pub share: f64,
    /// In a sentence.
    pub text: String,
}

describe!(
    RuntimeAdvice,
    "runtime_advice",
    "advice on ART overhead",
    [
        Column::text(
            "code",
            "what it is, stable: `baseline-profile`, `less-garbage`, `lighter-start`",
            |row: &RuntimeAdvice| row.code
        ),
        Column::maybe_id("pid", "the process's number", |row: &RuntimeAdvice| row.pid),
        Column::text("process", "the process's name", |row: &RuntimeAdvice| &row.process),
        Column::number(
            "joules",
            "what the classes drew that it is about",
            |row: &RuntimeAdvice| row.joules.value()
        ),
        Column::number(
            "share",
            "their part of what the process's threads drew",
            |row: &RuntimeAdvice| row.share
        ),
        Column::text("text", "in a sentence", |row: &RuntimeAdvice| &row.text),
    ]
);

/// A kind of advice.
struct Kind {
    code: &'static str,
    classes: &'static [RuntimeClass],
    least_share: f64,
    what: &'static str,
}

const KINDS: [Kind; 3] = [
    Kind {
        code: "baseline-profile",
        classes: &[JitCompilation, ClassLoading],
        least_share: LEAST_SHARE,
        what: "a baseline profile has the methods that run first compiled, and their classes verified, when the app is installed",
    },
    Kind {
        code: "less-garbage",
        classes: &[GarbageCollection],
        least_share: LEAST_SHARE,
        what: "fewer objects that live shortly, in loops and while drawing, let the collector rest",
    },
    Kind {
        code: "lighter-start",
        classes: &[AppStart],
        least_share: LEAST_SHARE_OF_START,
        what: "what the first screen does not need can wait until it is shown",
    },
];

impl RuntimeAdvice {
    /// Of processes, the most at stake first. Without energy nothing follows.
    pub(super) fn from_processes(processes: &[RuntimeProcessRow]) -> Vec<Self> {
        let mut advice: Vec<_> = processes
            .iter()
            .flat_map(|row| KINDS.iter().filter_map(|kind| one(row, kind)))
            .collect();
        advice.sort_by(|a, b| b.joules.value().total_cmp(&a.joules.value()));
        advice.truncate(MOST);
        advice
    }
}

fn one(row: &RuntimeProcessRow, kind: &Kind) -> Option<RuntimeAdvice> {
    let whole = row.threads.joules().filter(|joules| joules.value() > 0.0)?;
    let mut parts = Vec::new();
    let mut joules = Joules::ZERO;
    for class in kind.classes {
        let drawn =
            row.classes.iter().find(|it| it.class == *class).and_then(|it| it.energy.joules());
        if let Some(drawn) = drawn {
            joules += drawn;
            parts.push(format!("{} drew {drawn}", class.title()));
        }
    }
    let share = joules / whole;
    if share < kind.least_share {
        return None;
    }
    let name = if row.name.is_empty() { "a process without name" } else { &row.name };
    let text = format!(
        "{name}: {}, {:.0} % of its {whole}; {}",
        parts.join(" and "),
        share * 100.0,
        kind.what
    );
    let (pid, process) = (row.pid, row.name.clone());
    Some(RuntimeAdvice { code: kind.code, pid, process, joules, share, text })
}
