//! Bytes of interfaces and disks, and what calls were given of them.

use super::listing::Listing;
use super::terminal_page::Page;

impl Page<'_> {
    pub(super) fn transfers(&self, to: &mut String) {
        let rows = &self.report.hardware.transfers;
        if rows.is_empty() {
            return;
        }
        self.list_heading(to, "Bytes", rows.len());
        self.table(&Listing::new(rows.iter().take(self.top).collect()).table(), to);
    }
}
