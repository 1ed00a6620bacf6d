//! The host's wall clock.

use std::time::{SystemTime, UNIX_EPOCH};

/// Unix time in nanoseconds. A clock that stands before 1970 counts as 1970.
pub(crate) fn unix_nanos() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
