//! Stretches of time that end with events.

use wattle_timeline::Window;

use crate::events::ThreadEvents;

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

#[cfg(test)]
mod tests {
    use wattle_units::BootNanos;

    use super::*;
    use crate::events::Run;

    fn window((start, end): (i64, i64)) -> Window {
        Window::new(BootNanos::new(start), BootNanos::new(end))
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
