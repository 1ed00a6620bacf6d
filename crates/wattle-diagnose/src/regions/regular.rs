//! Wake-ups that come back after one and the same time.

use wattle_timeline::Window;
use wattle_units::BootNanos;

use crate::RegionOptions;
use crate::events::ThreadEvents;

/// Wake-ups from one to another, by their numbers, with the time between them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Beat {
    first: usize,
    last: usize,
    period: f64,
}

impl Beat {
    fn is_on(&self, gap: f64, options: &RegionOptions) -> bool {
        (gap - self.period).abs() <= options.regular_tolerance * self.period
    }
}

/// Stretches of time in which the thread wakes like clockwork: of so many times between wake-ups that follow each other most are
/// within a tolerance of their median.
pub(crate) fn regular(
    events: &ThreadEvents,
    looked: &[Window],
    options: &RegionOptions,
) -> Vec<Window> {
    let mut found = Vec::new();
    for stretch in looked {
        let first = events.wakeups.partition_point(|time| *time < stretch.start);
        let end = events.wakeups.partition_point(|time| *time < stretch.end);
        let Some(times) = events.wakeups.get(first..end) else { continue };
        for beat in beats(times, options) {
            let (Some(start), Some(last)) = (times.get(beat.first), times.get(beat.last)) else {
                continue;
            };
            found.push(Window::new(*start, end_of_run(events, *last)));
        }
    }
    found
}

/// The end of the stretch on a CPU that begins at the instant.
fn end_of_run(events: &ThreadEvents, start: BootNanos) -> BootNanos {
    let index = events.runs.partition_point(|run| run.window.start < start);
    events.runs.get(index).map_or(start, |run| run.window.end)
}

fn beats(times: &[BootNanos], options: &RegionOptions) -> Vec<Beat> {
    let gap = |index: usize| match (times.get(index), times.get(index + 1)) {
        (Some(one), Some(next)) => (*next - *one).value() as f64,
        _ => f64::INFINITY,
    };
    let gaps = times.len().saturating_sub(1);
    let block = (options.regular_events as usize).max(2);
    let step = (block / 4).max(1);
    let mut beats: Vec<Beat> = Vec::new();
    let mut some = Vec::with_capacity(block);
    let mut first = 0;
    while first + block <= gaps {
        some.clear();
        some.extend((first..first + block).map(gap));
        let (_, median, _) = some.select_nth_unstable_by(block / 2, f64::total_cmp);
        let beat = Beat { first, last: first + block, period: *median };
        let on = some.iter().filter(|gap| beat.is_on(**gap, options)).count();
        let is_regular = beat.period > 0.0
            && beat.period <= options.longest_period.value() as f64
            && on as f64 >= options.regular_share * block as f64;
        if is_regular {
            match beats.last_mut() {
                // The same timer goes on.
                Some(last) if beat.first <= last.last && last.is_on(beat.period, options) => {
                    last.last = beat.last;
                }
                _ => beats.push(beat),
            }
        }
        first += step;
    }
    let mut free_from = 0;
    for beat in &mut beats {
        // Where one ends within a block, the block says so only roughly.
        beat.first = beat.first.max(free_from);
        while beat.first < beat.last && !beat.is_on(gap(beat.first), options) {
            beat.first += 1;
        }
        while beat.last > beat.first && !beat.is_on(gap(beat.last - 1), options) {
            beat.last -= 1;
        }
        while beat.first > free_from && beat.is_on(gap(beat.first - 1), options) {
            beat.first -= 1;
        }
        while beat.last < gaps && beat.is_on(gap(beat.last), options) {
            beat.last += 1;
        }
        free_from = beat.last;
    }
    beats.retain(|beat| beat.last - beat.first >= block / 2);
    beats
}
