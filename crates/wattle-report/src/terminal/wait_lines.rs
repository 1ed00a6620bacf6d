//! Why threads did not run.

use wattle_ledger::{NoWaits, WaitKind};
use wattle_units::Nanos;

use super::listing::Listing;
use super::style::Style::{Dim, Plain, Warning};
use super::terminal_page::Page;
use crate::WaitRow;
use crate::cells::{Seconds, grouped};

impl Page<'_> {
    /// Waits by thread, kind and waker; or why there are none.
    pub(super) fn waits(&self, to: &mut String) {
        let all = &self.report.software.waits;
        if all.is_empty() {
            return self.no_waits(to);
        }
        let of_kind = |kind: WaitKind| {
            let of_kind = all.iter().filter(|row| row.entry.kind == kind);
            let total = of_kind.fold(Nanos::ZERO, |sum, row| sum + row.entry.total);
            (total > Nanos::ZERO).then(|| format!("{} {}", Seconds(total), words(kind)))
        };
        let kinds: Vec<String> = WaitKind::ALL.into_iter().filter_map(of_kind).collect();
        let line = format!("Threads waited {}.", kinds.join(", "));
        self.paragraph(to, Plain, &line);
        to.push('\n');
        let (held_up, asleep): (Vec<_>, Vec<_>) = all.iter().partition(|row| row.is_held_up());
        self.wait_list(to, "Threads that had work and could not go on, most time first", &held_up);
        self.wait_list(to, "Threads asleep until something woke them, most time first", &asleep);
        let line = "a thread is asleep or blocked from the switch away to the wake-up; from there to the switch back it is runnable. \
                    Waits of several threads at once add up to more than the recording";
        self.line_indented(to, Dim, line);
        let doubtful = self.report.software.doubtful_waits;
        if doubtful > 0 {
            let line = format!(
                "not counted: {} waits while events of some CPU are missing, where the thread may have run",
                grouped(doubtful)
            );
            self.line_indented(to, Dim, &line);
        }
    }

    fn wait_list(&self, to: &mut String, what: &str, rows: &[&WaitRow]) {
        if rows.is_empty() {
            return;
        }
        self.list_heading(to, what, rows.len());
        let shown: Vec<&WaitRow> = rows.iter().copied().take(self.top).collect();
        self.table(&Listing::new(shown).table(), to);
    }

    fn no_waits(&self, to: &mut String) {
        let what = match self.report.software.no_waits {
            Some(NoWaits::NoSwitches) => {
                "How long threads waited is not known: this recording does not say when they came to a CPU and left it."
            }
            Some(NoWaits::Samples) => {
                "How long threads waited is not known: when they ran was inferred from samples, which do not say when they stopped."
            }
            Some(NoWaits::NoCpus) => {
                "How long threads waited is not known: this recording says when they ran, and not why they stopped."
            }
            None => {
                "No thread that is shown waited between two times on a CPU, or this ledger was saved without waits."
            }
        };
        self.line_indented(to, Warning, what);
        let advice = "To have them, record switches of the scheduler: on Android and Linux the events sched_switch and sched_waking, \
                      and sched_blocked_reason for the kernel's functions; on Windows CSwitch and ReadyThread.";
        self.line_indented(to, Plain, advice);
    }
}

/// The words for waits of a kind.
const fn words(kind: WaitKind) -> &'static str {
    match kind {
        WaitKind::Sleep => "asleep",
        WaitKind::Blocked => "blocked in the kernel",
        WaitKind::Disk => "for a disk",
        WaitKind::Runnable => "for a CPU",
        WaitKind::Stopped => "stopped",
    }
}
