//! The calls of one thread, made of its entries and exits as they come.
//!
//! Oddities are handled as in the tools that read these files: an exit of what was never entered is that of a call that
//! was open when the trace began, so it encloses all before it (as perflib has it) and lasts from the trace's start (as
//! dmtracedump has it).

use crate::art_events::TraceAction;

/// An end that was not seen.
pub(super) const OPEN: i64 = i64::MAX;
/// Calls inside each other that are kept; dmtracedump gives up at 10,000.
const MAX_DEPTH: usize = 1 << 15;
/// Depth to which the open calls are searched for the one that ends.
const MAX_SEARCH: usize = 1024;

/// The most that a thread's own clock may seem to go further than time between two events, nanoseconds: the clocks are read one after
/// the other.
const CLOCK_SLACK: i64 = 100_000;

/// Times of an event since the trace began, nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Moment {
    /// By the clock that the calls are laid out by.
    pub time: i64,
    /// By the thread's own clock; 0 where it was not read beside another one.
    pub cpu: i64,
}

/// An open call.
#[derive(Clone, Copy, Debug)]
struct Open {
    method: u32,
    call: u32,
}

/// A call that was open when the trace began.
#[derive(Clone, Copy, Debug)]
struct Earlier {
    method: u32,
    end: Moment,
}

/// Counts of oddities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Oddities {
    /// Exits of calls that were open when the trace began.
    pub earlier: u64,
    /// Calls whose exit is missing: they end with what called them.
    pub missing: u64,
    /// Exits of methods that were not open, inside of others.
    pub ignored: u64,
    /// Calls that were open at the end.
    pub unfinished: u64,
    /// Events from before the one before.
    pub backwards: u64,
    /// Events at which the thread's own clock had gone back, or further than time.
    pub impossible_cpu: u64,
    /// Calls deeper than any that are kept.
    pub deep: u64,
    /// Calls past the limit.
    pub refused: u64,
}

impl Oddities {
    pub fn add(&mut self, other: Self) {
        let Self {
            earlier,
            missing,
            ignored,
            unfinished,
            backwards,
            impossible_cpu,
            deep,
            refused,
        } = other;
        self.earlier += earlier;
        self.missing += missing;
        self.ignored += ignored;
        self.unfinished += unfinished;
        self.backwards += backwards;
        self.impossible_cpu += impossible_cpu;
        self.deep += deep;
        self.refused += refused;
    }
}

/// The calls of a thread in order of entry, as columns.
#[derive(Debug, Default)]
pub(super) struct ThreadLog {
    /// Number in the trace.
    pub number: u32,
    pub start: Vec<i64>,
    /// [`OPEN`] where it was not seen.
    pub end: Vec<i64>,
    pub method: Vec<u32>,
    /// Between entry and exit by the thread's clock; of an open call what that showed at its entry.
    pub cpu: Vec<i64>,
    /// Number of calls around it, less the number of earlier ones that had ended.
    level: Vec<i32>,
    open: Vec<Open>,
    /// In order of their exits, so the innermost first.
    earlier: Vec<Earlier>,
    /// Entries that were not kept because they are too deep, and are open.
    beyond: u64,
    pub last: Moment,
    pub odd: Oddities,
}

/// A call as it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub start: i64,
    /// [`OPEN`] where it was not seen.
    pub end: i64,
    pub method: u32,
    pub depth: u16,
    pub cpu: i64,
}

impl ThreadLog {
    pub fn new(number: u32) -> Self {
        Self { number, ..Self::default() }
    }

    /// Something happened. Whether it was kept.
    #[inline]
    pub fn event(&mut self, action: TraceAction, method: u32, mut at: Moment, has_room: bool) {
        if at.time < self.last.time {
            at.time = self.last.time;
            self.odd.backwards += 1;
        } else if at.cpu > 0 && self.last.cpu > 0 {
            let on_cpu = at.cpu.saturating_sub(self.last.cpu);
            let passed = at.time.saturating_sub(self.last.time).saturating_add(CLOCK_SLACK);
            self.odd.impossible_cpu += u64::from(on_cpu < 0 || on_cpu > passed);
        }
        at.cpu = at.cpu.max(self.last.cpu);
        self.last = at;
        match action {
            TraceAction::Enter => self.enter(method, at, has_room),
            TraceAction::Exit | TraceAction::Unroll => self.exit(method, at),
        }
    }

