//! The stretch of time that the events of a recording cover.

use wattle_units::BootNanos;

use crate::{Note, Severity, Window};

/// A distance between events that is never questioned, nanoseconds: one second.
const GAP: i64 = 1_000_000_000;

/// A distance that is never warned of, nanoseconds: short recordings begin and end with single events.
const LEAST: u64 = 10_000_000_000;

/// So many times at an end of the recording, apart from all others, may be damaged; more are a part of the recording.
const FEW: u32 = 3;

/// So many times that came in the wrong order are evidence: those behind a last time, those before a first one.
const EVIDENCE: u64 = 100;

/// Times that a recording has at least before those at its ends are questioned.
const MANY: u64 = 12;

/// The later end of the times so far. With complemented times, which have the opposite order, it is the earlier one.
#[derive(Debug)]
struct Edge {
    /// The last time.
    end: i64,
    /// The last time more than [`GAP`] before it.
    before: i64,
    /// The times after that one.
    near: u32,
    /// Times that had come when the last one did, itself included.
    came: u64,
}

impl Default for Edge {
    fn default() -> Self {
        Self { end: i64::MIN, before: i64::MIN, near: 0, came: 0 }
    }
}

impl Edge {
    #[inline]
    fn reach(&mut self, time: i64, came: u64) {
        // Several events of one instant are one time: a damaged one may belong to a packet of many.
        if time > self.end {
            if time.saturating_sub(self.end) > GAP {
                (self.before, self.near) = (self.end, 0);
            }
            (self.end, self.came) = (time, came);
            self.near = self.near.saturating_add(1);
        } else if time < self.end && time > self.before {
            if self.end.saturating_sub(time) > GAP {
                self.before = time;
            } else {
                self.near = self.near.saturating_add(1);
            }
        }
    }
}

/// The times of one input file, or of what is read at a time.
#[derive(Debug)]
struct FileTimes {
    /// The end of the times.
    last: Edge,
    /// The end of their complements: the first time.
    first: Edge,
    /// Times so far.
    times: u64,
    /// The one that came first: a log may be opened long before what it records.
    began: i64,
}

impl Default for FileTimes {
    fn default() -> Self {
        Self { last: Edge::default(), first: Edge::default(), times: 0, began: i64::MAX }
    }
}

impl FileTimes {
    #[inline]
    fn reach(&mut self, time: i64) {
        if self.times == 0 {
            self.began = time;
        }
        self.times += 1;
        self.last.reach(time, self.times);
        self.first.reach(!time, self.times);
    }

    fn reach_stated(&mut self, window: Window) {
        self.reach(window.start.value());
        self.reach(window.end.value());
        for (edge, time) in
            [(&mut self.last, window.end.value()), (&mut self.first, !window.start.value())]
        {
            if edge.end == time {
                edge.near = edge.near.saturating_add(FEW);
            }
        }
    }

    fn span(&self) -> Option<(i64, i64)> {
        let (first, last) = (!self.first.end, self.last.end);
        (first <= last).then_some((first, last))
    }

    /// The span without few times at its ends that lie further from all others than half of what the others cover.
    fn body(&self) -> Option<(i64, i64)> {
        let (first, last) = self.span()?;
        let (second, last_but_one) = (!self.first.before, self.last.before);
        let is_stray = |near: u32, end: i64, other: i64, far_end: i64| {
            let (gap, others) = (other.abs_diff(end), other.abs_diff(far_end));
            (1..=FEW).contains(&near)
                && is_far(gap, others)
                && self.times > u64::from(3 * FEW)
                && (first..=last).contains(&other)
        };
        let from = if is_stray(self.first.near, first, second, last) { second } else { first };
        let to =
            if is_stray(self.last.near, last, last_but_one, from) { last_but_one } else { last };
        Some((from, to.max(from)))
    }

