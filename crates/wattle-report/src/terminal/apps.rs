//! Apps of which only the uid is known, most energy first.

use super::listing::Listing;
use super::terminal_page::Page;

impl Page<'_> {
    pub(super) fn apps(&self, to: &mut String) {
        let rows = &self.report.hardware.apps;
        if rows.is_empty() {
            return;
        }
        self.list_heading(to, "Apps", rows.len());
        self.table(&Listing::new(rows.iter().take(self.top).collect()).table(), to);
    }
}