    #[inline]
    fn enter(&mut self, method: u32, at: Moment, has_room: bool) {
        if self.open.len() >= MAX_DEPTH || !has_room {
            self.odd.deep += u64::from(has_room);
            self.odd.refused += u64::from(!has_room);
            self.beyond += 1;
            return;
        }
        self.open.push(Open { method, call: self.start.len() as u32 });
        self.level.push(self.open.len() as i32 - 1 - self.earlier.len() as i32);
        self.start.push(at.time);
        self.end.push(OPEN);
        self.method.push(method);
        self.cpu.push(at.cpu);
    }

    #[inline]
    fn exit(&mut self, method: u32, at: Moment) {
        if self.beyond > 0 {
            self.beyond -= 1;
            return;
        }
        match self.open.last() {
            Some(top) if top.method == method => self.end_top(at),
            _ => self.odd_exit(method, at),
        }
    }

    #[inline]
    fn end_top(&mut self, at: Moment) {
        let Some(top) = self.open.pop() else { return };
        let call = top.call as usize;
        if let (Some(end), Some(cpu)) = (self.end.get_mut(call), self.cpu.get_mut(call)) {
            *end = at.time;
            *cpu = at.cpu - *cpu;
        }
    }

    #[cold]
    fn odd_exit(&mut self, method: u32, at: Moment) {
        if self.open.is_empty() {
            if self.earlier.len() < MAX_DEPTH {
                self.earlier.push(Earlier { method, end: at });
                self.odd.earlier += 1;
            } else {
                self.odd.ignored += 1;
            }
            return;
        }
        let below = self.open.iter().rev().take(MAX_SEARCH);
        let Some(above) = below.map(|open| open.method).position(|open| open == method) else {
            self.odd.ignored += 1;
            return;
        };
        for _ in 0..above {
            self.end_top(at);
        }
        self.odd.missing += above as u64;
        self.end_top(at);
    }

    /// Returns the number of calls.
    pub fn len(&self) -> usize {
        self.start.len() + self.earlier.len()
    }

    /// When its first event was.
    pub fn first(&self) -> Option<i64> {
        let earlier = self.earlier.first().map(|call| call.end.time);
        self.start.first().copied().into_iter().chain(earlier).min()
    }

    /// There are no more events. What is still open used its thread's clock until the last one.
    pub fn finish(&mut self) {
        self.odd.unfinished = self.open.len() as u64;
        for open in self.open.drain(..) {
            if let Some(cpu) = self.cpu.get_mut(open.call as usize) {
                *cpu = self.last.cpu - *cpu;
            }
        }
    }