    /// Warnings of few times at an end of the recording that lie further from all others than half of what the others cover, or than a
    /// twentieth where they came in the wrong order: one damaged time is enough to make a recording years long.
    fn notes(&self) -> Vec<Note> {
        let (first, last) = (!self.first.end, self.last.end);
        let ends = [
            ("end", self.last.near, self.last.before, last, first),
            ("beginning", self.first.near, !self.first.before, first, last),
        ];
        let has_others = |other: i64| (first..=last).contains(&other);
        let apart = ends.into_iter().filter(|(_, near, other, end, far_end)| {
            let (gap, others) = (other.abs_diff(*end), other.abs_diff(*far_end));
            let against = if *end == last {
                self.times - self.last.came
            } else {
                self.first.came.saturating_sub(1)
            };
            let is_apart = if against >= EVIDENCE {
                gap / 2 > others / 40
            } else {
                is_far(gap, others) && (*end == last || *end != self.began)
            };
            (1..=FEW).contains(near) && is_apart && has_others(*other) && self.times > MANY
        });
        let note = |(place, near, other, end, far_end): (&str, u32, i64, i64, i64)| {
            // More than the rest of the recording.
            let is_most = other.abs_diff(end) > other.abs_diff(far_end);
            let severity = if is_most { Severity::Error } else { Severity::Warning };
            let seconds = other.abs_diff(end) as f64 / 1e9;
            let text = format!(
                "the times at the {place} of the recording lie {seconds:.3} s from all others: if they are damaged, durations and \
                 totals are wrong"
            );
            Note::new(severity, "times-apart", text).times(u64::from(near))
        };
        apart.map(note).collect()
    }
}

/// The first and last event so far, in nanoseconds, and from when on, and until when, all streams are complete.
#[derive(Debug)]
pub(crate) struct Extent {
    /// Since [`Self::take_span`].
    file: FileTimes,
    /// The span of all times before that.
    earlier: Option<(i64, i64)>,
    /// The warnings of them.
    said: Vec<Note>,
    complete_from: i64,
    complete_until: i64,
}

impl Default for Extent {
    fn default() -> Self {
        Self {
            file: FileTimes::default(),
            earlier: None,
            said: Vec::new(),
            complete_from: i64::MIN,
            complete_until: i64::MAX,
        }
    }
}

impl Extent {
    /// Something happened at this time.
    #[inline]
    pub fn reach(&mut self, time: BootNanos) {
        self.file.reach(time.value());
    }

    /// The input says that what it sums up is of this time: its ends are no events, and may lie far from all of them.
    pub fn reach_stated(&mut self, window: Window) {
        self.file.reach_stated(window);
    }

    /// From the first to the last event since this was asked last, without few that lie far from all others; `None` if there was none.
    /// A file's times are compared with each other: those of another one would hide a damaged one.
    pub fn take_span(&mut self) -> Option<Window> {
        let file = std::mem::take(&mut self.file);
        self.said.extend(file.notes());
        self.earlier = hull(self.earlier, file.span());
        let (first, last) = file.body()?;
        Some(Window::new(BootNanos::new(first), BootNanos::new(last)))
    }

    /// Warnings of times that lie far from all others of their file.
    pub fn notes(&self) -> Vec<Note> {
        self.said.iter().cloned().chain(self.file.notes()).collect()
    }

    /// A stream is complete only from this time on.
    pub fn complete_from(&mut self, time: BootNanos) {
        self.complete_from = self.complete_from.max(time.value());
    }

    /// A stream is complete only until this time.
    pub fn complete_until(&mut self, time: BootNanos) {
        self.complete_until = self.complete_until.min(time.value());
    }

    /// From when on all streams are complete.
    pub fn first_complete(&self) -> BootNanos {
        BootNanos::new(self.complete_from)
    }

    /// From the first to the last event; `None` before the first.
    pub fn span(&self) -> Option<(BootNanos, BootNanos)> {
        let (first, last) = hull(self.earlier, self.file.span())?;
        Some((BootNanos::new(first), BootNanos::new(last)))
    }

    /// The window of the timeline.
    pub fn window(&self) -> Window {
        self.span().map_or_else(Window::default, |(first, last)| {
            let end = last.min(BootNanos::new(self.complete_until)).max(first);
            Window::new(first.max(self.first_complete()).min(end), end)
        })
    }
}

/// Whether a distance is more than half of what the other times cover, and none that short recordings have.
const fn is_far(gap: u64, others: u64) -> bool {
    gap > LEAST && gap / 2 > others / 4
}

