//! From when to when the events of a log are, and whether its header fits them.

use wattle_timeline::{Note, Severity};

use super::event_clock::EventClock;
use super::log_header::LogHeader;

/// Nanoseconds by which events may lie behind the stated end, besides as long as three sessions: logs of several sessions that were
/// merged have the header of one.
const END_SLACK: i64 = 60_000_000_000;

/// The time that a log's events cover.
#[derive(Clone, Copy, Debug)]
pub(super) struct LogSpan {
    /// Ticks at which the log begins.
    pub begun: i64,
    /// Ticks of the last event so far.
    pub last: i64,
    /// Nanoseconds that the session lasted by the wall clock, where the header states that.
    wall: Option<i64>,
}

impl LogSpan {
    /// Before any event.
    pub fn new(log: &LogHeader) -> Self {
        Self { begun: log.time, last: log.time, wall: log.wall_nanos() }
    }

    /// There is an event at this time.
    #[inline]
    pub fn reach(&mut self, ticks: i64) {
        self.last = self.last.max(ticks);
    }

    /// Warnings where the header contradicts itself or the events.
    pub fn doubts(&self, clock: EventClock) -> Vec<Note> {
        let mut notes = Vec::new();
        if !clock.is_plausible() {
            let text = "the log's header states a speed of its clock that no computer's has: durations and totals may be wrong";
            notes.push(Note::new(Severity::Error, "clock-implausible", text));
        }
        let lasted = clock.nanos(self.last.saturating_sub(self.begun));
        if let Some(wall) = self.wall
            && lasted > wall.saturating_mul(4).saturating_add(END_SLACK)
        {
            let [lasted, wall] = [lasted, wall].map(|nanos| nanos as f64 / 1e9);
            let text = format!(
                "the log's header says that it took {wall:.3} s, and its last event is at {lasted:.3} s: one of the two is damaged, and \
                 durations and totals may be wrong"
            );
            notes.push(Note::new(Severity::Error, "beyond-the-end", text));
        }
        notes
    }
}