    /// All calls, callers before callees. Those from before the trace are first: each was inside the ones that ended after it.
    pub fn calls(&self) -> impl Iterator<Item = Call> + '_ {
        let deep = |depth: usize| u16::try_from(depth).unwrap_or(u16::MAX);
        let count = self.earlier.len();
        let earlier = self.earlier.iter().rev().enumerate().map(move |(depth, call)| Call {
            start: 0,
            end: call.end.time,
            method: call.method,
            depth: deep(depth),
            cpu: call.end.cpu,
        });
        let rest = (0..self.start.len()).filter_map(move |index| {
            let level = *self.level.get(index)?;
            Some(Call {
                start: *self.start.get(index)?,
                end: *self.end.get(index)?,
                method: *self.method.get(index)?,
                depth: deep(count.saturating_add_signed(level as isize)),
                cpu: *self.cpu.get(index)?,
            })
        });
        earlier.chain(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IN: TraceAction = TraceAction::Enter;
    const OUT: TraceAction = TraceAction::Exit;

    type Expected = (u32, i64, i64, u16, i64);

    /// Events of one thread whose own clock goes half as fast.
    #[track_caller]
    fn check(events: &[(TraceAction, u32, i64)], odd: Oddities, expected: &[Expected]) {
        let mut log = ThreadLog::new(1);
        for (action, method, time) in events {
            log.event(*action, *method, Moment { time: *time, cpu: time / 2 }, true);
        }
        log.finish();
        let found: Vec<Expected> =
            log.calls().map(|it| (it.method, it.start, it.end, it.depth, it.cpu)).collect();
        assert_eq!(found, expected);
        assert_eq!(log.odd, odd);
        assert_eq!(log.len(), expected.len());
    }

    #[test]
    fn calls_inside_calls() {
        let none = Oddities::default();
        let events = [
            (IN, 7, 2),
            (IN, 8, 4),
            (TraceAction::Unroll, 8, 8),
            (IN, 8, 8),
            (OUT, 8, 8),
            (OUT, 7, 20),
        ];
        check(&events, none, &[(7, 2, 20, 0, 9), (8, 4, 8, 1, 2), (8, 8, 8, 1, 0)]);
    }

    #[test]
    fn calls_that_were_open_when_the_trace_began() {
        let events = [(OUT, 9, 2), (IN, 5, 4), (OUT, 5, 6), (OUT, 8, 8), (IN, 6, 10), (OUT, 6, 12)];
        let odd = Oddities { earlier: 2, ..Oddities::default() };
        let calls = [(8, 0, 8, 0, 4), (9, 0, 2, 1, 1), (5, 4, 6, 1, 1), (6, 10, 12, 0, 1)];
        check(&events, odd, &calls);
    }

    #[test]
    fn exits_that_are_missing_or_too_many() {
        let odd = Oddities { missing: 2, ignored: 1, ..Oddities::default() };
        let events = [(IN, 1, 0), (IN, 2, 2), (IN, 3, 4), (OUT, 9, 5), (OUT, 1, 6)];
        check(&events, odd, &[(1, 0, 6, 0, 3), (2, 2, 6, 1, 2), (3, 4, 6, 2, 1)]);
        // The same method above itself: the inner one ends.
        let odd = Oddities { unfinished: 1, ..Oddities::default() };
        check(&[(IN, 1, 0), (IN, 1, 2), (OUT, 1, 4)], odd, &[(1, 0, OPEN, 0, 2), (1, 2, 4, 1, 1)]);
    }

    #[test]
    fn time_that_goes_back() {
        let odd = Oddities { backwards: 1, ..Oddities::default() };
        check(
            &[(IN, 1, 10), (IN, 2, 4), (OUT, 2, 12), (OUT, 1, 12)],
            odd,
            &[(1, 10, 12, 0, 1), (2, 10, 12, 1, 1)],
        );
    }

    #[test]
    fn a_thread_cannot_run_longer_than_time_passes() {
        let count = |cpu: [i64; 4]| {
            let mut log = ThreadLog::new(1);
            for (nth, cpu) in (1..).zip(cpu) {
                log.event(IN, 1, Moment { time: nth * 1_000_000, cpu }, true);
            }
            log.odd.impossible_cpu
        };
        assert_eq!(count([5_000, 1_000_000, 2_000_000, 2_000_000]), 0);
        // Of the first event nothing is known before it, and without that clock it is 0.
        assert_eq!(count([9_000_000, 9_500_000, 9_600_000, 9_600_001]), 0);
        assert_eq!(count([0; 4]), 0);
        assert_eq!(count([5_000, 2_000_000, 2_500_000, 3_500_000]), 1);
        // One flipped bit: too far, then back.
        assert_eq!(count([5_000, 400_000 + (1 << 40), 800_000, 900_000]), 3);
    }

    #[test]
    fn depth_has_an_end() {
        let mut log = ThreadLog::new(1);
        for time in 0..2 * MAX_DEPTH as i64 {
            log.event(IN, 1, Moment { time, cpu: 0 }, true);
        }
        for _ in 0..2 * MAX_DEPTH {
            log.event(OUT, 1, Moment { time: 1 << 20, cpu: 0 }, true);
        }
        log.finish();
        assert_eq!((log.len(), log.odd.deep), (MAX_DEPTH, MAX_DEPTH as u64));
        assert_eq!((log.odd.earlier, log.odd.unfinished), (0, 0));
    }
}
