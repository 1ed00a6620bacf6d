//! Streamed traces read in the plainest way, by `tools/stream-trace-converter.py` of the runtime's sources.

use std::collections::HashMap;

use crate::events::Event;

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |sum, byte| sum * 256 + u64::from(*byte))
}

/// All events of a trace of version 3 with two clocks.
pub fn events(file: &[u8]) -> Vec<Event> {
    assert_eq!(&file[..6], b"SLOW\xf3\0");
    let (mut methods, mut events) = (HashMap::new(), Vec::new());
    let mut rest = &file[32..];
    loop {
        let thread = number(&rest[..2]);
        if thread != 0 {
            let word = number(&rest[2..6]);
            let (cpu, wall) = (number(&rest[6..10]), number(&rest[10..14]));
            events.push((thread as u32, word, cpu, wall));
            rest = &rest[14..];
            continue;
        }
        match rest[2] {
            1 => {
                let length = number(&rest[3..5]) as usize;
                let text = String::from_utf8_lossy(&rest[5..5 + length]);
                let fields: Vec<_> = text.trim_end().split('\t').collect();
                let id =
                    u64::from_str_radix(fields[0].trim_start_matches("0x"), 16).expect("a number");
                methods.insert(id, format!("{}.{} {}", fields[1], fields[2], fields[3]));
                rest = &rest[5 + length..];
            }
            2 => rest = &rest[7 + number(&rest[5..7]) as usize..],
            3 => break,
            other => panic!("{other}"),
        }
    }
    let event = |(thread, word, cpu, wall): (u32, u64, u64, u64)| Event {
        thread,
        is_entry: word % 4 == 0,
        method: methods[&(word / 4 * 4)].clone(),
        cpu,
        wall,
    };
    events.into_iter().map(event).collect()
}
