//! CPU use of the shell's processes.

use std::collections::BTreeMap;

use wattle_sim::replay::ReplayEvent;
use wattle_units::Nanos;

use crate::core::Core;
use crate::sandbox::Guest;

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
        let Ok(sandbox) = core.sandbox() else { return };
        let guests: BTreeMap<u32, Guest> =
            sandbox.guests().into_iter().map(|guest| (guest.pid, guest)).collect();
        let shells = core.journal.running().into_iter().filter(|process| process.is_host);
        let shells: Vec<u32> = shells.map(|process| process.pid).collect();
        for pid in &shells {
            let used = guests.get(pid).and_then(|guest| on_cpu(guest.host));
            let Some(used) = used else {
                core.journal.end(now, *pid);
                self.used.remove(pid);
                continue;
            };
            let before = self.used.insert(*pid, used).unwrap_or(0);
            let ran = i64::try_from(used.saturating_sub(before)).unwrap_or_default();
            if ran > 0 {
                // When exactly is not known: it ends now.
                let begin = now - Nanos::new(ran);
                core.journal.did(*pid, *pid, begin, ReplayEvent::Busy(now));
            }
        }
        for guest in guests.values().filter(|guest| !shells.contains(&guest.pid)) {
            core.journal.adopt(now, guest.pid, guest.parent, &guest.name);
        }
    }
}

/// Nanoseconds on a CPU: the first number of `schedstat`. `None` if there is no such process.
fn on_cpu(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/schedstat")).ok()?;
    stat.split(' ').next()?.parse().ok()
}
