//! The order of rows.

use std::cmp::Ordering;

use crate::Figure;

/// Most energy first, no data last.
pub fn by_energy(a: Figure, b: Figure) -> Ordering {
    b.rank().total_cmp(&a.rank())
}
