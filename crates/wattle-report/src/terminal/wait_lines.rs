//! Why threads did not run.

use super::listing::Listing;
use super::style::Style::{Dim, Plain, Warning};
use super::terminal_page::Page;
use crate::WaitRow;

impl Page<'_> {
    /// Waits by thread, kind and waker; or why there are none.
    pub(super) fn waits(&self, to: &mut String) {
        let all = &self.report.software.waits;
        if all.is_empty() {
            let what = "No wait of these threads is known: the recording has no switches of the scheduler, or the ledger was saved \
                        without waits.";
            self.line_indented(to, Warning, what);
            let advice = "To have them, record the ftrace events sched_switch and sched_waking, and sched_blocked_reason for the kernel's \
                          functions.";
            self.line_indented(to, Plain, advice);
            return;
        }
        self.list_heading(to, "Waits by thread, reason and waker, most time first", all.len());
        let rows: Vec<&WaitRow> = all.iter().take(self.top).collect();
        self.table(&Listing::new(rows).table(), to);
        let line = "a wait lasts from the switch away to the wake-up; from there to the switch back it is runnable. Waits of several \
                    threads at once add up to more than the recording";
        self.line_indented(to, Dim, line);
    }
}
