//! Any bytes as an event log of Windows: reading ends without a panic, and what is told holds together.

use wattle_ingest::{etl_events, read_bytes};

use crate::timeline;

/// The first buffer of a log: `WMI_BUFFER_HEADER`, and the log's own header behind a `SYSTEM_TRACE_HEADER`.
fn first_buffer(pointer: u8, clock: u8, major: u8) -> Vec<u8> {
    let mut bytes = vec![0_u8; 1024];
    let header = 32 + 56 + 2 * usize::from(pointer) + 172 + 8 + 32;
    let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
    put(0, &1024_u32.to_le_bytes());
    put(0x2c, &3_u32.to_le_bytes());
    put(0x30, &((72 + header) as u32).to_le_bytes());
    put(72, &[2, 0, if pointer == 4 { 1 } else { 2 }, 0xc0]);
    put(76, &(header as u16).to_le_bytes());
    put(72 + 16, &1000_u64.to_le_bytes());
    let payload = 72 + 32;
    put(payload, &1024_u32.to_le_bytes());
    put(payload + 4, &[major, 1]);
    put(payload + 12, &4_u32.to_le_bytes());
    put(payload + 44, &u32::from(pointer).to_le_bytes());
    put(payload + 52, &2000_u32.to_le_bytes());
    let times = payload + (56 + 2 * usize::from(pointer) + 172_usize).next_multiple_of(8);
    put(times + 8, &10_000_000_u64.to_le_bytes());
    put(times + 24, &u32::from(clock).to_le_bytes());
    bytes
}

/// A buffer around bytes.
fn buffer(bytes: &[u8], flags: u8) -> Vec<u8> {
    let size = (72 + bytes.len()) as u32;
    let mut all = vec![0_u8; 72];
    all[0..4].copy_from_slice(&size.to_le_bytes());
    let filled = if flags & 0x40 == 0 { size } else { 1 << 16 };
    all[0x30..0x34].copy_from_slice(&filled.to_le_bytes());
    all[0x34] = flags;
    all.extend_from_slice(bytes);
    all
}

/// Kinds of headers, groups and types that are understood.
const KINDS: [u8; 8] = [2, 4, 17, 1, 16, 20, 19, 15];
const EVENTS: [(u8, u8); 20] = [
    (3, 1),
    (3, 2),
    (3, 3),
    (3, 10),
    (5, 1),
    (5, 2),
    (5, 36),
    (5, 50),
    (5, 72),
    (0x0f, 46),
    (0x0f, 67),
    (0x0f, 68),
    (0x0f, 73),
    (0x14, 2),
    (0x18, 32),
    (0x18, 37),
    (0x18, 36),
    (1, 10),
    (1, 12),
    (4, 0),
];

/// The bytes cut into payloads of events that are understood.
fn events(bytes: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    for (index, chunk) in bytes.chunks(40).enumerate() {
        let kind = KINDS[usize::from(chunk[0]) % KINDS.len()];
        let (group, of_kind) = EVENTS[(index + usize::from(chunk[0])) % EVENTS.len()];
        let head = match kind {
            1 | 2 => 32,
            4 => 24,
            16 | 17 => 16,
            20 => 48,
            19 => 80,
            _ => 8,
        };
        let size = (head + chunk.len()) as u16;
        let mut event = vec![0_u8; head];
        event[2] = kind;
        event[3] = if kind == 15 { 0x90 } else { 0xc0 };
        if matches!(kind, 1..=4 | 16 | 17) {
            event[0] = chunk[chunk.len() / 2] % 6;
            event[4..6].copy_from_slice(&size.to_le_bytes());
            event[6] = of_kind;
            event[7] = group;
        } else {
            event[0..2].copy_from_slice(&size.to_le_bytes());
        }
        let time = if matches!(kind, 16 | 17) { 8 } else { 16 };
        if let Some(place) = event.get_mut(time..time + 8) {
            place.copy_from_slice(&(2000 + index as u64 * 7).to_le_bytes());
        }
        event.extend_from_slice(chunk);
        event.resize(event.len().next_multiple_of(8), 0);
        all.extend(event);
    }
    all
}

/// A whole file, as it is.
pub fn run_file(bytes: &[u8]) {
    let Ok(timeline) = read_bytes("fuzz", bytes) else { return };
    timeline::check(&timeline);
    etl_events(bytes, &mut |event| {
        // Each field can be shown.
        let fields = event.fields.iter().flatten();
        assert!(fields.map(|field| field.value.to_string().len()).sum::<usize>() < 1 << 28);
    });
    let samples = &timeline.code.samples;
    for sample in &samples.samples {
        assert!(sample.thread.index() < timeline.tasks.threads.len());
        assert!(samples.event(sample.event).is_some());
        assert!(sample.site.is_none_or(|site| (site as usize) < samples.sites.len()));
    }
    for operation in &timeline.hardware.disk {
        assert!(operation.window.start <= operation.window.end);
        assert!(operation.thread.index() < timeline.tasks.threads.len());
    }
    for artifact in timeline.quality.artifacts.iter().filter(|it| it.format == "etl") {
        assert!(artifact.bytes <= bytes.len() as u64 || timeline::is_packed(bytes));
    }
}

pub fn run(bytes: &[u8]) {
    run_file(bytes);
    for (pointer, clock, major) in [(8, 1, 10), (4, 1, 6), (8, 2, 6), (8, 3, 10), (4, 1, 5)] {
        let first = first_buffer(pointer, clock, major);
        run_file(&[first.as_slice(), bytes].concat());
        run_file(&[first.as_slice(), &buffer(bytes, 0)].concat());
        run_file(&[first.as_slice(), &buffer(bytes, 0x40)].concat());
        let (one, other) = bytes.split_at(bytes.len() / 2);
        run_file(&[first, buffer(&events(one), 0), buffer(&events(other), 2)].concat());
    }
}
