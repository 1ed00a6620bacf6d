//! Bytes of formats, written by hand: a test of a reader must be able to say what no writer would.

/// A protobuf varint.
pub fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// A field that holds a number.
pub fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

/// A field that holds bytes: text or a message.
pub fn bytes(field: u64, content: &[u8]) -> Vec<u8> {
    [&varint(field << 3 | 2)[..], &varint(content.len() as u64), content].concat()
}

/// A `TracePacket` in a `Trace`.
pub fn packet(fields: &[Vec<u8>]) -> Vec<u8> {
    bytes(1, &fields.concat())
}

/// A packet with a `FtraceEventBundle` (field 1 of `TracePacket`) of one CPU (field 1) and events (field 2).
pub fn bundle(cpu: u64, events: &[Vec<u8>]) -> Vec<u8> {
    let events: Vec<u8> = events.iter().flat_map(|event| bytes(2, event)).collect();
    packet(&[bytes(1, &[number(1, cpu), events].concat())])
}

/// A `FtraceEvent`: timestamp (1), pid (2), and one kind of event.
pub fn event(time: u64, pid: u64, kind: u64, fields: &[Vec<u8>]) -> Vec<u8> {
    [number(1, time), number(2, pid), bytes(kind, &fields.concat())].concat()
}

/// `print` (field 3 of `FtraceEvent`) with its text (field 2).
pub fn print(time: u64, pid: u64, text: &str) -> Vec<u8> {
    event(time, pid, 3, &[bytes(2, text.as_bytes())])
}

/// `cpu_frequency` (field 11 of `FtraceEvent`): kilohertz (1) and CPU (2).
pub fn cpu_frequency(time: u64, cpu: u64, kilohertz: u64) -> Vec<u8> {
    event(time, 0, 11, &[number(1, kilohertz), number(2, cpu)])
}
