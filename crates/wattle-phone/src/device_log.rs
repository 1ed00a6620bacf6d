//! The log: ring buffers that overwrite their oldest lines when they are full, as logd's do.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use wattle_sim::SplitMix64;
use wattle_units::BootNanos;

/// Bytes of a buffer when the phone is new (`ro.logd.size` of user builds).
const DEFAULT_SIZE: u64 = 256 << 10;
/// Smallest and largest sizes (`LOG_BUFFER_MIN_SIZE`, `LOG_BUFFER_MAX_SIZE` of logd).
const SIZES: std::ops::RangeInclusive<u64> = (64 << 10)..=(256 << 20);
/// Bytes of an entry beside tag and message: `logger_entry`, the priority and two zeros.
const ENTRY_HEAD: u64 = 28 + 3;
/// Longest message (`LOGGER_ENTRY_MAX_PAYLOAD` is 4,068 with tag and priority).
const MOST_MESSAGE: usize = 4000;

/// Names of the buffers, in the order of their numbers.
pub(crate) const BUFFERS: [&str; 6] = ["main", "radio", "events", "system", "crash", "kernel"];

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Its place in the order of all entries since the phone was started.
    pub(crate) number: u64,
    /// Place of its buffer in [`BUFFERS`].
    pub(crate) buffer: usize,
    /// When, by the wall clock in Unix nanoseconds and by `CLOCK_MONOTONIC`.
    pub(crate) wall: i64,
    pub(crate) monotonic: i64,
    pub(crate) uid: u32,
    pub(crate) pid: u32,
    pub(crate) tid: u32,
    /// One of `VDIWEF`.
    pub(crate) level: char,
    pub(crate) tag: String,
    pub(crate) message: String,
}

impl Entry {
    fn bytes(&self) -> u64 {
        (self.tag.len() + self.message.len()) as u64 + ENTRY_HEAD
    }
}

/// The content of an entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'l> {
    /// `V`, `D`, `I`, `W`, `E` or `F`.
    pub(crate) level: char,
    pub(crate) tag: &'l str,
    pub(crate) message: &'l str,
}

/// Who writes an entry, and when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Writer {
    pub(crate) boot: BootNanos,
    pub(crate) uid: u32,
    pub(crate) pid: u32,
    pub(crate) tid: u32,
}

/// All buffers.
#[derive(Debug)]
pub(crate) struct Log {
    state: Mutex<LogState>,
    written: Condvar,
}

#[derive(Debug)]
struct LogState {
    buffers: [Buffer; BUFFERS.len()],
    next: u64,
    random: SplitMix64,
    lose: f64,
    lost: BTreeMap<String, u64>,
    overwritten: u64,
}

#[derive(Debug)]
struct Buffer {
    entries: VecDeque<Entry>,
    bytes: u64,
    size: u64,
}

