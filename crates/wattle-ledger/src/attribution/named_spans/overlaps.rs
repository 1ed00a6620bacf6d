//! The time outside of stretches, and the time that several share.

use wattle_timeline::Window;

/// The parts of a window that are in none of the others, in order.
pub(crate) fn outside(windows: &[Window], within: Window) -> Vec<Window> {
    let pieces = counted(windows, within);
    pieces.into_iter().filter(|(_, count)| *count == 0).map(|(piece, _)| piece).collect()
}

/// The parts of windows that are in several, each once for every window after the first.
pub(crate) fn repeated(windows: &[Window], within: Window) -> Vec<Window> {
    let pieces = counted(windows, within).into_iter();
    pieces.flat_map(|(piece, count)| std::iter::repeat_n(piece, count.saturating_sub(1))).collect()
}

/// Pieces that cover the window, each with the number of windows around it.
fn counted(windows: &[Window], within: Window) -> Vec<(Window, usize)> {
    let mut changes: Vec<_> = windows
        .iter()
        .map(|window| window.intersect(within))
        .filter(|window| !window.is_empty())
        .flat_map(|window| [(window.start, 1), (window.end, -1)])
        .collect();
    changes.push((within.end, 0));
    changes.sort_unstable();
    let (mut from, mut open) = (within.start, 0_isize);
    let mut pieces = Vec::new();
    for (time, change) in changes {
        let piece = Window::new(from, time);
        if !piece.is_empty() {
            pieces.push((piece, open.unsigned_abs()));
        }
        from = from.max(time);
        open += change;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use wattle_units::BootNanos;

    use super::*;

    #[track_caller]
    fn check(windows: &[(i64, i64)], free: &[(i64, i64)], shared: &[(i64, i64)]) {
        let window =
            |(start, end): &(i64, i64)| Window::new(BootNanos::new(*start), BootNanos::new(*end));
        let windows: Vec<_> = windows.iter().map(window).collect();
        let ends = |windows: Vec<Window>| -> Vec<_> {
            windows.iter().map(|it| (it.start.value(), it.end.value())).collect()
        };
        let within = window(&(0, 100));
        assert_eq!(ends(outside(&windows, within)), free);
        assert_eq!(ends(repeated(&windows, within)), shared);
    }

    #[test]
    fn pieces_by_the_number_of_windows_around_them() {
        check(&[], &[(0, 100)], &[]);
        check(&[(0, 100)], &[], &[]);
        check(&[(10, 20), (20, 30)], &[(0, 10), (30, 100)], &[]);
        check(&[(10, 50), (20, 30)], &[(0, 10), (50, 100)], &[(20, 30)]);
        check(&[(-5, 40), (20, 60), (30, 140)], &[], &[(20, 30), (30, 40), (30, 40), (40, 60)]);
    }
}
