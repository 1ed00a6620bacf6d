//! Results of single events of Windows' kernel, in logs that are written here.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test by a panic")]

/// Fields one after the other, each with its least significant byte first.
macro_rules! fields {
    ($($value:expr),* $(,)?) => { [$($value.to_le_bytes().as_slice()),*].concat() };
}

mod dotnet;
mod writer;

use wattle_ingest::read_bytes;
use wattle_timeline::{FrameAddress, IdleState, InterruptKind, Timeline};
use writer::Log;

const KERNEL: u64 = 0xffff_f800_0000_0000;

fn read(log: &Log) -> Timeline {
    let timeline = read_bytes("written.etl", &log.finish()).unwrap();
    let notes = &timeline.quality.artifacts[0].notes;
    assert!(
        notes.iter().all(|note| note.severity != wattle_timeline::Severity::Error),
        "{notes:?}"
    );
    timeline
}

/// `Image_Load` version 2.
fn image(base: u64, size: u64, pid: u32, file: &str) -> Vec<u8> {
    let mut bytes = fields!(base, size, pid, 0_u32, 0_u32, 0_u32, base, 0_u32, 0_u32, 0_u32, 0_u32);
    bytes.extend(file.encode_utf16().chain([0]).flat_map(u16::to_le_bytes));
    bytes
}

fn switch(next: u32, prev: u32, state: u8) -> Vec<u8> {
    let mut bytes = fields!(next, prev);
    bytes.extend([8, 8, 0, 0, 0, 0, state, 0]);
    bytes.extend(fields!(0_u32, 0_u32));
    bytes
}

#[test]
fn a_header_that_contradicts_the_events_is_doubted() {
    let mut log = Log::default();
    log.kernel((0, 1000), (4, 5, 36), &switch(20, 0, 2)).kernel(
        (0, 1_200_000_000),
        (4, 5, 36),
        &switch(0, 20, 5),
    );
    let bytes = log.finish();
    let frequency = 10_000_000_u64.to_le_bytes();
    let at = bytes.windows(8).position(|it| it == frequency).unwrap();
    let codes = ["beyond-the-end", "clock-implausible"];
    // Start, end and frequency, which stand at 264, 16 and 256 of the header.
    for (times, frequency, expected) in [
        (None, frequency, [0, 0]),
        (Some((1_000_000_000, 1_300_000_000)), frequency, [0, 0]),
        (Some((1_000_000_000, 1_020_000_000)), frequency, [1, 0]),
        (None, 900_u64.to_le_bytes(), [0, 1]),
    ] {
        let mut bytes = bytes.clone();
        if let Some((start, end)) = times {
            bytes[at + 8..at + 16].copy_from_slice(&i64::to_le_bytes(start));
            bytes[at - 240..at - 232].copy_from_slice(&i64::to_le_bytes(end));
        }
        bytes[at..at + 8].copy_from_slice(&frequency);
        let timeline = read_bytes("written.etl", &bytes).unwrap();
        let notes = &timeline.quality.artifacts[0].notes;
        let found = codes.map(|code| notes.iter().filter(|note| note.code == code).count());
        assert_eq!(found, expected, "{times:?}");
    }
}

#[test]
fn switches_of_several_cpus_come_in_order() {
    let mut log = Log::default();
    log.kernel((0, 1000), (4, 5, 36), &switch(20, 0, 2))
        .kernel((1, 1500), (4, 5, 36), &switch(30, 0, 2))
        .kernel((0, 1200), (4, 5, 50), &fields!(30_u32, 0_u32))
        .kernel((0, 2000), (4, 5, 36), &switch(0, 20, 5))
        .kernel((1, 2500), (4, 5, 36), &switch(20, 30, 1));
    let timeline = read(&log);
    let slices: Vec<Vec<_>> = timeline
        .cpus
        .iter()
        .map(|cpu| {
            let known = cpu.sched.iter().filter(|slice| slice.end_state.is_some());
            known
                .map(|it| {
                    let tid = timeline.tasks.threads[it.thread.index()].tid.0;
                    let runnable = it.end_state.unwrap().is_runnable();
                    (it.window.start.value(), it.window.end.value(), tid, runnable)
                })
                .collect()
        })
        .collect();
    assert_eq!(slices, [vec![(100_000, 200_000, 20, false)], vec![(150_000, 250_000, 30, true)]]);
    assert_eq!(timeline.wakeups.time.iter().map(|it| it.value()).collect::<Vec<_>>(), [120_000]);
}

