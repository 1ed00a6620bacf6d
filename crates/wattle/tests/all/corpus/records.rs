//! Output of the `file` sink, read by the page that specifies it, `docs/probe-formats.md`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use super::event::Threads;
use super::probe_map::ProbeMap;
use super::recording;

/// The blocks of one thread: its name and its records by their number.
type Blocks = BTreeMap<u32, (String, Vec<String>)>;

/// Reads the only file of a folder.
#[track_caller]
pub fn read(folder: &Path, map: &ProbeMap) -> Threads {
    let files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [file] = files.as_slice() else { panic!("files of records: {files:?}") };
    let bytes = std::fs::read(file).unwrap();
    assert_eq!(&bytes[..8], b"WTLPROBE");
    let mut at = usize::from(u16::from_le_bytes([bytes[10], bytes[11]]));
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let mut threads = BTreeMap::<u32, Blocks>::new();
    while at + 12 <= bytes.len() {
        let size = word(at + 4) as usize;
        let content = at + 12;
        if &bytes[at..at + 4] == b"EVTS" {
            let (serial, number, records) =
                (word(content + 4), word(content + 8), word(content + 12));
            assert_eq!(word(content + 16), 0, "records were lost");
            let length =
                usize::from(u16::from_le_bytes([bytes[content + 28], bytes[content + 29]]));
            let name = String::from_utf8_lossy(&bytes[content + 30..content + 30 + length]);
            let mut rest = &bytes[content + 30 + length..content + size];
            let mut lines = Vec::new();
            for _ in 0..records {
                let record = varint(&mut rest);
                let _nanoseconds = varint(&mut rest);
                let event = match record & 7 {
                    0 => "enter",
                    1 => "exit",
                    2 => "unwind",
                    3 => "call",
                    4 => "back",
                    5 => "fail",
                    // The recorder's own work.
                    _ => continue,
                };
                lines.push(format!("{event}\t{}", record >> 3));
            }
            assert!(rest.is_empty(), "{} bytes behind the records", rest.len());
            let blocks = threads.entry(serial).or_default();
            let twice = blocks.insert(number, (name.into_owned(), lines));
            assert!(twice.is_none(), "block {number} of thread {serial} comes twice");
        }
        at = content + size;
    }
    let mut text = String::new();
    for (serial, blocks) in &threads {
        assert!(blocks.keys().copied().eq(0..blocks.len() as u32), "blocks {:?}", blocks.keys());
        let (name, _) = blocks.values().next().unwrap();
        let lines: Vec<&String> = blocks.values().flat_map(|(_, lines)| lines).collect();
        // The runtime's own pairs come first, of the first thread.
        let pairs = if *serial == 0 { 256 } else { 0 };
        let (own, lines) = lines.split_at_checked(2 * pairs).expect("the runtime's own pairs");
        for (at, line) in own.iter().enumerate() {
            assert_eq!(*line, ["enter\t0", "exit\t0"][at % 2], "record {at}");
        }
        for line in lines {
            assert!(!matches!(line.as_str(), "enter\t0" | "exit\t0"), "more than {pairs} pairs");
            let _ = writeln!(text, "{name}\t{line}");
        }
    }
    recording::read(&text, map)
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let (first, rest) = bytes.split_first().expect("a varint");
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            break;
        }
    }
    value
}
