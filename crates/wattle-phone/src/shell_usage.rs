//! CPU use of the shell's processes.

use std::collections::{BTreeMap, BTreeSet};

use wattle_sim::replay::ReplayEvent;
use wattle_units::Nanos;

use crate::core::Core;

/// Watches the shell's processes, which are the host's: when they end, what they start, and how long they run.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    /// Time on a CPU so far, in nanoseconds.
    used: BTreeMap<u32, u64>,
}

impl Usage {
    /// Looks once.
    pub(crate) fn look(&mut self, core: &Core) {
        let now = core.clock.boot();
        let shells: Vec<u32> = core
            .journal
            .running()
            .into_iter()
            .filter(|process| process.is_host)
            .map(|process| process.pid)
            .collect();
        let known: BTreeSet<u32> = shells.iter().copied().collect();
        for pid in shells {
            let Some(used) = on_cpu(pid) else {
                core.journal.end(now, pid);
                self.used.remove(&pid);
                continue;
            };
            let before = self.used.insert(pid, used).unwrap_or(0);
            let ran = i64::try_from(used.saturating_sub(before)).unwrap_or_default();
            if ran > 0 {
                // When exactly is not known: it ends now.
                let begin = now - Nanos::new(ran);
                core.journal.did(pid, pid, begin, ReplayEvent::Busy(now));
            }
            for child in children(pid).into_iter().filter(|child| !known.contains(child)) {
                let name =
                    std::fs::read_to_string(format!("/proc/{child}/comm")).unwrap_or_default();
                core.journal.adopt(now, child, pid, name.trim_end());
            }
        }
    }
}

/// Nanoseconds on a CPU: the first number of `schedstat`. `None` if there is no such process.
fn on_cpu(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/schedstat")).ok()?;
    // A process that has ended and was not waited for runs no more.
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    if state.rsplit(") ").next()?.starts_with('Z') {
        return None;
    }
    stat.split(' ').next()?.parse().ok()
}

/// Processes that a process has started.
fn children(pid: u32) -> Vec<u32> {
    let list = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    list.unwrap_or_default().split(' ').filter_map(|pid| pid.parse().ok()).collect()
}
