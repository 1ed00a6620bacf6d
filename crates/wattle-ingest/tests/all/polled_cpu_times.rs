//! Polled busy times of CPUs (`cpu_stat` of Perfetto's `linux.sys_stats`).

use wattle_ingest::read_bytes;
use wattle_timeline::Timeline;

use crate::traces::Trace;

#[track_caller]
fn read(trace: Trace) -> Timeline {
    let timeline = read_bytes("generated", &trace.bytes()).expect("a trace");
    let notes = &timeline.quality.artifacts[0].notes;
    assert!(notes.is_empty(), "{notes:?}");
    timeline
}

/// `cpu_stat` 3 of `sys_stats`: `cpu_id` 1, then user, nice, system, idle, io_wait, irq, softirq and steal nanoseconds.
#[test]
fn polled_times_of_cpus_are_counters() {
    let poll = |time, cpu: u64, times: [u64; 8]| {
        move |trace: Trace| {
            trace.at(time, 7, |stats| {
                stats.message(3, |cpu_times| {
                    cpu_times.varint(1, cpu);
                    for (number, value) in (2_u32..).zip(times) {
                        cpu_times.varint(number, value * 1_000_000_000);
                    }
                });
            })
        }
    };
    let trace = poll(50, 1, [1, 1, 1, 10, 5, 0, 0, 0])(Trace::default());
    let trace = poll(90, 1, [2, 1, 2, 11, 5, 1, 1, 1])(trace);
    let timeline = read(poll(95, 1 << 40, [1; 8])(trace));
    let of = |name: &str| {
        let track = timeline.system.counters.iter().find(|it| timeline.names.get(it.name) == name);
        track.map(|track| track.value.clone()).unwrap_or_default()
    };
    assert_eq!(of("cpu.1.busy"), [3.0, 8.0]);
    assert_eq!(of("cpu.1.idle"), [15.0, 16.0]);
    assert!(timeline.cpus.is_empty(), "polls of times make no CPU");
}