impl Log {
    pub(crate) fn new(seed: u64) -> Self {
        let buffer = || Buffer { entries: VecDeque::new(), bytes: 0, size: DEFAULT_SIZE };
        let state = LogState {
            buffers: std::array::from_fn(|_| buffer()),
            next: 0,
            random: SplitMix64::new(seed).fork(77),
            lose: 0.0,
            lost: BTreeMap::new(),
            overwritten: 0,
        };
        Self { state: Mutex::new(state), written: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, LogState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Loses each further line with a probability.
    pub(crate) fn lose(&self, fraction: f64) {
        self.state().lose = fraction;
    }

    /// Lines that were lost by [`Self::lose`], by tag.
    pub(crate) fn lost(&self) -> BTreeMap<String, u64> {
        self.state().lost.clone()
    }

    /// Lines that were overwritten because a buffer was full.
    pub(crate) fn overwritten(&self) -> u64 {
        self.state().overwritten
    }

    /// Writes an entry.
    pub(crate) fn write(
        &self,
        clock: &crate::phone_clock::PhoneClock,
        buffer: &str,
        writer: Writer,
        line: Line<'_>,
    ) {
        let Line { level, tag, message } = line;
        let mut end = message.len().min(MOST_MESSAGE);
        while !message.is_char_boundary(end) {
            end -= 1;
        }
        let place = BUFFERS.iter().position(|name| *name == buffer).unwrap_or_default();
        let mut guard = self.state();
        let state = &mut *guard;
        if state.lose > 0.0 && state.random.unit() < state.lose {
            *state.lost.entry(tag.to_owned()).or_default() += 1;
            return;
        }
        let entry = Entry {
            number: state.next,
            buffer: place,
            wall: clock.wall_at(writer.boot),
            monotonic: clock.monotonic_at(writer.boot),
            uid: writer.uid,
            pid: writer.pid,
            tid: writer.tid,
            level,
            tag: tag.to_owned(),
            message: message.get(..end).unwrap_or_default().to_owned(),
        };
        state.next += 1;
        if let Some(buffer) = state.buffers.get_mut(place) {
            buffer.bytes += entry.bytes();
            buffer.entries.push_back(entry);
            state.overwritten += buffer.shrink();
        }
        self.written.notify_all();
    }

    /// Entries of some buffers that came since a number, in order, and the next number.
    pub(crate) fn since(&self, number: u64, buffers: &[usize]) -> (Vec<Entry>, u64) {
        let state = self.state();
        (state.since(number, buffers), state.next)
    }

    /// The same, after waiting for something to come.
    pub(crate) fn wait(
        &self,
        number: u64,
        buffers: &[usize],
        patience: Duration,
    ) -> (Vec<Entry>, u64) {
        let state = self.state();
        let waited = self.written.wait_timeout_while(state, patience, |state| state.next == number);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        (state.since(number, buffers), state.next)
    }

    /// Empties some buffers.
    pub(crate) fn clear(&self, buffers: &[usize]) {
        let mut state = self.state();
        for index in buffers {
            if let Some(buffer) = state.buffers.get_mut(*index) {
                buffer.entries.clear();
                buffer.bytes = 0;
            }
        }
    }

    /// Empties all of them and gives them the size that they had at first: a restart.
    pub(crate) fn clear_all(&self) {
        let mut state = self.state();
        for buffer in &mut state.buffers {
            *buffer = Buffer { entries: VecDeque::new(), bytes: 0, size: DEFAULT_SIZE };
        }
    }

    /// Sets the size of some buffers; `false` if it is too small or too large.
    pub(crate) fn resize(&self, buffers: &[usize], size: u64) -> bool {
        if !SIZES.contains(&size) {
            return false;
        }
        let mut guard = self.state();
        let state = &mut *guard;
        for index in buffers {
            if let Some(buffer) = state.buffers.get_mut(*index) {
                buffer.size = size;
                state.overwritten += buffer.shrink();
            }
        }
        true
    }

    /// Size and use of a buffer in bytes.
    pub(crate) fn size(&self, buffer: usize) -> (u64, u64) {
        let state = self.state();
        state.buffers.get(buffer).map_or((0, 0), |buffer| (buffer.size, buffer.bytes))
    }
}

impl LogState {
    fn since(&self, number: u64, buffers: &[usize]) -> Vec<Entry> {
        let mut found: Vec<Entry> = buffers
            .iter()
            .filter_map(|index| self.buffers.get(*index))
            .flat_map(|buffer| {
                let from = buffer.entries.partition_point(|entry| entry.number < number);
                buffer.entries.range(from..).cloned()
            })
            .collect();
        found.sort_by_key(|entry| entry.number);
        found
    }
}

impl Buffer {
    /// Drops the oldest entries until the rest fits. Gives their number.
    fn shrink(&mut self) -> u64 {
        let mut dropped = 0;
        while self.bytes > self.size
            && let Some(oldest) = self.entries.pop_front()
        {
            self.bytes -= oldest.bytes();
            dropped += 1;
        }
        dropped
    }
}
