//! Whom a diagnosis is about.

use serde::{Deserialize, Serialize};
use wattle_timeline::{Pid, ProcessId, ThreadId, Tid, Uid};
use wattle_units::{Estimate, Nanos};

/// A process as a user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcessChoice {
    /// By the kernel's number: all lives that bore it.
    Number(Pid),
    /// By name: the whole one, its last part (`/system/bin/traced`), or its package; upper and lower case are one (Windows).
    Name(String),
}

impl ProcessChoice {
    /// A number where the word is one, else a name.
    pub fn from_word(word: &str) -> Self {
        word.parse().map_or_else(|_| Self::Name(word.to_owned()), |pid| Self::Number(Pid(pid)))
    }
}

/// A process that was looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Subject {
    /// Which of the timeline; `None` for a thread of which the recording names no process: it is taken as one of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process: Option<ProcessId>,
    /// The kernel's number; that of the thread where no process is known.
    pub pid: Pid,
    /// Its name; `None` where nothing said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its package, if it is of an app.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// Its user id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uid: Option<Uid>,
    /// Time of its threads on CPUs where it was looked at (idle intervals).
    pub cpu: Nanos,
    /// Events of its threads there.
    pub events: u64,
    /// Energy of its threads in that time; `None` without energy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<Estimate>,
}

/// A thread that was looked at, and what its regions are held against.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThreadUse {
    /// Which of the timeline.
    pub thread: ThreadId,
    /// Whose: index into [`crate::Diagnosis::subjects`].
    pub subject: u32,
    /// The kernel's number.
    pub tid: Tid,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// On CPUs, where it was looked at.
    pub cpu: Nanos,
    /// The same as a part of the time that was looked at: 1 is one core all the time.
    pub cpu_use: f64,
    /// Its events there.
    pub events: u64,
    /// Events each second there.
    pub events_per_second: f64,
    /// Times per second that it came to a CPU after it had slept.
    pub wakeups_per_second: f64,
    /// Energy of the thread in that time; `None` without energy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<Estimate>,
}