#[test]
fn parts_of_a_stack_are_put_together_whether_told_or_named_by_a_key() {
    for has_keys in [false, true] {
        let mut log = Log::default();
        let stack_of = fields!(2000_u64, 40_u32, 44_u32);
        log.kernel(
            (0, 1000),
            (2, 0x14, 3),
            &image(KERNEL, 0x10_0000, 0, r"\SystemRoot\ntoskrnl.exe"),
        )
        .kernel((0, 1001), (2, 3, 10), &image(0x1000_0000, 0x1000, 40, r"C:\app.exe"))
        .kernel((0, 2000), (4, 5, 36), &switch(44, 0, 2));
        if has_keys {
            log.kernel((0, 2001), (2, 0x18, 37), &[&stack_of[..], &fields!(7_u64)].concat())
                .kernel((1, 2002), (2, 0x18, 38), &[&stack_of[..], &fields!(8_u64)].concat())
                .kernel((1, 3000), (2, 0x18, 35), &fields!(7_u64, KERNEL + 0x500, KERNEL + 0x901))
                .kernel(
                    (0, 3001),
                    (2, 0x18, 36),
                    &fields!(8_u64, 0x1000_0101_u64, 0x1000_0201_u64),
                );
        } else {
            let kernel = fields!(KERNEL + 0x500, KERNEL + 0x901);
            let user = fields!(0x1000_0101_u64, 0x1000_0201_u64);
            log.kernel((0, 2001), (2, 0x18, 32), &[&stack_of[..], &kernel].concat()).kernel(
                (1, 2002),
                (2, 0x18, 32),
                &[&stack_of[..], &user].concat(),
            );
        }
        let timeline = read(&log);
        let samples = &timeline.code.samples;
        let [sample] = samples.samples.as_slice() else { panic!("{has_keys}: one sample") };
        let event = samples.event(sample.event).unwrap();
        assert!(event.is_switch(&timeline.names));
        assert_eq!(timeline.tasks.threads[sample.thread.index()].tid.0, 44);
        let frames: Vec<_> = samples
            .stack(sample.site)
            .map(|frame| {
                let FrameAddress::InElf(offset) = frame.address else { panic!("{frame:?}") };
                (timeline.names.get(frame.mapping.unwrap()), offset)
            })
            .collect();
        // Callers: where the call is, one less than where it returns to.
        let (kernel, app) = (r"\SystemRoot\ntoskrnl.exe", r"C:\app.exe");
        let expected = [(kernel, 0x500), (kernel, 0x900), (app, 0x100), (app, 0x200)];
        // So is the program's innermost one, behind the instruction that went into the kernel.
        assert_eq!(frames, expected, "{has_keys}");
    }
}