/// A span around both.
fn hull(one: Option<(i64, i64)>, other: Option<(i64, i64)>) -> Option<(i64, i64)> {
    match (one, other) {
        (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: i64 = 1_000_000_000;

    /// The texts' first words up to the distance, of a recording with these times.
    #[track_caller]
    fn check(times: impl IntoIterator<Item = i64>, expected: &[&str]) {
        let mut extent = Extent::default();
        times.into_iter().for_each(|time| extent.reach(BootNanos::new(time)));
        let notes = extent.notes();
        let texts: Vec<&str> =
            notes.iter().map(|note| note.text.split(" from all").next().unwrap_or("")).collect();
        assert_eq!(texts, expected);
    }

    fn every(step: i64, count: i64) -> impl Iterator<Item = i64> + Clone {
        (0..count).map(move |nth| 50 * S + nth * step)
    }

    #[test]
    fn one_far_time_is_questioned() {
        let body = every(S / 100, 1000);
        let end = "the times at the end of the recording lie 91.010 s";
        let begin = "the times at the beginning of the recording lie 49.000 s";
        check(body.clone(), &[]);
        check(body.clone().chain([151 * S]), &[end]);
        // Wherever it stands, and if several events have that time.
        check([151 * S; 7].into_iter().chain(body.clone()), &[end]);
        check(body.clone().take(500).chain([151 * S]).chain(body.clone().skip(500)), &[end]);
        check(body.clone().chain([S]), &[begin]);
        // A log that was opened long before.
        check([S].into_iter().chain(body.clone()), &[]);
        check(
            body.clone().chain([i64::MAX]).rev_order(),
            &["the times at the end of the recording lie 9223371976.865 s"],
        );
        // No more than half of the recording's length away, unless it came long before others that are earlier.
        check(body.clone().chain([64 * S]), &[]);
        let end = "the times at the end of the recording lie 4.010 s";
        check(body.clone().take(500).chain([64 * S]).chain(body.clone().skip(500)), &[end]);
        let begin = "the times at the beginning of the recording lie 3.000 s";
        check(body.clone().take(500).chain([47 * S]).chain(body.clone().skip(500)), &[begin]);
        check([47 * S].into_iter().chain(body), &[]);
    }

    #[test]
    fn stated_times_are_not_questioned() {
        let mut extent = Extent::default();
        every(S / 100, 100).for_each(|time| extent.reach(BootNanos::new(time)));
        let stated = Window::new(BootNanos::new(S), BootNanos::new(900 * S));
        extent.reach_stated(stated);
        assert!(extent.notes().is_empty());
        assert_eq!(extent.window(), stated);
        // One that is further off still is.
        extent.reach(BootNanos::new(9_000 * S));
        assert_eq!(extent.notes().len(), 1);
    }

    #[test]
    fn sparse_and_divided_recordings_are_not() {
        check(every(10 * S, 20), &[]);
        let body = every(S / 100, 1000);
        let later = body.clone().take(4).map(|time| time + 1000 * S);
        check(body.chain(later), &[]);
        check([S, 50 * S, 999 * S], &[]);
        check([], &[]);
        check([i64::MIN, i64::MAX], &[]);
    }

    #[test]
    fn spans_are_taken_once() {
        let span = |from, to| Some(Window::new(BootNanos::new(from), BootNanos::new(to)));
        let mut extent = Extent::default();
        assert_eq!(extent.take_span(), None);
        for time in [5, 3, 9] {
            extent.reach(BootNanos::new(time));
        }
        assert_eq!(extent.take_span(), span(3, 9));
        assert_eq!(extent.take_span(), None);
        extent.reach(BootNanos::new(4));
        assert_eq!(extent.take_span(), span(4, 4));
        assert_eq!(extent.span().map(|(first, last)| Window::new(first, last)), span(3, 9));
    }

    /// A time that one event of another file has would hide it.
    #[test]
    fn strays_of_a_file_are_not_of_its_span() {
        let taken = |times: Vec<i64>| {
            let mut extent = Extent::default();
            for time in times {
                extent.reach(BootNanos::new(time));
            }
            let span = extent.take_span().expect("times");
            every(S / 100, 1000).for_each(|time| extent.reach(BootNanos::new(time)));
            (span.start.value() / S, span.end.value() / S, extent.notes().len())
        };
        let later = every(S / 100, 1000).map(|time| time + 1000 * S);
        assert_eq!(taken(later.clone().collect()), (1050, 1059, 0));
        assert_eq!(taken(later.clone().chain([52 * S]).collect()), (1050, 1059, 1));
        assert_eq!(taken(later.chain([9999 * S; 2]).collect()), (1050, 1059, 1));
        assert_eq!(taken(vec![S, 500 * S, 999 * S]), (1, 999, 0));
    }

    trait Reversed: Iterator<Item = i64> + Sized {
        /// The same times from the last on.
        fn rev_order(self) -> impl Iterator<Item = i64> {
            let mut all: Vec<i64> = self.collect();
            all.reverse();
            all.into_iter()
        }
    }

    impl<I: Iterator<Item = i64>> Reversed for I {}
}
