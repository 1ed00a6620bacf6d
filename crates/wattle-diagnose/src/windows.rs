//! Sets of time: windows in order, none touching another.

use wattle_timeline::Window;
use wattle_units::{BootNanos, Nanos};

/// In order, what touches or overlaps made one, what is empty dropped.
pub(crate) fn union(mut windows: Vec<Window>) -> Vec<Window> {
    windows.retain(|window| !window.is_empty());
    windows.sort_by_key(|window| window.start);
    windows.dedup_by(|later, earlier| {
        let touches = later.start <= earlier.end;
        if touches {
            earlier.end = earlier.end.max(later.end);
        }
        touches
    });
    windows
}

/// Returns the intersection of both sets.
pub(crate) fn intersection(one: &[Window], other: &[Window]) -> Vec<Window> {
    let (mut at, mut by) = (0, 0);
    let mut both = Vec::new();
    while let (Some(a), Some(b)) = (one.get(at), other.get(by)) {
        let common = a.intersect(*b);
        if !common.is_empty() {
            both.push(common);
        }
        if a.end <= b.end {
            at += 1;
        } else {
            by += 1;
        }
    }
    both
}

/// Returns the part of the first set that is not in the other.
pub(crate) fn difference(one: &[Window], other: &[Window]) -> Vec<Window> {
    let mut left = Vec::new();
    let mut by = 0;
    for window in one {
        let mut now = window.start;
        while other.get(by).is_some_and(|it| it.end <= now) {
            by += 1;
        }
        let mut at = by;
        while let Some(taken) = other.get(at).filter(|it| it.start < window.end) {
            if taken.start > now {
                left.push(Window::new(now, taken.start));
            }
            now = now.max(taken.end);
            at += 1;
        }
        if now < window.end {
            left.push(Window::new(now, window.end));
        }
    }
    left
}

/// Returns its length.
pub(crate) fn total(windows: &[Window]) -> Nanos {
    windows.iter().map(|window| window.duration()).sum()
}

/// Returns the length of the part of a window that the set covers.
pub(crate) fn inside(windows: &[Window], window: Window) -> Nanos {
    let first = windows.partition_point(|it| it.end <= window.start);
    let from = windows.get(first..).unwrap_or_default().iter();
    from.take_while(|it| it.start < window.end).map(|it| it.intersect(window).duration()).sum()
}

/// The member that the instant lies in.
pub(crate) fn around(windows: &[Window], time: BootNanos) -> Option<usize> {
    let first = windows.partition_point(|it| it.end <= time);
    windows.get(first).is_some_and(|it| it.contains(time)).then_some(first)
}

/// From the beginning of the first to the end of the last.
pub(crate) fn hull(windows: &[Window]) -> Option<Window> {
    Some(Window::new(windows.first()?.start, windows.last()?.end))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn set(pairs: &[(i64, i64)]) -> Vec<Window> {
        let window = |(start, length): &(i64, i64)| {
            Window::new(BootNanos::new(*start), BootNanos::new(start + length))
        };
        union(pairs.iter().map(window).collect())
    }

    fn has(windows: &[Window], time: i64) -> bool {
        around(windows, BootNanos::new(time)).is_some()
    }

    proptest! {
        #[test]
        fn sets_are_what_their_instants_are(
            one in prop::collection::vec((0_i64..60, 0_i64..9), 0..8),
            other in prop::collection::vec((0_i64..60, 0_i64..9), 0..8),
        ) {
            let (one, other) = (set(&one), set(&other));
            let (both, left) = (intersection(&one, &other), difference(&one, &other));
            for time in 0..80 {
                let (a, b) = (has(&one, time), has(&other, time));
                prop_assert_eq!(has(&both, time), a && b);
                prop_assert_eq!(has(&left, time), a && !b);
            }
            prop_assert_eq!(total(&both) + total(&left), total(&one));
            let parts: Nanos = other.iter().map(|window| inside(&one, *window)).sum();
            prop_assert_eq!(parts, total(&both));
        }
    }
}
