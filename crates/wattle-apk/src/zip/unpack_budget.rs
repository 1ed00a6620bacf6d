//! The bytes that all packages of a run may unpack to.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::zip::entry_reading::ReadLimit;
use crate::zip::zip_entry::{Entry, Method};
use crate::{ApkError, EntryProblem};

/// The bytes that all packages of a run may unpack to, those inside others included: what is unpacked is held in memory. Stored entries count
/// nothing, because they are as large as they are in the file.
#[derive(Debug)]
pub struct UnpackBudget {
    most: u64,
    left: AtomicU64,
    was_refused: AtomicU64,
}

impl Default for UnpackBudget {
    fn default() -> Self {
        Self::new(Self::DEFAULT)
    }
}

impl UnpackBudget {
    /// 512 MB: five times the code of the largest applications.
    pub const DEFAULT: u64 = 512_000_000;

    /// Of so many bytes.
    pub const fn new(most: u64) -> Self {
        Self { most, left: AtomicU64::new(most), was_refused: AtomicU64::new(0) }
    }

    /// The content of an entry, as [`Entry::read`] gives it, if the budget is enough for it; it is taken off the budget.
    pub fn read(&self, entry: &Entry<'_>) -> Result<Vec<u8>, ApkError> {
        let asked = match entry.method() {
            Method::Stored => 0,
            Method::Deflated => u64::from(entry.size()),
        };
        let taken = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(asked));
        match taken {
            Ok(_) => entry.read(ReadLimit(u64::MAX)),
            Err(left) => {
                self.was_refused.fetch_add(1, Ordering::Relaxed);
                Err(entry.error(EntryProblem::Budget { asked, left, most: self.most }))
            }
        }
    }

    /// Whether an entry was not read because of the budget.
    pub fn is_exceeded(&self) -> bool {
        self.was_refused.load(Ordering::Relaxed) > 0
    }
}
