//! Several stretches of time as one where they overlap.

use wattle_timeline::Window;

use crate::events::ThreadEvents;

/// Stretches of one thread that overlap or touch, as one each, in order.
pub(crate) fn merged(mut windows: Vec<Window>) -> Vec<Window> {
    windows.sort_by_key(|window| (window.start, window.end));
    windows.dedup_by(|later, before| {
        let touches = later.start <= before.end;
        if touches {
            before.end = before.end.max(later.end);
        }
        touches
    });
    windows
}

/// From the beginning of the first event that has a part in the window to the end of the last one; `None` where there is none.
pub(crate) fn trimmed(window: Window, events: &ThreadEvents) -> Option<Window> {
    let first = events.runs.partition_point(|run| run.window.end <= window.start);
    let beyond = events.runs.partition_point(|run| run.window.start < window.end);
    let runs = events.runs.get(first..beyond).unwrap_or_default();
    let disk = events.disk.partition_point(|begin| *begin < window.start);
    let disk_end = events.disk.partition_point(|begin| *begin < window.end);
    let disk = events.disk.get(disk..disk_end).unwrap_or_default();
    let starts = runs.first().map(|run| run.window.start).into_iter().chain(disk.first().copied());
    let ends = runs.last().map(|run| run.window.end).into_iter().chain(disk.last().copied());
    Some(Window::new(starts.min()?, ends.max()?)).filter(|window| !window.is_empty())
}

/// What of the stretch lies in none of the others, which are in order and apart.
pub(crate) fn without(window: Window, others: &[Window]) -> Vec<Window> {
    let mut rest = Vec::new();
    let mut now = window.start;
    let first = others.partition_point(|other| other.end <= window.start);
    for other in others.iter().skip(first).take_while(|other| other.start < window.end) {
        rest.push(Window::new(now, other.start));
        now = now.max(other.end);
    }
    rest.push(Window::new(now, window.end));
    rest.retain(|window| !window.is_empty());
    rest
}

#[cfg(test)]
mod tests {
    use wattle_units::BootNanos;

    use super::*;
    use crate::events::Run;

    fn window((start, end): (i64, i64)) -> Window {
        Window::new(BootNanos::new(start), BootNanos::new(end))
    }

    fn windows(of: &[(i64, i64)]) -> Vec<Window> {
        of.iter().copied().map(window).collect()
    }

    #[test]
    fn what_overlaps_is_one() {
        assert_eq!(merged(windows(&[(5, 9), (0, 3), (2, 4)])), windows(&[(0, 4), (5, 9)]));
        assert_eq!(merged(windows(&[(0, 3), (3, 4)])), windows(&[(0, 4)]));
        assert_eq!(merged(Vec::new()), Vec::new());
    }

    #[test]
    fn what_lies_in_others_is_left_out() {
        let check = |of, others: &[(i64, i64)], expected: &[(i64, i64)]| {
            assert_eq!(without(window(of), &windows(others)), windows(expected));
        };
        check((0, 10), &[], &[(0, 10)]);
        check((0, 10), &[(2, 3), (8, 12)], &[(0, 2), (3, 8)]);
        check((0, 10), &[(0, 10)], &[]);
        check((5, 10), &[(0, 5), (10, 12)], &[(5, 10)]);
    }

    #[test]
    fn ends_are_those_of_events() {
        let runs = [(2, 4), (10, 20)].map(|it| Run {
            window: window(it),
            cpu: wattle_timeline::CpuId(0),
            is_wakeup: true,
        });
        let events = ThreadEvents::new(runs.to_vec(), vec![BootNanos::new(25)]);
        let check = |of, expected: Option<(i64, i64)>| {
            assert_eq!(trimmed(window(of), &events), expected.map(window));
        };
        check((0, 30), Some((2, 25)));
        check((0, 15), Some((2, 20)));
        check((3, 6), Some((2, 4)));
        check((4, 10), None);
        check((22, 24), None);
    }
}
