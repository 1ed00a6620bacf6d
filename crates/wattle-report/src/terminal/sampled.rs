//! Samples by thread and function, where no energy follows from them.

use super::listing::Listing;
use super::terminal_page::Page;

impl Page<'_> {
    pub(super) fn sampled(&self, to: &mut String) {
        let Some(sampled) = &self.report.software.sampled else { return };
        self.list_heading(to, "Sampled threads", sampled.threads.len());
        let mut listing = Listing::new(sampled.threads.iter().take(self.top).collect());
        listing.head("samples", &sampled.unit);
        self.table(&listing.table(), to);
        self.list_heading(to, "Sampled functions", sampled.functions.len());
        let listing = Listing::new(sampled.functions.iter().take(self.top).collect());
        self.table(&listing.table(), to);
    }
}
