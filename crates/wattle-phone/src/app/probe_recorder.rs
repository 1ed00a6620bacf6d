//! The recorder of a process's probes, for the sink that its map names (`docs/probe-formats.md`).

use std::collections::BTreeMap;
use std::sync::Arc;

use wattle_sim::replay::ReplayEvent;
use wattle_units::{BootNanos, Nanos};

use super::probe_file::{ProbeFile, Reading};
use super::probe_numbers::{ProbeNumbers, SinkKind};
use super::record_buffer::{Buffer, Record};
use crate::core::Core;
use crate::device_log::{Line, Writer};
use crate::state::InstalledPackage;

/// The period of emptying buffers.
const DRAIN_PERIOD: Nanos = Nanos::new(250_000_000);
/// Longest label of a section.
const MOST_LABEL: usize = 127;
/// Longest log line.
const MOST_LINE: usize = 3900;
/// Pairs of entry and exit that are timed when the process's first probe is met.
const CALIBRATION_PAIRS: u32 = 256;
/// The duration of an entry probe and an exit probe.
const EMPTY_PROBE: Nanos = Nanos::new(540);
/// Under which number the timed method's probes stand.
const CALIBRATION_ID: u32 = 0;

/// The writer.
#[derive(Debug)]
pub(crate) struct ProbeRecorder {
    core: Arc<Core>,
    pid: u32,
    uid: u32,
    name: String,
    map: Arc<ProbeNumbers>,
    calibrated: bool,
    buffers: BTreeMap<u32, Buffer>,
    /// The thread that empties the buffers.
    drainer: Option<u32>,
    drained: BootNanos,
    read: Option<BootNanos>,
    lines: u64,
    file: ProbeFile,
}

impl ProbeRecorder {
    pub(crate) fn new(
        core: &Arc<Core>,
        package: &InstalledPackage,
        pid: u32,
        map: Arc<ProbeNumbers>,
        now: BootNanos,
    ) -> Self {
        let milliseconds = core.clock.wall_at(now).div_euclid(1_000_000);
        let path = format!("/data/data/{}/files/wattle-{pid}-{milliseconds}.probes", package.name);
        Self {
            core: Arc::clone(core),
            pid,
            uid: package.uid,
            name: package.name.clone(),
            file: ProbeFile::new(core.files.rooted().clone(), path),
            map,
            calibrated: false,
            buffers: BTreeMap::new(),
            drainer: None,
            drained: now,
            read: None,
            lines: 0,
        }
    }

    /// A method begins. Gives when its probe is done; `None` if it has none.
    pub(crate) fn enter(&mut self, tid: u32, now: BootNanos, method: &str) -> Option<BootNanos> {
        let id = self.map.method(method).filter(|probed| probed.id > 0)?.id;
        let now = self.begin(tid, now);
        match self.map.sink {
            SinkKind::Trace => self.section(tid, now, method, id),
            SinkKind::File | SinkKind::Logcat => self.keep(tid, now, 0, id),
            SinkKind::Navitas => self.navitas(tid, now, "Entry", method),
            SinkKind::Orka => {
                self.line(tid, now, 'I', "orka", &format!("entering {}", short(method)));
            }
        }
        Some(now)
    }

    /// It returns.
    pub(crate) fn exit(&mut self, tid: u32, now: BootNanos, method: &str) -> Option<BootNanos> {
        let id = self.map.method(method).filter(|probed| probed.id > 0)?.id;
        match self.map.sink {
            SinkKind::Trace => self.did(tid, now, ReplayEvent::End),
            SinkKind::File | SinkKind::Logcat => self.keep(tid, now, 1, id),
            SinkKind::Navitas => self.navitas(tid, now, "Exit", method),
            SinkKind::Orka => {
                self.line(tid, now, 'I', "orka", &format!("exiting {}", short(method)));
            }
        }
        Some(now)
    }

    /// A call of the framework is about to be made by a method.
    pub(crate) fn begin_call(
        &mut self,
        tid: u32,
        now: BootNanos,
        caller: &str,
        callee: &str,
    ) -> Option<BootNanos> {
        let (id, _) = self.call_number(caller, callee)?;
        let now = self.begin(tid, now);
        match self.map.sink {
            SinkKind::Trace => self.section(tid, now, callee, id),
            SinkKind::File | SinkKind::Logcat => self.keep(tid, now, 3, id),
            SinkKind::Navitas | SinkKind::Orka => {}
        }
        Some(now)
    }

