//! Who is there and what they do.

use wattle_units::{BootNanos, Nanos};

use super::behaviour::Place;
use super::burst::{Burst, Wake};
use super::{Background, Behaviour, CodeModule, CodePath, TimerRequest};
use crate::SplitMix64;

/// A machine at idle.
#[derive(Clone, Debug, PartialEq)]
pub struct IdleMachine {
    /// Number of cores.
    pub cores: u32,
    /// Length of the observation.
    pub duration: Nanos,
    /// When that begins.
    pub start: BootNanos,
    /// Processes that run on it.
    pub processes: Vec<IdleProcess>,
    /// Paths of files that disk operations are of.
    pub files: Vec<String>,
    /// Requests for a finer clock; a Windows machine has them.
    pub timer_requests: Vec<TimerRequest>,
    /// Interval between samples of the running threads; none are taken if `None`.
    pub sampling: Option<Nanos>,
    /// Seed of all that is random.
    pub seed: u64,
}

/// A process.
#[derive(Clone, Debug, PartialEq)]
pub struct IdleProcess {
    /// Its number.
    pub pid: u32,
    /// Its name, as `foo` or `foo.exe`.
    pub name: String,
    /// The user it is of.
    pub uid: u32,
    /// Files of code in it.
    pub modules: Vec<CodeModule>,
    /// Its threads; the first one is the main thread.
    pub threads: Vec<IdleThread>,
}

/// A thread.
#[derive(Clone, Debug, PartialEq)]
pub struct IdleThread {
    /// Its number.
    pub tid: u32,
    /// Its name, if it has one.
    pub name: String,
    /// Random wake-ups between the stretches.
    pub background: Background,
    /// The code of those.
    pub background_path: CodePath,
    /// Injected behaviours of the thread, in order of time, none overlapping another; each with its code.
    pub behaviours: Vec<(Behaviour, CodePath)>,
}

impl IdleThread {
    /// Everything it does, in order of time.
    pub(super) fn bursts(&self, duration: i64, random: &SplitMix64) -> Vec<Burst> {
        let mut random = random.fork(u64::from(self.tid));
        let mut bursts = Vec::new();
        let mut free_from = 0;
        for (index, (behaviour, _)) in self.behaviours.iter().enumerate() {
            let (start, end) = behaviour.span(duration);
            bursts.extend(self.background.bursts((free_from, start), 0, &mut random));
            let place = Place { path: index as u16 + 1, stretch: index as u16 };
            let planted = behaviour.bursts(place, duration, &mut random);
            bursts.extend(planted);
            // What comes later than planned, for want of a core, must not run into what comes next.
            free_from = end + 1_000_000;
        }
        bursts.extend(self.background.bursts((free_from, duration), 0, &mut random));
        bursts
    }

    /// The code of a burst.
    pub(super) fn path(&self, path: u16) -> &CodePath {
        match path {
            0 => &self.background_path,
            other => &self.behaviours[usize::from(other) - 1].1,
        }
    }
}

impl Wake {
    /// When, for a thread that went to sleep at this time.
    pub(super) fn time(self, slept: i64) -> i64 {
        match self {
            Self::At(at) => at.max(slept),
            Self::After(length) => slept + length,
        }
    }
}
