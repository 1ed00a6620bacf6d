//! Traces in every format, written by the comments of `art/runtime/trace.h` and `trace.cc`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::events::Event;

/// Format in which a trace is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text, then records: version 1 (thread of one byte), 2 or 3, with one clock or both.
    Buffered { version: u16, is_dual: bool },
    /// Records among their methods and threads.
    Streamed { version: u16, is_dual: bool },
    /// Packets, with a few records in each block; `fits` of them in the runtime's buffer at once.
    Packets { is_dual: bool, block: usize, fits: usize },
    /// Packets as they were before Android 15 was released.
    Narrow { is_dual: bool, block: usize },
}

pub struct Trace<'a> {
    pub events: &'a [Event],
    pub pid: u32,
    pub threads: &'a [(u32, &'a str)],
    /// Microseconds.
    pub start: u64,
    /// The single clock.
    pub clock: &'a str,
}

fn sleb(mut value: i64, to: &mut Vec<u8>) {
    loop {
        let byte = (value & 0x7f) as u8;
        value >>= 7;
        if (value == 0 && byte & 0x40 == 0) || (value == -1 && byte & 0x40 != 0) {
            return to.push(byte);
        }
        to.push(byte | 0x80);
    }
}

fn uleb(mut value: u64, to: &mut Vec<u8>) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

