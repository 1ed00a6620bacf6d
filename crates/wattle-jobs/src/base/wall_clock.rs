//! The wall clock of a server.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The clock that dates and expiry follow. Leases do not follow it: they are timed by
/// [`StillnessWatch`](crate::StillnessWatch), so that a clock that jumps takes no job from its worker.
#[derive(Clone, Debug, Default)]
pub enum WallClock {
    /// The machine's.
    #[default]
    System,
    /// One that is set by hand, Unix milliseconds.
    Manual(Arc<AtomicI64>),
}

impl WallClock {
    /// Unix milliseconds; 0 before 1970.
    pub fn now_ms(&self) -> i64 {
        match self {
            Self::System => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
            }
            Self::Manual(now) => now.load(Ordering::SeqCst),
        }
    }
}