    /// It has returned.
    pub(crate) fn end_call(
        &mut self,
        tid: u32,
        now: BootNanos,
        caller: &str,
        callee: &str,
    ) -> Option<BootNanos> {
        let (_, line) = self.call_number(caller, callee)?;
        match self.map.sink {
            SinkKind::Trace => self.did(tid, now, ReplayEvent::End),
            SinkKind::File | SinkKind::Logcat => self.keep(tid, now, 4, 0),
            SinkKind::Orka if callee.starts_with("android.") => {
                let line = line.map_or_else(|| "-1".to_owned(), |line| line.to_string());
                let text = format!("    API call l{line} {}", callee.replace('.', "/"));
                self.line(tid, now, 'I', "orka", &text);
            }
            SinkKind::Navitas | SinkKind::Orka => {}
        }
        Some(now)
    }

    fn call_number(&self, caller: &str, callee: &str) -> Option<(u32, Option<u32>)> {
        let calls = &self.map.method(caller)?.calls;
        calls.iter().find(|(name, ..)| name == callee).map(|(_, id, line)| (*id, *line))
    }

    /// Before an entry: what is due once, and what is due now.
    fn begin(&mut self, tid: u32, mut now: BootNanos) -> BootNanos {
        let is_timed = matches!(self.map.sink, SinkKind::Trace | SinkKind::File | SinkKind::Logcat);
        if !self.calibrated && is_timed {
            self.calibrated = true;
            let begin = now;
            for _ in 0..CALIBRATION_PAIRS {
                if self.map.sink == SinkKind::Trace {
                    self.section(tid, now, "wattle.calibration", CALIBRATION_ID);
                    self.did(tid, now + EMPTY_PROBE, ReplayEvent::End);
                } else {
                    self.keep(tid, now, 0, CALIBRATION_ID);
                    self.keep(tid, now + EMPTY_PROBE, 1, CALIBRATION_ID);
                }
                now = now + EMPTY_PROBE + EMPTY_PROBE;
            }
            self.did(tid, begin, ReplayEvent::Busy(now));
        }
        if now - self.drained >= DRAIN_PERIOD {
            self.drain(now);
        }
        now
    }

    fn did(&self, tid: u32, at: BootNanos, event: ReplayEvent) {
        self.core.journal.did(self.pid, tid, at, event);
    }

    fn section(&self, tid: u32, now: BootNanos, name: &str, id: u32) {
        let number = format!(" #{}@{}", base36(u64::from(id)), self.map.short());
        let room = MOST_LABEL.saturating_sub(number.len());
        let start = name.char_indices().map(|(at, _)| at).find(|at| name.len() - at <= room);
        let name = name.get(start.unwrap_or_default()..).unwrap_or_default();
        self.did(tid, now, ReplayEvent::Begin(format!("{name}{number}")));
    }

    fn keep(&mut self, tid: u32, now: BootNanos, kind: u8, id: u32) {
        let at = self.core.clock.monotonic_at(now);
        let serial = self.buffers.len() as u32;
        let (core, pid) = (&self.core, self.pid);
        let buffer = self.buffers.entry(tid).or_insert_with(|| Buffer {
            serial,
            name: core.journal.thread_name(pid, tid).unwrap_or_default(),
            block: 0,
            lost: 0,
            records: Vec::new(),
            named: false,
        });
        buffer.records.push(Record { kind, id, at });
    }

    fn line(&self, tid: u32, now: BootNanos, level: char, tag: &str, text: &str) {
        let writer = Writer { boot: now, uid: self.uid, pid: self.pid, tid };
        self.core.log.write(&self.core.clock, "main", writer, Line { level, tag, message: text });
    }

    fn navitas(&self, tid: u32, now: BootNanos, word: &str, method: &str) {
        let mut text = format!("{word} {method} TimeInStates ");
        for cpu in 0..self.core.options.hardware.cpus() {
            let path = format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/stats/time_in_state");
            // Apps cannot read the file any more since Android 9.
            let readable = self.core.options.api < 28;
            let states = readable.then(|| crate::system::content(&self.core, &path)).flatten();
            let states = states.unwrap_or_default();
            let states = String::from_utf8_lossy(&states).replace('\n', " ");
            text += &format!("cpu{cpu} {states}; ");
        }
        self.line(tid, now, 'D', "TEST", &(text + " EndOfData 0"));
    }

