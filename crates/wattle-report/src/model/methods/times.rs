//! Run times of methods, by the clocks that were read at their entries and exits.

use wattle_ledger::Ledger;
use wattle_units::Nanos;

use super::outermost::Around;
use super::owners::NOBODY;
use crate::model::CallTree;

/// Times of one owner. Beside the ledger: energy follows the scheduler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Times {
    /// From entry to exit; once where a path lies inside another of the same owner.
    pub wall: Nanos,
    /// Without what was called.
    pub own_wall: Nanos,
    /// The same by the thread's own clock; `None` where nobody read that.
    pub cpu: Option<Nanos>,
    pub own_cpu: Option<Nanos>,
    /// Time on a CPU by the scheduler; `None` where that was not recorded.
    pub scheduled: Option<Nanos>,
    pub own_scheduled: Option<Nanos>,
}

/// The times of all owners.
pub(super) fn by_owner(
    ledger: &Ledger,
    tree: &CallTree,
    owners: &[u32],
    count: usize,
    around: &[Option<Around>],
) -> Vec<Times> {
    let mut all = vec![Times::default(); count];
    let mut wall_inside = vec![Nanos::ZERO; ledger.rows.paths.len()];
    let mut cpu_inside = vec![Nanos::ZERO; ledger.rows.paths.len()];
    let mut scheduled: Vec<Nanos> = ledger.rows.paths.iter().map(|path| path.self_cpu).collect();
    let mut by_scheduler = vec![(Nanos::ZERO, Nanos::ZERO); count];
    // Callees come after their callers: going backwards, a path's callees are complete when it is reached.
    for (at, path) in ledger.rows.paths.iter().enumerate().rev() {
        let (wall, cpu) = (wall_inside[at], cpu_inside[at]);
        if let Some(caller) = tree.caller(at) {
            wall_inside[caller] += path.wall;
            // Sections of a thread that is traced have no clock of their own, but methods inside them may.
            cpu_inside[caller] += path.clock_cpu.unwrap_or(cpu);
            let inside = scheduled[at];
            scheduled[caller] += inside;
        }
        let owner = owners.get(at).copied().unwrap_or(NOBODY);
        let Some(times) = all.get_mut(owner as usize) else { continue };
        let is_outermost = around.get(at).is_some_and(Option::is_none);
        let (own, total) = &mut by_scheduler[owner as usize];
        *own += path.self_cpu;
        if is_outermost {
            *total += scheduled[at];
        }
        times.own_wall += (path.wall - wall).max(Nanos::ZERO);
        if is_outermost {
            times.wall += path.wall;
        }
        if let Some(clock) = path.clock_cpu {
            *times.own_cpu.get_or_insert(Nanos::ZERO) += (clock - cpu).max(Nanos::ZERO);
            let total = times.cpu.get_or_insert(Nanos::ZERO);
            if is_outermost {
                *total += clock;
            }
        }
    }
    if ledger.recording.has_scheduler {
        for (times, (own, total)) in all.iter_mut().zip(by_scheduler) {
            (times.own_scheduled, times.scheduled) = (Some(own), Some(total));
        }
    }
    all
}
