//! A second reader of what .NET's runtime says of its methods, and of the stacks that the kernel walked. It shares no code with the reader
//! under test, and no way of looking up either: it asks all events of a process for each address.

use super::walker::{half, word};

/// An event that names a method's place.
pub struct Method {
    pub time: i64,
    pid: u32,
    start: u64,
    end: u64,
    /// `L`oaded, `U`nloaded, or listed (`R`).
    kind: char,
    pub name: String,
}

/// A stack of one event.
pub struct Stack {
    /// When the event was that it is of.
    pub time: i64,
    pub pid: u32,
    pub tid: u32,
    /// The innermost first.
    pub addresses: Vec<u64>,
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from(word(bytes, at)) | u64::from(word(bytes, at + 4)) << 32
}

/// A text of UTF-16 and where it ends.
fn text(payload: &[u8], from: usize) -> (String, usize) {
    let units: Vec<u16> = payload[from..]
        .chunks_exact(2)
        .map(|it| u16::from(it[0]) | u16::from(it[1]) << 8)
        .take_while(|it| *it != 0)
        .collect();
    (String::from_utf16_lossy(&units), from + 2 * units.len() + 2)
}

/// The methods and stacks of a log whose buffers are not packed, in order of time.
pub fn walk(log: &[u8]) -> (Vec<Method>, Vec<Stack>) {
    let (mut methods, mut stacks) = (Vec::new(), Vec::new());
    let mut buffer = 0;
    while buffer + 72 <= log.len() {
        let end = (buffer + word(log, buffer + 0x30) as usize).min(log.len());
        let mut at = buffer + 72;
        while at + 8 <= end && log[at + 3] == 0xc0 {
            let kind = log[at + 2];
            let length = half(log, if matches!(kind, 1..=4 | 16 | 17) { at + 4 } else { at });
            if length < 16 || at + length > log.len() {
                break;
            }
            let event = &log[at..at + length];
            // PERFINFO_TRACE_HEADER64 of StackWalk/Stack; EVENT_HEADER of the runtime's two providers.
            if kind == 17 && event[6..8] == [32, 0x18] {
                let addresses = event[32..].chunks_exact(8).map(|it| long(it, 0)).collect();
                let (time, pid, tid) = (long(event, 16) as i64, word(event, 24), word(event, 28));
                stacks.push(Stack { time, pid, tid, addresses });
            } else if matches!(kind, 18 | 19) {
                methods.extend(method(event));
            }
            at += length.next_multiple_of(8);
        }
        buffer += (word(log, buffer) as usize).max(72);
    }
    methods.sort_by_key(|it| it.time);
    (methods, stacks)
}

fn method(event: &[u8]) -> Option<Method> {
    let kind = match (word(event, 24), half(event, 40)) {
        (0xe13c_0d23, 143) => 'L',
        (0xe13c_0d23, 144) => 'U',
        (0xa669_021c, 143 | 144) => 'R',
        _ => return None,
    };
    let payload = &event[80..];
    let (class, at) = text(payload, 36);
    let (method, _) = text(payload, at);
    let start = long(payload, 16);
    Some(Method {
        time: long(event, 16) as i64,
        pid: word(event, 12),
        start,
        end: start + u64::from(word(payload, 24)),
        kind,
        name: [class, method].join("."),
    })
}

/// The method that an address of a process was in at some time.
pub fn name_at(methods: &[Method], pid: u32, address: u64, time: i64) -> Option<&str> {
    let there: Vec<_> = methods
        .iter()
        .filter(|it| it.pid == pid && (it.start..it.end).contains(&address))
        .collect();
    let before = there.iter().rfind(|it| it.time <= time);
    let after = there.iter().find(|it| it.time > time);
    match (before.map(|it| it.kind), after.map(|it| it.kind)) {
        (Some('L' | 'R'), _) => before.map(|it| &*it.name),
        // It was there already when an event says that it goes, or that it is there.
        (_, Some('U' | 'R')) => after.map(|it| &*it.name),
        _ => None,
    }
}
