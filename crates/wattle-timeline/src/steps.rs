//! A value over time that holds until it changes.

use wattle_units::BootNanos;

use crate::Window;

/// A piecewise constant value: `values[i]` holds from `times[i]` until `times[i + 1]`. Before the first
/// time the value is not known. Times strictly increase.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps<T> {
    times: Vec<BootNanos>,
    values: Vec<T>,
}

/// A stretch of time over which a value does not change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment<T> {
    /// When.
    pub window: Window,
    /// The value.
    pub value: T,
}

impl<T> Default for Steps<T> {
    fn default() -> Self {
        Self { times: Vec::new(), values: Vec::new() }
    }
}

impl<T: Copy + PartialEq> Steps<T> {
    /// Without changes, with room for so many.
    pub fn with_capacity(changes: usize) -> Self {
        Self { times: Vec::with_capacity(changes), values: Vec::with_capacity(changes) }
    }

    /// From changes in any order. Of several changes at one instant the last given wins; a change to
    /// the value that already holds is dropped.
    pub fn from_changes(mut changes: Vec<(BootNanos, T)>) -> Self {
        changes.sort_by_key(|(time, _)| *time);
        let mut steps = Self::with_capacity(changes.len());
        for (time, value) in changes {
            steps.push(time, value);
        }
        steps
    }

    /// Appends a change. A time not after the last one replaces the last value (the later word wins);
    /// a value equal to the one that holds changes nothing.
    pub fn push(&mut self, time: BootNanos, value: T) {
        if let Some(last) = self.times.last()
            && time <= *last
        {
            self.values.pop();
            let last = self.times.pop().unwrap_or(time);
            if self.values.last() != Some(&value) {
                self.times.push(last);
                self.values.push(value);
            }
            return;
        }
        if self.values.last() != Some(&value) {
            self.times.push(time);
            self.values.push(value);
        }
    }

    /// The value that holds at the instant; `None` before the first change.
    pub fn at(&self, time: BootNanos) -> Option<T> {
        let after = self.times.partition_point(|t| *t <= time);
        self.values.get(after.checked_sub(1)?).copied()
    }

    /// The first change.
    pub fn first(&self) -> Option<(BootNanos, T)> {
        Some((*self.times.first()?, *self.values.first()?))
    }

    /// The last change.
    pub fn last(&self) -> Option<(BootNanos, T)> {
        Some((*self.times.last()?, *self.values.last()?))
    }

    /// Number of changes.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether nothing is known at any time.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// The changes, in order of time.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (BootNanos, T)> + Clone + '_ {
        self.times.iter().copied().zip(self.values.iter().copied())
    }

    /// The times of the changes.
    pub fn times(&self) -> &[BootNanos] {
        &self.times
    }

    /// The values from each change on.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The known segments inside the window, without gaps between them; what lies before the first
    /// change is left out.
    pub fn segments(&self, window: Window) -> impl Iterator<Item = Segment<T>> + Clone + '_ {
        let first = self.times.partition_point(|t| *t <= window.start).saturating_sub(1);
        (first..self.times.len())
            .map(move |i| {
                let end = self.times.get(i + 1).copied().unwrap_or(window.end);
                let whole = Window::new(self.times[i], end);
                Segment { window: whole.intersect(window), value: self.values[i] }
            })
            .take_while(move |s| s.window.start < window.end)
            .filter(|s| !s.window.is_empty())
    }

    /// Bytes held.
    pub fn heap_bytes(&self) -> usize {
        self.times.capacity() * size_of::<BootNanos>() + self.values.capacity() * size_of::<T>()
    }
}

impl<T: Copy + PartialEq> FromIterator<(BootNanos, T)> for Steps<T> {
    fn from_iter<I: IntoIterator<Item = (BootNanos, T)>>(changes: I) -> Self {
        Self::from_changes(changes.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(changes: &[(i64, i32)]) -> Steps<i32> {
        changes.iter().map(|(t, v)| (BootNanos::new(*t), *v)).collect()
    }

    fn window(start: i64, end: i64) -> Window {
        Window::new(BootNanos::new(start), BootNanos::new(end))
    }

    #[track_caller]
    fn check(changes: &[(i64, i32)], within: (i64, i64), expected: &[(i64, i64, i32)]) {
        let found: Vec<_> = steps(changes)
            .segments(window(within.0, within.1))
            .map(|s| (s.window.start.value(), s.window.end.value(), s.value))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn segments_are_clipped_and_gapless() {
        check(&[], (0, 10), &[]);
        check(&[(5, 1)], (0, 10), &[(5, 10, 1)]);
        check(&[(0, 1), (5, 2)], (2, 4), &[(2, 4, 1)]);
        check(&[(0, 1), (5, 2), (7, 3)], (2, 9), &[(2, 5, 1), (5, 7, 2), (7, 9, 3)]);
        check(&[(20, 1)], (0, 10), &[]);
        check(&[(0, 1), (10, 2)], (0, 10), &[(0, 10, 1)]);
    }

    #[test]
    fn repeats_are_dropped_and_the_later_word_wins() {
        assert_eq!(steps(&[(0, 1), (1, 1), (2, 2)]).len(), 2);
        assert_eq!(steps(&[(0, 1), (2, 2), (2, 3)]).at(BootNanos::new(2)), Some(3));
        assert_eq!(steps(&[(0, 1), (2, 2), (2, 1)]).len(), 1);
        assert_eq!(steps(&[(3, 1)]).at(BootNanos::new(2)), None);
    }
}
