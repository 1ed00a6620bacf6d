//! Whether the waits of a ledger can be.

use wattle_units::Nanos;

use crate::check::refuse;
use crate::wait_entry::MOST;
use crate::{Ledger, LedgerError};

impl Ledger {
    /// That there are no more waits than are kept, and that times of each are those of its number.
    pub(crate) fn check_waits(&self) -> Result<(), LedgerError> {
        let waits = &self.sheets.waits;
        if waits.len() > MOST {
            refuse("wait", MOST, format!("is one too many: at most {MOST} are kept"))?;
        }
        for (index, wait) in waits.iter().enumerate() {
            if wait.count == 0 {
                refuse("wait", index, "never happened".to_owned())?;
            }
            if wait.longest < Nanos::ZERO || wait.longest > wait.total {
                refuse("wait", index, "is longer than all of its kind together".to_owned())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use wattle_timeline::Window;
    use wattle_units::{BootNanos, Nanos};

    use crate::wait_entry::MOST;
    use crate::{Ledger, WaitEntry, WaitKind};

    fn wait(count: u64, total: i64, longest: i64) -> WaitEntry {
        WaitEntry {
            pid: Some(1),
            process: "app".to_owned(),
            tid: 1,
            thread: "main".to_owned(),
            kind: WaitKind::Sleep,
            function: None,
            woken_by: None,
            count,
            total: Nanos::new(total),
            longest: Nanos::new(longest),
            longest_at: BootNanos::new(5),
        }
    }

    #[track_caller]
    fn check(waits: Vec<WaitEntry>, expected: Option<&str>) {
        let mut ledger = Ledger::empty(Window::new(BootNanos::new(0), BootNanos::new(100)));
        ledger.sheets.waits = waits;
        let found = ledger.check_waits().map_err(|error| error.to_string());
        match expected {
            None => assert_eq!(found, Ok(())),
            Some(part) => {
                assert!(found.clone().is_err_and(|text| text.contains(part)), "{found:?}");
            }
        }
    }

    #[test]
    fn waits_that_cannot_be_are_refused() {
        check(Vec::new(), None);
        check(vec![wait(1, 10, 10), wait(2, 10, 0)], None);
        check(vec![wait(1, 10, 10), wait(0, 0, 0)], Some("wait 1"));
        check(vec![wait(1, 10, 11)], Some("longer"));
        check(vec![wait(1, i64::MIN, i64::MIN)], Some("longer"));
        check(vec![wait(1, 10, 10); MOST + 1], Some("too many"));
    }
}
