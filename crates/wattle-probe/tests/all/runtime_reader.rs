//! Readers of what the runtime writes, made from the format's page alone.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail the test")]

use std::collections::{BTreeMap, BTreeSet};

use wattle_probe::{MapId, ProbeEvent};

/// A thread's records.
#[derive(Debug, Default)]
pub struct Thread {
    pub tid: i64,
    pub name: String,
    /// Events in the order of the records, with their times; without the thread's own drains.
    pub events: Vec<(ProbeEvent, u32)>,
    pub times: Vec<i64>,
    /// The times of the runtime's own pairs: an entry and an exit of the number 0 each.
    pub pairs: Vec<(i64, i64)>,
    /// Own drains: begin and end.
    pub drains: Vec<(i64, i64)>,
    /// Records lost, as the thread's last block tells.
    pub lost: u32,
    sequence: u32,
    open_drain: Option<i64>,
    open_pair: Option<i64>,
}

/// A reading of the clocks.
#[derive(Clone, Copy, Debug)]
pub struct Clocks {
    pub before: i64,
    pub wall_ms: i64,
    pub boot: i64,
    pub after: i64,
}

/// Everything that was recorded.
#[derive(Debug)]
pub struct Reading {
    pub map: String,
    pub pid: i64,
    pub process: String,
    pub package: String,
    pub clocks: Vec<Clocks>,
    /// By the thread's number in the process.
    pub threads: BTreeMap<i64, Thread>,
    /// Bytes of the file that are no whole block.
    pub rest: usize,
    /// Lines that are missing.
    pub missing: BTreeSet<i64>,
}

impl Reading {
    /// The thread with the runtime's own pairs, which are all there, and whose number is 0.
    #[track_caller]
    pub fn calibrated(&self) -> &Thread {
        for (serial, thread) in &self.threads {
            let pairs = if *serial == 0 { 256 } else { 0 };
            assert_eq!((thread.pairs.len(), thread.open_pair), (pairs, None), "{}", thread.name);
        }
        &self.threads[&0]
    }
}

impl Thread {
    fn record(&mut self, kind: u32, id: u32, time: i64) {
        use ProbeEvent::{Back, Call, Enter, Exit, Fail, Unwind};
        let last = self.times.last().copied().max(self.drains.last().map(|drain| drain.1));
        let last = last.max(self.open_drain);
        let last = last.max(self.pairs.last().map(|pair| pair.1)).max(self.open_pair);
        assert!(last.is_none_or(|last| last <= time), "times go back: {last:?}, {time}");
        match kind {
            0 | 1 if id == 0 => {
                let is_first = self.events.is_empty() && self.drains.is_empty();
                assert!(is_first, "the runtime's own pairs come first");
                match self.open_pair.take() {
                    None if kind == 0 => self.open_pair = Some(time),
                    Some(begin) if kind == 1 => self.pairs.push((begin, time)),
                    open => panic!("pairs of entry and exit: {kind} in {open:?}"),
                }
            }
            0..6 => {
                self.events.push(([Enter, Exit, Unwind, Call, Back, Fail][kind as usize], id));
                self.times.push(time);
            }
            6 => self.open_drain = Some(time),
            _ => self.drains.extend(self.open_drain.take().map(|begin| (begin, time))),
        }
    }
}

/// The little-endian fields of a file.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }

    fn unsigned(&mut self, count: usize) -> u64 {
        self.bytes(count).iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
    }

    fn i64(&mut self) -> i64 {
        self.unsigned(8) as i64
    }

    fn u32(&mut self) -> u32 {
        self.unsigned(4) as u32
    }

    fn text(&mut self) -> String {
        let length = self.unsigned(2) as usize;
        String::from_utf8_lossy(self.bytes(length)).into_owned()
    }

    fn clocks(&mut self) -> Clocks {
        Clocks { before: self.i64(), wall_ms: self.i64(), boot: self.i64(), after: self.i64() }
    }

    fn varint(&mut self) -> u64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = self.unsigned(1);
            value |= (byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return value;
            }
        }
    }
}

/// The CRC-32 of zip files, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), |crc, _| step(crc)))
}

