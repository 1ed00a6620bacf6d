//! Whether what a ledger file says of the app's code is consistent.

use crate::check::{points, refuse};
use crate::{Ledger, LedgerError};

impl Ledger {
    /// That places in the code, the sheet of API costs, and statistics of calls point to rows that are there.
    pub(crate) fn check_code(&self) -> Result<(), LedgerError> {
        let sites = self.rows.sites.len();
        let to_site = |what, index, site: Option<u32>| match site {
            Some(site) => points((what, index), "site", site as usize, sites),
            None => Ok(()),
        };
        for (index, path) in self.rows.paths.iter().enumerate() {
            to_site("path", index, path.site)?;
        }
        let apis = self.sheets.apis.apis.len();
        for (index, site) in self.rows.sites.iter().enumerate() {
            to_site("site", index, site.within)?;
            if let Some(api) = site.api {
                points(("site", index), "API", api as usize, apis)?;
            }
        }
        for (index, entry) in self.rows.inlined.iter().enumerate() {
            to_site("inlined method", index, Some(entry.site))?;
        }
        for (index, class) in self.sheets.coverage.iter().enumerate() {
            if class.executed > class.methods {
                let problem = format!("executed {} of {} methods", class.executed, class.methods);
                refuse("coverage", index, problem)?;
            }
        }
        let tables = self.sheets.apis.tables.len();
        for (index, api) in self.sheets.apis.apis.iter().enumerate() {
            if let Some(cost) = &api.cost {
                points(("API", index), "table", cost.table as usize, tables)?;
            }
        }
        for (index, stats) in self.sheets.call_stats.iter().enumerate() {
            to_site("statistics of calls", index, stats.site)?;
        }
        for (index, entry) in self.test_runs.methods.iter().enumerate() {
            points(
                ("method of a test", index),
                "test",
                entry.test as usize,
                self.test_runs.tests.len(),
            )?;
            to_site("method of a test", index, Some(entry.site))?;
        }
        let order = |pair: &[crate::TestMethodEntry]| match pair {
            [one, other] => (one.test, one.site) < (other.test, other.site),
            _ => true,
        };
        match self.test_runs.methods.windows(2).position(|pair| !order(pair)) {
            Some(index) => {
                refuse("method of a test", index + 1, "does not follow the one before".to_owned())
            }
            None => Ok(()),
        }
    }
}
