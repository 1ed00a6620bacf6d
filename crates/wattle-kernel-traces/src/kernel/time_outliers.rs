//! Times of events that cannot be right, such as one with a flipped bit.
//!
//! A time is questionable if it lies more than a day from the one before in its stream. Its event is held until the next event of the
//! stream: if that is near the time before, the stream goes on as if nothing had happened, and the held event is set apart; if it is
//! near the held one, the clock really went on (a device that slept), and the held event is used. Nothing is judged by one neighbour.

use rustc_hash::FxHashMap;

/// The step of a stream's time that is never questioned, nanoseconds: one day.
pub const DAY: u64 = 86_400 * 1_000_000_000;

/// Streams whose times are followed: more than CPUs or writers of any recording.
const MAX_STREAMS: usize = 1 << 16;

/// Whether two times of a stream can follow each other without a question.
#[inline]
pub fn is_near(a: i64, b: i64) -> bool {
    a.abs_diff(b) <= DAY
}

/// An event whose time is questionable.
#[derive(Debug)]
struct Held<E> {
    time: i64,
    event: E,
}

/// The last time of a stream, and the event that is held.
#[derive(Debug)]
struct Stream<E> {
    last: i64,
    held: Option<Box<Held<E>>>,
}

/// The judgement of the time of a stream's next event.
#[derive(Debug, PartialEq, Eq)]
pub enum Judgement<E> {
    /// It can be right.
    Plausible,
    /// It can be right, and the held event is set apart.
    PlausibleAfterOutlier(E),
    /// The next event decides: see [`TimeOutliers::hold`].
    Questionable,
    /// The same; the held event is far from both neighbours and is set apart.
    QuestionableAfterOutlier(E),
    /// The clock went on: the held event is to be used, then this one.
    Jump(E),
}

/// Judges times of the events of streams that are each nearly in order.
#[derive(Debug)]
pub struct TimeOutliers<E> {
    streams: FxHashMap<u32, Stream<E>>,
    /// Last plausible time of any stream, the neighbour of a stream's first event.
    last: Option<i64>,
    /// The input has ended: nothing comes that could decide.
    is_finished: bool,
}

impl<E> Default for TimeOutliers<E> {
    fn default() -> Self {
        Self { streams: FxHashMap::default(), last: None, is_finished: false }
    }
}

impl<E> TimeOutliers<E> {
    /// Judges the time of the next event of a stream.
    #[inline]
    pub fn judge(&mut self, stream: u32, time: i64) -> Judgement<E> {
        if let Some(known) = self.streams.get_mut(&stream)
            && is_near(known.last, time)
            && known.held.is_none()
        {
            known.last = time;
            self.last = Some(time);
            return Judgement::Plausible;
        }
        self.judge_rare(stream, time)
    }

    #[cold]
    fn judge_rare(&mut self, stream: u32, time: i64) -> Judgement<E> {
        let is_full = self.streams.len() >= MAX_STREAMS && !self.streams.contains_key(&stream);
        if is_full || self.is_finished {
            return Judgement::Plausible;
        }
        // The first event of all has no neighbour before it.
        let before = *self.last.get_or_insert(time);
        let known = self.streams.entry(stream).or_insert(Stream { last: before, held: None });
        let held = known.held.take();
        if is_near(known.last, time) {
            known.last = time;
            self.last = Some(time);
            return held
                .map_or(Judgement::Plausible, |held| Judgement::PlausibleAfterOutlier(held.event));
        }
        match held {
            Some(held) if is_near(held.time, time) => {
                known.last = time;
                self.last = Some(time);
                Judgement::Jump(held.event)
            }
            Some(held) => Judgement::QuestionableAfterOutlier(held.event),
            None => Judgement::Questionable,
        }
    }

    /// Holds an event whose time is questionable.
    pub fn hold(&mut self, stream: u32, time: i64, event: E) {
        if let Some(known) = self.streams.get_mut(&stream) {
            known.held = Some(Box::new(Held { time, event }));
        }
    }

    /// The events that are still held at the end, in order of their streams: nothing says that they are wrong. Judges every time as
    /// plausible from then on.
    pub fn finish(&mut self) -> Vec<E> {
        self.is_finished = true;
        let mut streams: Vec<_> = std::mem::take(&mut self.streams).into_iter().collect();
        streams.sort_by_key(|(stream, _)| *stream);
        streams.into_iter().filter_map(|(_, stream)| Some(stream.held?.event)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const D: i64 = DAY as i64;

    /// Runs the events through; gives those that are used, in order of use.
    #[track_caller]
    fn check(events: &[(u32, i64)], used: &[i64], outliers: u64) {
        let mut times = TimeOutliers::default();
        let (mut found, mut count) = (Vec::new(), 0);
        for (stream, time) in events {
            match times.judge(*stream, *time) {
                Judgement::Plausible => found.push(*time),
                Judgement::PlausibleAfterOutlier(_) => {
                    found.push(*time);
                    count += 1;
                }
                Judgement::Questionable => times.hold(*stream, *time, *time),
                Judgement::QuestionableAfterOutlier(_) => {
                    times.hold(*stream, *time, *time);
                    count += 1;
                }
                Judgement::Jump(held) => found.extend([held, *time]),
            }
        }
        found.extend(times.finish());
        assert_eq!((found.as_slice(), count), (used, outliers));
    }

    #[test]
    fn one_far_time_is_set_apart() {
        check(&[(0, 5), (0, 9 * D), (0, 7)], &[5, 7], 1);
        check(&[(0, 9 * D), (0, 5), (0, 9 * D + 1)], &[9 * D, 9 * D + 1], 1);
        check(&[(0, 5), (0, i64::MIN), (0, i64::MAX), (0, 7)], &[5, 7], 2);
        // Of a stream that begins with it: the other streams are its neighbours.
        check(&[(0, 5), (1, 9 * D), (1, 7)], &[5, 7], 1);
    }

    #[test]
    fn clocks_may_jump() {
        check(&[(0, 5), (0, 9 * D), (0, 9 * D + 2)], &[5, 9 * D, 9 * D + 2], 0);
        check(&[(0, 5), (0, D), (0, 7)], &[5, D, 7], 0);
        // The last event has one neighbour: it is used.
        check(&[(0, 5), (0, 9 * D)], &[5, 9 * D], 0);
    }
}
