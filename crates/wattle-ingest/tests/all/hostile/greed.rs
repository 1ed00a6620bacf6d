//! Input that claims or unpacks to far more than it is.

use super::archive::{Entry, bomb, zip};
use super::build::{bundle, cpu_frequency, event, number, packet};
use super::noise::{Random, claimed};
use super::{memory, notes, survive};

/// Input that claims or unpacks to far more than it is, and the memory that reading it may take.
const GREEDY: &[(&str, u64)] = &[
    ("a length of 4 GiB", 48 << 20),
    ("a length of 2^63", 48 << 20),
    ("lengths of 4 GiB inside", 48 << 20),
    ("a CPU number of 4 billion", 48 << 20),
    ("a zip bomb", 1 << 30),
    ("a zip bomb of packets", 1 << 30),
    ("a zip bomb that claims little", 1 << 30),
    ("a gzip bomb", 1 << 30),
    ("a zip in a zip in a zip", 64 << 20),
];

fn greedy(case: &str) -> Vec<u8> {
    let bomb_entry = |block: &[u8]| {
        let data = bomb(block, 512);
        let name = "trace.perfetto-trace".to_owned();
        Entry { name, flags: 0, method: 8, crc: 0, data, size: u32::MAX }
    };
    match case {
        "a length of 4 GiB" => {
            [bundle(0, &[cpu_frequency(1, 0, 1)]), claimed(1, u64::from(u32::MAX), &[0; 100])]
                .concat()
        }
        "a length of 2^63" => {
            [bundle(0, &[cpu_frequency(1, 0, 1)]), claimed(1, 1 << 63, &[0; 100])].concat()
        }
        "lengths of 4 GiB inside" => (1..200)
            .flat_map(|field| {
                let inner = claimed(field, u64::from(u32::MAX), &[1; 20]);
                let event = [number(1, 1), number(2, 1), inner.clone()].concat();
                [packet(&[number(8, 1), inner]), bundle(0, &[event])].concat()
            })
            .collect(),
        "a CPU number of 4 billion" => {
            let mut random = Random(9);
            let mut trace = Vec::new();
            for round in 0..2000 {
                let cpu = if round < 8 { 0xffff_ffff - round } else { random.next() >> 32 };
                trace.extend(bundle(cpu, &[cpu_frequency(round, cpu, 1)]));
                // cpu_idle (field 13): state and CPU; sched_waking (20): thread and target CPU.
                let idle = event(round, 0, 13, &[number(1, 1), number(2, cpu)]);
                let waking = event(round, 0, 20, &[number(2, 5), number(5, cpu)]);
                trace.extend(bundle(0, &[idle, waking]));
            }
            trace
        }
        "a zip bomb" => zip(&[bomb_entry(&vec![0; 16 << 20])]),
        "a zip bomb that claims little" => {
            zip(&[Entry { size: 1000, ..bomb_entry(&vec![0x0a; 16 << 20]) }])
        }
        "a zip bomb of packets" => {
            let packets = bundle(0, &[cpu_frequency(1, 0, 1)]);
            let mut block = packets.repeat((16 << 20) / packets.len());
            block.resize(16 << 20, 0);
            zip(&[bomb_entry(&block)])
        }
        "a gzip bomb" => {
            let body = bomb(&vec![0x0a; 16 << 20], 512);
            [&b"\x1f\x8b\x08\0\0\0\0\0\0\x03"[..], &body, &[0; 8]].concat()
        }
        "a zip in a zip in a zip" => {
            let trace = bundle(0, &[cpu_frequency(1, 0, 1)]);
            let mut archive = zip(&[Entry::stored("trace.perfetto-trace", &trace)]);
            for _ in 0..200 {
                archive = zip(&[Entry::stored("inner.zip", &archive)]);
            }
            archive
        }
        case => panic!("unknown case {case}"),
    }
}

/// Not a test of its own: runs one greedy case for [`memory_is_bounded`].
#[ignore = "runs as a child of memory_is_bounded"]
#[test]
fn child_of_memory_is_bounded() {
    let case = memory::case().expect("the parent names a case");
    let input = greedy(&case);
    let before = memory::peak().unwrap_or(0);
    let result = survive(&case, &input);
    let after = memory::peak().unwrap_or(0);
    let said = match &result {
        Ok(timeline) => notes(timeline).len(),
        Err(_) => 1,
    };
    println!("answer:{} {} {said}", after.saturating_sub(before), input.len());
}

#[test]
fn memory_is_bounded() {
    assert!(memory::peak().is_some(), "the kernel reports no peak of memory");
    for (case, bound) in GREEDY {
        let answer = memory::run("hostile::greed::child_of_memory_is_bounded", case);
        let figures: Vec<u64> = answer.split(' ').map(|figure| figure.parse().unwrap()).collect();
        let [taken, input, said] = figures[..] else { panic!("{answer}") };
        assert!(taken <= bound + input, "{case}: {taken} bytes of memory for {input} of input");
        assert!(said > 0 || *case == "a CPU number of 4 billion", "{case}: nothing was said of it");
    }
}
