//! Sampled stacks in four formats.

use wattle_wire::Writer;

/// Samples at scale 1.
const SAMPLES: u64 = 20_000;
/// Functions that stacks are made of.
const FUNCTIONS: u64 = 3000;
const LIBRARIES: u64 = 23;
const THREADS: u64 = 12;
const PERIOD_NS: u64 = 250_000;
const FIRST_NS: u64 = 5_000_000_000_000;

/// Functions of a sample's stack, innermost first: those near the root are the same for many samples.
fn stack(sample: u64) -> impl DoubleEndedIterator<Item = u64> {
    let depth = 8 + sample * 7 % 32;
    (0..depth).map(move |level| {
        let from_root = depth - level;
        let near_root = 32 / from_root;
        (sample / (1 + near_root * near_root / 4).min(40) * 31 + from_root * 17) % FUNCTIONS
    })
}

/// Text as `perf script` prints it.
pub fn perf_script(scale: u64) -> String {
    let mut text = String::new();
    for sample in 0..SAMPLES * scale {
        let (tid, cpu) = (1000 + sample % THREADS, sample % 8);
        let micros = (FIRST_NS + sample * PERIOD_NS) / 1_000;
        let (seconds, micros) = (micros / 1_000_000, micros % 1_000_000);
        text.extend([format!(
            "RenderThread {tid} [{cpu:03}] {seconds}.{micros:06}:     {PERIOD_NS} cpu-clock:u: \n"
        )]);
        text.extend(stack(sample).map(|function| {
            let (address, library) = (0x1000 + function * 64, function % LIBRARIES);
            let offset = function % 60;
            format!(
                "\t{address:16x} android::function{function}(int)+0x{offset:x} (/system/lib64/library{library}.so)\n"
            )
        }));
        text.push('\n');
    }
    text
}

/// Collapsed stacks, outermost first.
pub fn folded(scale: u64) -> String {
    let mut text = String::new();
    for sample in 0..SAMPLES * scale {
        text += "RenderThread";
        text.extend(stack(sample).rev().map(|it| format!(";android::uirenderer::function{it}")));
        text.extend([format!(" {}\n", 1 + sample % 9)]);
    }
    text
}

/// A report of simpleperf: `SIMPLEPERF`, version 1, then records with their lengths, the last of length 0.
pub fn simpleperf(scale: u64) -> Vec<u8> {
    let mut bytes = b"SIMPLEPERF\x01\x00".to_vec();
    let mut record = |write: &dyn Fn(&mut Writer)| {
        let mut writer = Writer::new();
        write(&mut writer);
        bytes.extend_from_slice(&(writer.len() as u32).to_le_bytes());
        bytes.extend_from_slice(writer.as_bytes());
    };
    record(&|w| w.message(5, |meta| meta.string(1, "cpu-cycles")));
    for number in 0..SAMPLES * scale {
        record(&|w| {
            w.message(1, |sample| {
                sample.varint(1, FIRST_NS + number * PERIOD_NS);
                sample.varint(2, 1000 + number % THREADS);
                for function in stack(number) {
                    sample.message(3, |entry| {
                        entry.varint(1, 0x1000 + function * 64);
                        entry.varint(2, function % LIBRARIES);
                        entry.varint(3, function / LIBRARIES);
                    });
                }
                sample.varint(4, PERIOD_NS);
                sample.varint(5, 0);
            });
        });
    }
    for file in 0..LIBRARIES {
        record(&|w| {
            w.message(3, |message| {
                message.varint(1, file);
                message.string(2, &format!("/system/lib64/library{file}.so"));
                for symbol in 0..=FUNCTIONS / LIBRARIES {
                    let function = symbol * LIBRARIES + file;
                    message.string(3, &format!("android::uirenderer::function{function}"));
                }
            });
        });
    }
    for thread in 0..THREADS {
        record(&|w| {
            w.message(4, |message| {
                message.varint(1, 1000 + thread);
                message.varint(2, 1000);
                message.string(3, "RenderThread");
            });
        });
    }
    bytes.extend_from_slice(&[0; 4]);
    bytes
}

/// `perf.data` of one event: a header of 104 bytes, one attribute, records.
pub fn perf_data(scale: u64) -> Vec<u8> {
    // `IP | TID | TIME | CALLCHAIN | CPU | PERIOD`.
    const FIELDS: u64 = 1 | 1 << 1 | 1 << 2 | 1 << 5 | 1 << 7 | 1 << 8;
    const HEADER: u64 = 104;
    const ATTRIBUTE: u64 = 112;
    const CONTEXT_USER: u64 = -512_i64 as u64;
    let mut records = Vec::new();
    let mut record = |kind: u32, misc: u16, body: &[u8]| {
        records.extend(kind.to_le_bytes());
        records.extend(misc.to_le_bytes());
        records.extend((body.len() as u16 + 8).to_le_bytes());
        records.extend(body);
    };
    for thread in 0..THREADS as u32 {
        // `PERF_RECORD_COMM`: process, thread, name.
        let mut body = Vec::new();
        body.extend(1000_u32.to_le_bytes());
        body.extend((1000 + thread).to_le_bytes());
        body.extend(b"RenderThread\0\0\0\0");
        record(3, 0, &body);
    }
    for library in 0..LIBRARIES {
        // `PERF_RECORD_MMAP`: process, thread, address, length, offset in the file, name.
        let mut body = Vec::new();
        body.extend(1000_u32.to_le_bytes());
        body.extend(1000_u32.to_le_bytes());
        for number in [0x1000 + library * 0x10_000, 0x10_000, 0] {
            body.extend(number.to_le_bytes());
        }
        body.extend(format!("{:\0<32}", format!("/system/lib64/lib{library}.so")).bytes());
        record(1, 2, &body);
    }
    for number in 0..SAMPLES * scale {
        let stack: Vec<u64> = stack(number).map(|function| 0x1000 + function * 64).collect();
        let mut body = Vec::new();
        body.extend(stack.first().copied().unwrap_or_default().to_le_bytes());
        body.extend(1000_u32.to_le_bytes());
        body.extend((1000 + (number % THREADS) as u32).to_le_bytes());
        body.extend((FIRST_NS + number * PERIOD_NS).to_le_bytes());
        body.extend((number as u32 % 8).to_le_bytes());
        body.extend(0_u32.to_le_bytes());
        body.extend(PERIOD_NS.to_le_bytes());
        body.extend((stack.len() as u64 + 1).to_le_bytes());
        body.extend(CONTEXT_USER.to_le_bytes());
        body.extend(stack.iter().flat_map(|address| address.to_le_bytes()));
        // `PERF_RECORD_SAMPLE` of user code.
        record(9, 2, &body);
    }
    let mut file = b"PERFILE2".to_vec();
    let attribute_size = ATTRIBUTE + 16;
    let data = HEADER + attribute_size;
    for number in [
        HEADER,
        attribute_size,
        HEADER,
        attribute_size,
        data,
        records.len() as u64,
        0,
        0,
        0,
        0,
        0,
        0,
    ] {
        file.extend(number.to_le_bytes());
    }
    // `perf_event_attr`: type software, size, `PERF_COUNT_SW_CPU_CLOCK`, period, fields.
    let mut attribute = Vec::new();
    attribute.extend(1_u32.to_le_bytes());
    attribute.extend((ATTRIBUTE as u32).to_le_bytes());
    for number in [0, PERIOD_NS, FIELDS] {
        attribute.extend(number.to_le_bytes());
    }
    // The rest, and the place and length of the event's numbers, of which there are none.
    attribute.resize(attribute_size as usize, 0);
    file.extend(attribute);
    file.extend(records);
    file
}
