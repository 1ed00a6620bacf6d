//! The time in which power rails counted.

use wattle_timeline::{Timeline, Window};

use super::rail_counter::Counted;

/// The part of a window from the first to the last sample of the rails that counted inside it; `None` where none did.
///
/// Monitors with several chips read their rails some milliseconds apart. The time is not cut to what all have in common, because a
/// part of an interval between two samples is not measured any more.
pub fn metered_window(timeline: &Timeline, within: Window) -> Option<Window> {
    let rails = timeline.energy.rails.iter().filter_map(|rail| {
        let counted = Counted::from_rail(rail);
        let inside = counted.within(within);
        let (first, last) = (inside.first()?, inside.last()?);
        Some(Window::new(first.window.start, last.window.end).intersect(within))
    });
    rails.reduce(|all, rail| Window::new(all.start.min(rail.start), all.end.max(rail.end)))
}

#[cfg(test)]
mod tests {
    use wattle_timeline::Rail;
    use wattle_units::BootNanos;

    use super::*;

    #[track_caller]
    fn check(rails: &[&[i64]], within: (i64, i64), expected: Option<(i64, i64)>) {
        let window = |(start, end): (i64, i64)| {
            let second = 1_000_000_000;
            Window::new(BootNanos::new(start * second), BootNanos::new(end * second))
        };
        let mut timeline = Timeline::default();
        for (number, seconds) in rails.iter().enumerate() {
            let name = timeline.names.intern(&format!("R{number}"));
            timeline.energy.rails.push(Rail {
                name,
                subsystem: None,
                sampling_rate: 0,
                time: seconds.iter().map(|s| BootNanos::new(s * 1_000_000_000)).collect(),
                energy: (0..seconds.len() as u64).map(|sample| sample * 1000).collect(),
            });
        }
        assert_eq!(metered_window(&timeline, window(within)), expected.map(window));
    }

    #[test]
    fn it_reaches_from_the_first_to_the_last_sample() {
        check(&[&[1, 2, 8], &[2, 7]], (0, 10), Some((1, 8)));
        check(&[&[1, 2, 8], &[2, 7]], (3, 5), Some((3, 5)));
        check(&[&[1, 2], &[3, 4]], (0, 10), Some((1, 4)));
        check(&[&[1], &[2, 4]], (0, 10), Some((2, 4)));
        check(&[], (0, 10), None);
    }
}
