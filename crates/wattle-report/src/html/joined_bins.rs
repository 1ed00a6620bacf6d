//! Bins of time that are joined, so that a page has few enough cells.

use std::ops::AddAssign;

use wattle_units::sum_by_key;

/// Fewer bins are no selection of time.
const FEWEST: u32 = 64;

/// Joins bins in pairs until there are few enough cells by key and bin. How often: there are `count.div_ceil(1 << halved)` bins then.
pub(super) fn joined<K: Ord + Copy, V: AddAssign + Copy>(
    cells: &mut Vec<((K, u32), V)>,
    mut count: u32,
    most: usize,
) -> u32 {
    let mut halved = 0;
    while cells.len() > most && count >= 2 * FEWEST {
        for ((_, bin), _) in cells.iter_mut() {
            *bin >>= 1;
        }
        sum_by_key(cells);
        count = count.div_ceil(2);
        halved += 1;
    }
    halved
}