impl Trace<'_> {
    /// Numbers of methods, by name.
    fn methods(&self) -> BTreeMap<&str, u64> {
        let mut methods = BTreeMap::new();
        for event in self.events {
            let next = methods.len() as u64 * 4;
            methods.entry(event.method.as_str()).or_insert(next);
        }
        methods
    }

    /// `class name descriptor file` of `com.example.Main.run (I)V`.
    fn line(method: &str) -> String {
        let (name, descriptor) = method.split_once(' ').expect("a descriptor");
        let (class, name) = name.rsplit_once('.').expect("a class");
        format!("{class}\t{name}\t{descriptor}\tMain.java\n")
    }

    fn keys(&self, version: u16, is_dual: bool, is_whole: bool) -> String {
        let clock = if is_dual { "dual" } else { self.clock };
        let mut text = format!("*version\n{version}\ndata-file-overflow=false\nclock={clock}\n");
        let last = self.events.iter().map(|event| event.wall.max(event.cpu)).max().unwrap_or(0);
        writeln!(text, "elapsed-time-usec={}", last + 2).expect("text");
        text += "clock-call-overhead-nsec=7\nvm=art\n";
        writeln!(text, "pid={}", self.pid).expect("text");
        if is_whole {
            text += "*threads\n";
            for (number, name) in self.threads {
                writeln!(text, "{number}\t{name}").expect("text");
            }
            text += "*methods\n";
            for (method, id) in self.methods() {
                write!(text, "{id:#x}\t{}", Self::line(method)).expect("text");
            }
        }
        text + "*end\n"
    }

    fn header(&self, version: u16, record: u16) -> Vec<u8> {
        let mut bytes = b"SLOW".to_vec();
        bytes.extend(version.to_le_bytes());
        bytes.extend(32_u16.to_le_bytes());
        bytes.extend(self.start.to_le_bytes());
        bytes.extend(record.to_le_bytes());
        bytes.resize(32, 0);
        bytes
    }

    fn record(&self, event: &Event, id: u64, version: u16, is_dual: bool, to: &mut Vec<u8>) {
        match version {
            1 => to.push(event.thread as u8),
            _ => to.extend((event.thread as u16).to_le_bytes()),
        }
        let word = id as u32 | u32::from(!event.is_entry);
        to.extend(word.to_le_bytes());
        if is_dual {
            to.extend((event.cpu as u32).to_le_bytes());
        }
        let single = if self.clock == "thread-cpu" { event.cpu } else { event.wall };
        to.extend((if is_dual { event.wall } else { single } as u32).to_le_bytes());
    }

    pub fn write(&self, format: Format) -> Vec<u8> {
        match format {
            Format::Buffered { version, is_dual } => {
                let mut file = self.keys(version, is_dual, true).into_bytes();
                file.extend(self.data(version, is_dual));
                file
            }
            Format::Streamed { version, is_dual } => self.streamed(version, is_dual),
            Format::Packets { is_dual, block, fits } => self.packets(is_dual, block, fits),
            Format::Narrow { is_dual, block } => self.narrow(is_dual, block),
        }
    }

    /// The text alone (`.key`), and the records alone (`.data`).
    pub fn pair(&self) -> (Vec<u8>, Vec<u8>) {
        (self.keys(3, true, true).into_bytes(), self.data(3, true))
    }

    fn data(&self, version: u16, is_dual: bool) -> Vec<u8> {
        let methods = self.methods();
        let mut file = self.header(version, if is_dual { 14 } else { 10 });
        for event in self.events {
            self.record(event, methods[event.method.as_str()], version, is_dual, &mut file);
        }
        file
    }

    fn streamed(&self, version: u16, is_dual: bool) -> Vec<u8> {
        let methods = self.methods();
        let mut file = self.header(version | 0xf0, if is_dual { 14 } else { 10 });
        let (mut told, mut met) = (Vec::new(), Vec::new());
        for event in self.events {
            let id = methods[event.method.as_str()];
            if !told.contains(&id) {
                let line = format!("{id:#x}\t{}", Self::line(&event.method));
                file.extend([0, 0, 1]);
                file.extend((line.len() as u16).to_le_bytes());
                file.extend(line.bytes());
                told.push(id);
            }
            if !met.contains(&event.thread) {
                let name = self.threads.iter().find(|(number, _)| *number == event.thread);
                let name = name.map_or("", |(_, name)| name);
                file.extend([0, 0, 2]);
                file.extend((event.thread as u16).to_le_bytes());
                file.extend((name.len() as u16).to_le_bytes());
                file.extend(name.bytes());
                met.push(event.thread);
            }
            self.record(event, id, version, is_dual, &mut file);
        }
        let keys = self.keys(version, is_dual, true);
        file.extend([0, 0, 3]);
        file.extend((keys.len() as u32).to_le_bytes());
        file.extend(keys.bytes());
        file
    }

    /// Runs of events of one thread, as the runtime's buffers hold them.
    fn blocks(&self, block: usize) -> Vec<Vec<&Event>> {
        let mut threads: BTreeMap<u32, Vec<&Event>> = BTreeMap::new();
        self.events.iter().for_each(|event| threads.entry(event.thread).or_default().push(event));
        let chunks = threads.values().flat_map(|events| events.chunks(block.max(1)));
        chunks.map(<[&Event]>::to_vec).collect()
    }

    fn packet_header(&self, is_dual: bool, nanos: u64) -> Vec<u8> {
        let mut file = b"SLOW".to_vec();
        file.extend((0xf0 | if is_dual { 5_u16 } else { 4 }).to_le_bytes());
        file.extend(nanos.to_le_bytes());
        file.resize(32, 0);
        for (number, name) in self.threads {
            file.push(0);
            file.extend(number.to_le_bytes());
            file.extend((name.len() as u16).to_le_bytes());
            file.extend(name.bytes());
        }
        file
    }

    fn packet_summary(&self, is_dual: bool, file: &mut Vec<u8>) {
        let keys = self.keys(if is_dual { 5 } else { 4 }, is_dual, false);
        file.push(3);
        file.extend((keys.len() as u16).to_le_bytes());
        file.extend(keys.bytes());
    }

    fn packets(&self, is_dual: bool, block: usize, fits: usize) -> Vec<u8> {
        // Methods are addresses here.
        let address = |id: u64| 0x7f00_0000_0000 + id * 4;
        let methods = self.methods();
        let mut file = self.packet_header(is_dual, self.start * 1000);
        for (method, id) in &methods {
            let line = Self::line(method);
            file.push(1);
            file.extend(address(*id).to_le_bytes());
            file.extend((line.len() as u16).to_le_bytes());
            file.extend(line.bytes());
        }
        for events in self.blocks(block) {
            // What does not fit goes on in another block, which counts all records of both.
            let (mut word, mut wall, mut cpu, mut count) = (0_u64, 0, 0, 0);
            for part in events.chunks(fits.max(1)) {
                let mut bytes = Vec::new();
                for event in part {
                    let next = address(methods[event.method.as_str()]) | u64::from(!event.is_entry);
                    sleb(next.wrapping_sub(word).cast_signed(), &mut bytes);
                    uleb(event.wall * 1000 - wall, &mut bytes);
                    if is_dual {
                        uleb(event.cpu * 1000 - cpu, &mut bytes);
                    }
                    (word, wall, cpu) = (next, event.wall * 1000, event.cpu * 1000);
                }
                count += part.len() as u32;
                file.push(2);
                file.extend(part[0].thread.to_le_bytes());
                file.extend(&count.to_le_bytes()[..3]);
                file.extend((bytes.len() as u32).to_le_bytes());
                file.extend(bytes);
            }
        }
        self.packet_summary(is_dual, &mut file);
        file
    }

    fn narrow(&self, is_dual: bool, block: usize) -> Vec<u8> {
        let methods = self.methods();
        let mut file = self.packet_header(is_dual, self.start * 1000);
        for (method, id) in &methods {
            let line = Self::line(method);
            file.push(1);
            file.extend(((id / 4) as u32).to_le_bytes());
            file.extend((line.len() as u16).to_le_bytes());
            file.extend(line.bytes());
        }
        for events in self.blocks(block) {
            let word = |event: &Event| methods[event.method.as_str()] | u64::from(!event.is_entry);
            let first = events[0];
            let mut bytes = Vec::new();
            for pair in events.windows(2) {
                sleb(word(pair[1]).cast_signed() - word(first).cast_signed(), &mut bytes);
                uleb(pair[1].wall - pair[0].wall, &mut bytes);
                if is_dual {
                    uleb(pair[1].cpu - pair[0].cpu, &mut bytes);
                }
            }
            file.push(2);
            file.extend(first.thread.to_le_bytes());
            file.extend((word(first) as u32).to_le_bytes());
            if is_dual {
                file.extend((first.cpu as u32).to_le_bytes());
            }
            file.extend((first.wall as u32).to_le_bytes());
            file.extend((events.len() as u16 - 1).to_le_bytes());
            file.extend((bytes.len() as u16).to_le_bytes());
            file.extend(bytes);
        }
        self.packet_summary(is_dual, &mut file);
        file
    }
}
