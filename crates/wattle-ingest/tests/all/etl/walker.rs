//! A second reader of logs: it goes through buffers as they lie in the file and knows the few payloads that a test asks for.
//! It shares no code with the reader under test.

pub fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |it| u32::from_le_bytes(it.try_into().unwrap_or_default()))
}

pub fn half(bytes: &[u8], at: usize) -> usize {
    bytes.get(at..at + 2).map_or(0, |it| usize::from(it[0]) | usize::from(it[1]) << 8)
}

/// Returns the events of a log: kind of class (`p` for processes, `t` for threads), opcode, version, bytes of a
/// pointer, payload.
fn events(log: &[u8]) -> Vec<(char, u8, u8, usize, &[u8])> {
    let mut found = Vec::new();
    let mut buffer = 0;
    while buffer + 72 <= log.len() {
        let size = word(log, buffer) as usize;
        // Packed buffers are no matter of this walker.
        let is_packed = half(log, buffer + 0x34) & 0x40 != 0;
        let end = buffer + word(log, buffer + 0x30) as usize;
        let mut at = buffer + 72;
        while !is_packed && at + 8 <= end.min(log.len()) && log[at + 3] == 0xc0 {
            let kind = log[at + 2];
            let is_kernel = matches!(kind, 1..=4 | 16 | 17);
            let length = half(log, if is_kernel { at + 4 } else { at });
            if length == 0 || at + length > log.len() {
                break;
            }
            let event = &log[at..at + length];
            let pointer = if matches!(kind, 1 | 3 | 10 | 16) { 4 } else { 8 };
            match kind {
                1 | 2 if event[7] == 3 => {
                    found.push(('p', event[6], event[0], pointer, &event[32..]));
                }
                1 | 2 if event[7] == 5 => {
                    found.push(('t', event[6], event[0], pointer, &event[32..]));
                }
                10 | 20 if event[24..28] == [0xd0, 0xa8, 0x6f, 0x3d] => {
                    found.push(('p', event[4], event[6], pointer, &event[48..]));
                }
                _ => {}
            }
            at += length.next_multiple_of(8);
        }
        buffer += size.max(72);
    }
    found
}

/// Numbers and names of the processes that began, were there or ended. A program of 32 bits made some logs with payloads of 64: their
/// pointers' size is given.
pub fn processes(log: &[u8], payload_pointer: Option<usize>) -> Vec<(u32, String)> {
    let of_kernel = events(log).into_iter().filter(|it| it.0 == 'p' && (1..=4).contains(&it.1));
    let told = of_kernel.filter_map(|(_, _, _, pointer, payload)| {
        let pointer = payload_pointer.unwrap_or(pointer);
        let pid = word(payload, pointer);
        // A security id begins with its revision, 1, the number of its parts, and an authority below 256.
        let sid = (pointer..payload.len().saturating_sub(8)).find(|at| {
            payload[*at] == 1
                && (1..=15).contains(&payload[at + 1])
                && payload[at + 2..at + 7] == [0; 5]
                && (1..=16).contains(&payload[at + 7])
        })?;
        let name = payload.get(sid + 8 + 4 * usize::from(payload[sid + 1])..)?;
        let name: Vec<u8> = name.iter().copied().take_while(|byte| *byte != 0).collect();
        Some((pid, String::from_utf8(name).ok()?))
    });
    told.filter(|(_, name)| !name.is_empty()).collect()
}

/// Numbers of processes and their threads.
pub fn threads(log: &[u8]) -> Vec<(u32, u32)> {
    let of_kernel = events(log).into_iter().filter(|it| it.0 == 't' && (1..=4).contains(&it.1));
    of_kernel.map(|(.., payload)| (word(payload, 0), word(payload, 4))).collect()
}