/// Reads a binary file.
pub fn read_file(bytes: &[u8]) -> Reading {
    let mut fields = Fields(bytes);
    assert_eq!(fields.bytes(8), b"WTLPROBE");
    assert_eq!(fields.unsigned(2), 1);
    let header = fields.unsigned(2) as usize;
    let pid = i64::from(fields.u32());
    let map = MapId(fields.bytes(32).try_into().unwrap()).to_string();
    let clocks = vec![fields.clocks()];
    let (process, package) = (fields.text(), fields.text());
    assert_eq!(bytes.len() - fields.0.len(), header);
    let mut reading = Reading {
        map,
        pid,
        process,
        package,
        clocks,
        threads: BTreeMap::new(),
        rest: 0,
        missing: BTreeSet::new(),
    };
    loop {
        let rest = fields.0;
        reading.rest = rest.len();
        if rest.len() < 12 {
            return reading;
        }
        let kind = fields.bytes(4);
        let length = fields.u32() as usize;
        let crc = fields.u32();
        if fields.0.len() < length {
            return reading;
        }
        let content = fields.bytes(length);
        assert_eq!(crc32(content), crc, "a whole block at {}", bytes.len() - rest.len());
        match kind {
            b"CLCK" => reading.clocks.push(Fields(content).clocks()),
            b"EVTS" => read_events(&mut reading, Fields(content)),
            _ => panic!("block {kind:?}"),
        }
    }
}

fn read_events(reading: &mut Reading, mut fields: Fields<'_>) {
    let tid = i64::from(fields.u32());
    let thread = reading.threads.entry(i64::from(fields.u32())).or_default();
    assert_eq!(fields.u32(), thread.sequence, "blocks of a thread without a gap");
    thread.sequence += 1;
    thread.tid = tid;
    let count = fields.u32();
    thread.lost = fields.u32();
    let mut time = fields.i64();
    thread.name = fields.text();
    for _ in 0..count {
        let code = fields.varint() as u32;
        time += fields.varint() as i64;
        thread.record(code & 7, code >> 3, time);
    }
    assert!(fields.0.is_empty());
}

/// Reads log lines, as `I/wattle: text`. Lines of others are passed over.
pub fn read_log(log: &str) -> Reading {
    let mut reading = Reading {
        map: String::new(),
        pid: 0,
        process: String::new(),
        package: String::new(),
        clocks: Vec::new(),
        threads: BTreeMap::new(),
        rest: 0,
        missing: BTreeSet::new(),
    };
    let mut expected = 0;
    for line in log.lines().filter_map(|line| line.strip_prefix("I/wattle: ")) {
        assert!(line.len() <= 3_900, "{} bytes", line.len());
        let words: Vec<_> = line.split(' ').collect();
        let number = |at: usize| words[at].parse::<i64>().unwrap();
        let clocks = |at| Clocks {
            before: number(at),
            wall_ms: number(at + 1),
            boot: number(at + 2),
            after: number(at + 3),
        };
        reading.missing.extend(expected..number(2));
        expected = number(2) + 1;
        match words[0] {
            "H1" => {
                words[3].clone_into(&mut reading.map);
                reading.pid = number(4);
                reading.clocks.push(clocks(5));
                reading.process = words[9..].join(" ");
            }
            "C1" => reading.clocks.push(clocks(3)),
            "T1" => {
                let thread = reading.threads.entry(number(4)).or_default();
                thread.tid = number(3);
                thread.name = words[5..].join(" ");
            }
            "E1" => {
                let thread = reading.threads.entry(number(4)).or_default();
                thread.tid = number(3);
                thread.lost = number(5) as u32;
                read_tokens(thread, number(6), words[7]);
            }
            other => panic!("line {other}"),
        }
    }
    reading
}

fn read_tokens(thread: &mut Thread, mut time: i64, tokens: &str) {
    let mut rest = tokens;
    while let Some(letter) = rest.chars().next() {
        let end =
            rest[1..].find(|it: char| it.is_ascii_uppercase()).map_or(rest.len(), |at| at + 1);
        let (id, delta) = rest[1..end].split_once('.').unwrap();
        let id = if id.is_empty() { 0 } else { u32::from_str_radix(id, 36).unwrap() };
        time += i64::from_str_radix(delta, 36).unwrap();
        thread.record("EXUCBFDR".find(letter).unwrap() as u32, id, time);
        rest = &rest[end..];
    }
}