    /// Empties all buffers.
    pub(crate) fn drain(&mut self, now: BootNanos) {
        self.drained = now;
        if self.buffers.values().all(|buffer| buffer.records.is_empty()) {
            return;
        }
        let tid = if let Some(tid) = self.drainer {
            tid
        } else {
            let tid = self.core.journal.begin_thread(now, self.pid, "wattle-probes");
            *self.drainer.insert(tid)
        };
        let count: usize = self.buffers.values().map(|buffer| buffer.records.len()).sum();
        let work = Nanos::new(200_000 + count as i64 * 150);
        self.did(tid, now, ReplayEvent::Busy(now + work));
        let reading = self.reading(now);
        if self.map.sink == SinkKind::File {
            self.drain_to_file(reading);
        } else {
            self.drain_to_log(tid, now, reading);
        }
    }

    fn reading(&mut self, now: BootNanos) -> Option<Reading> {
        let is_due = self.read.is_none_or(|last| now - last >= Nanos::new(1_000_000_000));
        if !is_due {
            return None;
        }
        self.read = Some(now);
        let clock = &self.core.clock;
        let monotonic = clock.monotonic_at(now);
        let wall = clock.wall_at(now).div_euclid(1_000_000);
        Some([monotonic - 900, wall, now.value(), monotonic + 700])
    }

    fn drain_to_file(&mut self, reading: Option<Reading>) {
        let room = self.core.files.free();
        self.file.begin(self.pid, &self.map.map, reading.unwrap_or_default(), &self.name);
        if let Some(reading) = reading {
            self.file.clocks(reading);
        }
        for (tid, buffer) in &mut self.buffers {
            self.file.events(*tid, buffer, room);
        }
    }

    fn drain_to_log(&mut self, tid: u32, now: BootNanos, reading: Option<Reading>) {
        let words = |reading: Reading| reading.map(|number| number.to_string()).join(" ");
        let mut texts = Vec::new();
        if let Some(reading) = reading {
            texts.push(if self.lines == 0 {
                let digits = self.map.digits();
                ('H', format!("{digits} {} {} {}", self.pid, words(reading), self.name))
            } else {
                ('C', words(reading))
            });
        }
        for (owner, buffer) in &mut self.buffers {
            if buffer.records.is_empty() {
                continue;
            }
            if !buffer.named {
                buffer.named = true;
                texts.push(('T', format!("{owner} {} {}", buffer.serial, buffer.name)));
            }
            let records = std::mem::take(&mut buffer.records);
            let mut records = records.into_iter().peekable();
            while let Some(first) = records.peek().copied() {
                let mut text = format!("{owner} {} {} {} ", buffer.serial, buffer.lost, first.at);
                let mut last = first.at;
                while text.len() < MOST_LINE - 64
                    && let Some(record) = records.next()
                {
                    text += &word(record, last);
                    last = record.at;
                }
                texts.push(('E', text));
            }
        }
        for (letter, text) in texts {
            let line = format!("{letter}1 {} {} {text}", self.map.short(), self.lines);
            self.lines += 1;
            self.line(tid, now, 'I', "wattle", &line);
        }
    }
}

/// A record as a log line has it.
fn word(record: Record, last: i64) -> String {
    const KINDS: [char; 8] = ['E', 'X', 'U', 'C', 'B', 'F', 'D', 'R'];
    let kind = KINDS.get(usize::from(record.kind)).copied().unwrap_or('E');
    let id = if record.id == 0 { String::new() } else { base36(u64::from(record.id)) };
    let since = u64::try_from(record.at - last).unwrap_or_default();
    format!("{kind}{id}.{}", base36(since))
}

/// `Bar/baz` of `com.foo.Bar.baz`.
fn short(method: &str) -> String {
    let mut parts = method.rsplit('.');
    let (name, class) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    format!("{class}/{name}")
}

fn base36(mut number: u64) -> String {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut digits = Vec::new();
    loop {
        digits.push(DIGITS.get((number % 36) as usize).copied().unwrap_or(b'0'));
        number /= 36;
        if number == 0 {
            break;
        }
    }
    digits.iter().rev().map(|digit| char::from(*digit)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_the_format_says() {
        for (number, expected) in [(0, "0"), (35, "z"), (36, "10"), (1 << 28, "4fti4g")] {
            assert_eq!(base36(number), expected);
        }
        let record = |kind, id, at| Record { kind, id, at };
        assert_eq!(word(record(0, 36 * 36 + 20 * 36 + 2, 100), 100), "E1k2.0");
        assert_eq!(word(record(4, 0, 136), 100), "B.10");
        assert_eq!(short("com.foo.Bar$1.<init>"), "Bar$1/<init>");
    }
}