#[test]
fn an_image_is_there_from_its_loading_to_its_going() {
    let mut log = Log::default();
    let base = 0x1000_0000_u64;
    let sample = |tid: u32| fields!(base + 0x10, tid, 1_u32);
    log.kernel((0, 1000), (4, 5, 1), &fields!(40_u32, 44_u32))
        .kernel((0, 1500), (2, 15, 46), &sample(44))
        .kernel((0, 2000), (2, 3, 10), &image(base, 0x1000, 40, "one.dll"))
        .kernel((0, 2500), (2, 15, 46), &sample(44))
        .kernel((0, 3000), (2, 0x14, 2), &image(base, 0x1000, 40, "one.dll"))
        .kernel((0, 4000), (2, 3, 10), &image(base, 0x1000, 40, "two.dll"))
        .kernel((0, 4500), (2, 15, 46), &sample(44))
        .kernel((0, 5000), (2, 15, 73), &fields!(0_u32, 1221_u32, 1221_u32));
    let timeline = read(&log);
    let samples = &timeline.code.samples;
    let at = |index: usize| {
        let sample = samples.samples[index];
        // 122.1 µs, though told after the samples.
        assert_eq!(sample.weight, 122_100);
        let frame = samples.stack(sample.site).next().unwrap();
        frame.mapping.map(|it| timeline.names.get(it))
    };
    assert_eq!((at(1), at(2)), (Some("one.dll"), Some("two.dll")));
}

#[test]
fn interrupts_and_idle_states_are_told() {
    let mut log = Log::default();
    log.kernel((0, 1000), (2, 0x14, 3), &image(KERNEL, 0x1000, 0, r"\SystemRoot\ndis.sys"))
        .kernel((0, 1100), (2, 0x12, 0x39), &fields!(2_u32, 0_u32, 0_u64))
        .kernel((0, 1200), (2, 0x12, 0x3a), &fields!(2_u32, 0_u32))
        // The routine that interrupted the deferred call ends before it.
        .kernel((0, 1500), (2, 15, 67), &fields!(1400_u64, KERNEL + 0x20, 1_u32, 0_u32))
        .kernel((0, 1600), (2, 15, 68), &fields!(1300_u64, KERNEL + 0x10));
    let timeline = read(&log);
    let cpu = &timeline.cpus[0];
    let interrupts: Vec<_> = cpu
        .interrupts
        .iter()
        .map(|it| {
            let name = timeline.names.get(it.name);
            (it.window.start.value(), it.window.end.value(), it.kind, name)
        })
        .collect();
    let expected = [
        (130_000, 160_000, InterruptKind::Soft, "DPC ndis.sys+0x10"),
        (140_000, 150_000, InterruptKind::Hard, "ISR ndis.sys+0x20"),
    ];
    assert_eq!(interrupts, expected);
    let idle: Vec<_> = cpu.idle.iter().map(|(time, state)| (time.value(), state)).collect();
    assert_eq!(idle, [(110_000, IdleState(2)), (120_000, IdleState::ACTIVE)]);
}

#[test]
fn a_number_is_another_threads_when_it_begins_anew() {
    let mut log = Log::default();
    log.kernel((0, 1000), (4, 5, 1), &fields!(40_u32, 44_u32))
        .kernel((0, 1100), (4, 5, 36), &switch(44, 0, 2))
        // It ends, and leaves its CPU only then.
        .kernel((0, 1200), (4, 5, 2), &fields!(40_u32, 44_u32))
        .kernel((0, 1300), (4, 5, 36), &switch(0, 44, 4))
        .kernel((0, 1400), (4, 5, 1), &fields!(80_u32, 44_u32))
        .kernel((0, 1500), (4, 5, 36), &switch(44, 0, 2))
        .kernel((0, 1600), (4, 5, 36), &switch(0, 44, 5));
    let timeline = read(&log);
    let of = |slice: wattle_timeline::SchedSlice| {
        let process = timeline.tasks.threads[slice.thread.index()].process;
        process.map(|it| timeline.tasks.processes[it.index()].pid.0)
    };
    let pids: Vec<_> = timeline.cpus[0].sched.iter().map(of).collect();
    assert_eq!(pids[0], Some(40));
    assert_eq!(pids[2], Some(80));
    let lives = timeline.tasks.threads.iter().filter(|thread| thread.tid.0 == 44);
    assert_eq!(lives.count(), 2);
    assert!(
        timeline.tasks.threads.iter().all(|thread| thread.tid.0 != 40),
        "no thread has a process's number"
    );
}
