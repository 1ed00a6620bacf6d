//! A writer of what probes record, made from `docs/probe-formats.md` alone.

#![allow(dead_code, reason = "each test file uses some of it")]

use std::fmt::Write as _;

/// A record: letter of the kind, id, monotonic nanoseconds.
pub type Record = (char, u32, i64);

/// Monotonic before, wall milliseconds, boot, monotonic after.
pub type Clocks = [i64; 4];

pub const MAP: &str = concat!(
    r#"{"wattle_probe_map":1,"package":"com.x","mode":"both","sink":"file","code":[],"probes":5}"#,
    "\n",
    r#"{"class":"com.x.Main","methods":[{"id":1,"name":"run","descriptor":"()V","calls":[{"id":4,"class":"android.os.Toast","name":"show","descriptor":"()V","line":3}]},"#,
    r#"{"id":2,"name":"work","descriptor":"(I)V"},{"id":3,"name":"work","descriptor":"(J)V"},{"name":"only","descriptor":"()V","calls":[{"id":5,"class":"java.net.URL","name":"openStream","descriptor":"()Ljava/io/InputStream;"}]}]}"#,
    "\n"
);

/// The SHA-256 of [`MAP`], as `sha256sum` has it.
pub const MAP_ID: &str = "f1e6c70703b07d697676d8dbfd64ba9e8cb3e1c8f2d3aa2c4c67a80ee77a802e";

pub fn map_id() -> Vec<u8> {
    (0..32).map(|i| u8::from_str_radix(&MAP_ID[2 * i..2 * i + 2], 16).unwrap()).collect()
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc)))
}

fn text(into: &mut Vec<u8>, text: &str) {
    into.extend((text.len() as u16).to_le_bytes());
    into.extend(text.as_bytes());
}

fn varint(into: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        into.push(value as u8 | 0x80);
        value >>= 7;
    }
    into.push(value as u8);
}

fn base36(mut value: u64) -> String {
    let mut digits = String::new();
    loop {
        digits.insert(0, char::from_digit((value % 36) as u32, 36).unwrap());
        value /= 36;
        if value == 0 {
            return digits;
        }
    }
}

/// A file of one process.
pub fn file(pid: u32, name: &str, clocks: Clocks) -> Vec<u8> {
    let mut bytes = b"WTLPROBE\x01\0\0\0".to_vec();
    bytes.extend(pid.to_le_bytes());
    bytes.extend(map_id());
    bytes.extend(clocks.iter().flat_map(|clock| clock.to_le_bytes()));
    text(&mut bytes, name);
    text(&mut bytes, "com.x");
    let length = bytes.len() as u16;
    bytes[10..12].copy_from_slice(&length.to_le_bytes());
    bytes
}

pub fn block(kind: &str, content: &[u8]) -> Vec<u8> {
    let mut bytes = kind.as_bytes().to_vec();
    bytes.extend((content.len() as u32).to_le_bytes());
    bytes.extend(crc32(content).to_le_bytes());
    bytes.extend(content);
    bytes
}

pub fn clocks_block(clocks: Clocks) -> Vec<u8> {
    let content: Vec<u8> = clocks.iter().flat_map(|clock| clock.to_le_bytes()).collect();
    block("CLCK", &content)
}

/// Start of a block of records: the thread, the number of the block among its blocks, and its lost records so far.
#[derive(Clone, Copy, Default)]
pub struct BlockStart {
    pub tid: u32,
    pub serial: u32,
    pub number: u32,
    pub lost: u32,
    pub name: &'static str,
}

impl BlockStart {
    /// The first block of a main thread.
    pub fn main(tid: u32) -> Self {
        Self { tid, name: "main", ..Self::default() }
    }
}

/// `EVTS`.
pub fn events_block(start: BlockStart, records: &[Record]) -> Vec<u8> {
    let BlockStart { tid, serial, number, lost, name } = start;
    let mut content = Vec::new();
    for word in [tid, serial, number, records.len() as u32, lost] {
        content.extend(word.to_le_bytes());
    }
    let mut last = records.first().map_or(0, |record| record.2);
    content.extend(last.to_le_bytes());
    text(&mut content, name);
    for (letter, id, time) in records {
        let kind = "EXUCBFDR".find(*letter).unwrap() as u64;
        varint(&mut content, u64::from(*id) << 3 | kind);
        varint(&mut content, (time - last) as u64);
        last = *time;
    }
    block("EVTS", &content)
}

/// Numbers the lines of one process.
pub struct Lines {
    number: u64,
}

impl Lines {
    pub fn new() -> Self {
        Self { number: 0 }
    }

    fn head(&mut self, letter: char) -> String {
        self.number += 1;
        format!("{letter}1 {} {}", &MAP_ID[..8], self.number - 1)
    }

    pub fn process(&mut self, pid: u32, clocks: Clocks, name: &str) -> String {
        let [before, wall, boot, after] = clocks;
        format!("{} {MAP_ID} {pid} {before} {wall} {boot} {after} {name}", self.head('H'))
    }

    pub fn clocks(&mut self, clocks: Clocks) -> String {
        let [before, wall, boot, after] = clocks;
        format!("{} {before} {wall} {boot} {after}", self.head('C'))
    }

    pub fn thread(&mut self, tid: u32, serial: u32, name: &str) -> String {
        format!("{} {tid} {serial} {name}", self.head('T'))
    }

    pub fn events(&mut self, tid: u32, serial: u32, lost: u32, records: &[Record]) -> String {
        let mut last = records.first().map_or(0, |record| record.2);
        let mut line = format!("{} {tid} {serial} {lost} {last} ", self.head('E'));
        for (letter, id, time) in records {
            let id = if *id == 0 { String::new() } else { base36(u64::from(*id)) };
            write!(line, "{letter}{id}.{}", base36((time - last) as u64)).unwrap();
            last = *time;
        }
        line
    }
}
