//! Energy of hardware that belongs to an app and to none of its threads, most energy first.

use super::listing::Listing;
use super::terminal_page::Page;

impl Page<'_> {
    pub(super) fn apps(&self, to: &mut String) {
        let rows = &self.report.hardware.apps;
        if rows.is_empty() {
            return;
        }
        self.list_heading(to, "Hardware that apps used as a whole, by uid", rows.len());
        self.table(&Listing::new(rows.iter().take(self.top).collect()).table(), to);
    }
}
