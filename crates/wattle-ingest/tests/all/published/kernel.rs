//! Kernel events about interrupts, clocks, sleep and CPUs.

use wattle_timeline::{InterruptKind, Timeline};
use wattle_units::{BootNanos, Hertz};

use super::build::{bundle, bytes, cpu_frequency, event, number, packet, print};
use super::{at, changes, read, text};

/// `irq_handler_entry` (36) … `irq_handler_exit` (37), `softirq_entry` (24) … `softirq_exit` (25):
/// diff test `irq_runtime_metric`.
#[test]
fn interrupts() {
    let hard = |time, irq, name| event(time, 10, 36, &[number(1, irq), text(2, name)]);
    let done = |time, irq| event(time, 10, 37, &[number(1, irq), number(2, 1)]);
    let soft = |time, kind, vector| event(time, 40, kind, &[number(1, vector)]);
    let timeline = read(&[bundle(
        1,
        &[
            hard(100_001_000_000, 100, "resource1"),
            done(100_002_000_000, 100),
            hard(200_001_000_000, 200, "resource2"),
            done(200_003_000_000, 200),
            hard(300_001_000_000, 300, "resource3"),
            done(300_004_000_000, 300),
            hard(300_005_000_000, 300, "resource3"),
            done(300_009_000_000, 300),
            soft(400_001_000_000, 24, 4),
            soft(400_001_800_000, 25, 4),
            soft(500_001_000_000, 24, 1),
            soft(500_007_000_000, 25, 1),
        ],
    )]);
    let found: Vec<_> = timeline.cpus[1]
        .interrupts
        .iter()
        .map(|i| {
            let window = (i.window.start.value(), i.window.duration().value());
            (timeline.names.get(i.name), i.kind == InterruptKind::Hard, window)
        })
        .collect();
    assert_eq!(
        found,
        [
            ("IRQ (resource1)", true, (100_001_000_000, 1_000_000)),
            ("IRQ (resource2)", true, (200_001_000_000, 2_000_000)),
            ("IRQ (resource3)", true, (300_001_000_000, 3_000_000)),
            ("IRQ (resource3)", true, (300_005_000_000, 4_000_000)),
            ("BLOCK", false, (400_001_000_000, 800_000)),
            ("TIMER", false, (500_001_000_000, 6_000_000)),
        ]
    );
}

/// `gpu_frequency` (332): diff test `gpu_frequency_metric`.
#[test]
fn gpu_frequency() {
    let gpu = |time, id, state| event(time, 527, 332, &[number(1, id), number(2, state)]);
    let timeline = read(&[bundle(
        0,
        &[
            gpu(200_001_000_000, 0, 585_000),
            gpu(200_002_000_000, 1, 400_000),
            gpu(200_003_000_000, 0, 0),
            gpu(200_004_000_000, 0, 603_000),
            gpu(200_005_000_000, 1, 758_000),
            gpu(200_006_000_000, 0, 603_000),
        ],
    )]);
    let of = |id| {
        let gpu = timeline.hardware.gpus.iter().find(|gpu| gpu.id == id).unwrap();
        changes(&gpu.frequency, Hertz::kilohertz)
    };
    // The last event of GPU 0 repeats its frequency: no change.
    let expected = [(200_001_000_000, 585_000), (200_003_000_000, 0), (200_004_000_000, 603_000)];
    assert_eq!(of(0), expected);
    assert_eq!(of(1), [(200_002_000_000, 400_000), (200_005_000_000, 758_000)]);
    assert_eq!(timeline.window.end.value(), 200_006_000_000, "a repeated value is an event too");
}

fn suspend_resume(time: u64, action: &str, value: u64, start: u64) -> Vec<u8> {
    event(time, 0, 113, &[text(1, action), number(2, value), number(3, start)])
}

/// Stretches in which the device was suspended.
fn suspended(timeline: &Timeline) -> Vec<(i64, i64)> {
    let segments =
        timeline.suspend.suspended.segments(timeline.window).filter(|segment| segment.value);
    segments.map(|s| (s.window.start.value(), s.window.duration().value())).collect()
}

/// `suspend_resume` (113): diff test `suspend_period`. The boot clock leaps inside `syscore_resume` (deep
/// sleep) or `timekeeping_freeze` (suspend to idle), so these two are the stretches asleep.
#[test]
fn suspend_period() {
    let timeline = read(&[
        bundle(
            0,
            &[
                suspend_resume(20_000, "syscore_suspend", 0, 1),
                suspend_resume(29_999, "syscore_suspend", 0, 0),
                suspend_resume(30_000, "syscore_resume", 0, 1),
                suspend_resume(40_000, "syscore_resume", 0, 0),
            ],
        ),
        bundle(4, &[suspend_resume(50_000, "timekeeping_freeze", 4, 1)]),
        bundle(1, &[suspend_resume(60_000, "timekeeping_freeze", 1, 0), print(70_000, 1, "x")]),
    ]);
    assert_eq!(suspended(&timeline), [(30_000, 10_000), (50_000, 10_000)]);
}

/// `suspend_resume`: diff test `suspend_resume`. Going to sleep is not being asleep: of all its steps only
/// `timekeeping_freeze` stops the clock.
#[test]
fn steps_towards_suspend_are_not_suspend() {
    let steps = [
        (10_000, "suspend_enter", 3, 1),
        (12_000, "freeze_processes", 0, 1),
        (12_500, "thaw_processes", 0, 1),
        (12_900, "thaw_processes", 0, 0),
        (13_000, "freeze_processes", 0, 0),
        (15_000, "suspend_enter", 3, 1),
        (20_000, "suspend_enter", 3, 0),
        (30_000, "CPU", 0, 1),
        (40_000, "CPU", 0, 0),
        (50_000, "timekeeping_freeze", 4, 1),
        (60_000, "timekeeping_freeze", 1, 0),
    ];
    let events: Vec<_> =
        steps.map(|(time, action, val, start)| suspend_resume(time, action, val, start)).into();
    assert_eq!(suspended(&read(&[bundle(0, &events)])), [(50_000, 10_000)]);
}

/// `suspend_resume_minimal` (481): diff test `android_suspend_state_multi_machine`, the machine that recorded.
#[test]
fn minimal_suspend_events() {
    let minimal = |time, start| event(time, 1, 481, &[number(1, start)]);
    let timeline = read(&[bundle(
        0,
        &[
            minimal(100_000_000_000, 1),
            minimal(103_000_000_000, 0),
            print(109_000_000_000, 1, "some other event"),
        ],
    )]);
    assert_eq!(suspended(&timeline), [(100_000_000_000, 3_000_000_000)]);
}

/// `gpu_work_period` (488): `gpu_work_period_tracker.cc`. A period that ends before it starts is none.
#[test]
fn gpu_work_periods() {
    let period = |gpu, uid, start, end, active| {
        let fields =
            [number(1, gpu), number(2, uid), number(3, start), number(4, end), number(5, active)];
        event(end.max(start) + 50, 0, 488, &fields)
    };
    let timeline = read(&[bundle(
        0,
        &[
            period(0, 10_001, 1_000, 2_000, 500),
            period(0, 10_002, 2_000, 5_000, 3_000),
            period(0, 10_003, 9_000, 8_000, 10),
        ],
    )]);
    let gpu = timeline.hardware.gpus.iter().find(|gpu| gpu.id == 0).unwrap();
    let found: Vec<_> = gpu
        .work
        .iter()
        .map(|w| (w.uid.0, w.window.start.value(), w.window.end.value(), w.active.value()))
        .collect();
    assert_eq!(found, [(10_001, 1_000, 2_000, 500), (10_002, 2_000, 5_000, 3_000)]);
}

/// `gpu_power_state` (601, PowerVR) and `mali_gpu_power_state` (548): the state that is gone to.
#[test]
fn gpu_power_states() {
    let timeline = read(&[bundle(
        0,
        &[
            event(100, 0, 601, &[number(1, 0), number(2, 2)]),
            event(200, 0, 601, &[number(1, 2), number(2, 1)]),
            event(300, 0, 601, &[number(1, 1), number(2, 0)]),
        ],
    )]);
    assert_eq!(
        changes(&timeline.hardware.gpus[0].power_state, u32::from),
        [(100, 2), (200, 1), (300, 0)]
    );
    let timeline = read(&[bundle(
        0,
        &[
            event(100, 0, 548, &[number(1, 7), number(2, 0), number(3, 2)]),
            event(200, 0, 548, &[number(1, 7), number(2, 2), number(3, 0)]),
        ],
    )]);
    assert_eq!(changes(&timeline.hardware.gpus[0].power_state, u32::from), [(100, 2), (200, 0)]);
}

/// `devfreq_frequency` (541), in kilohertz on the phones whose power curves have a term for it
/// (`wattson/cpu/arm_dsu.sql` compares it with 610000).
#[test]
fn devfreq_frequency() {
    let devfreq = |time, khz| event(time, 0, 541, &[text(1, "dsufreq"), number(2, khz)]);
    let timeline = read(&[bundle(0, &[devfreq(100, 610_000), devfreq(200, 1_548_000)])]);
    let [track] = &timeline.hardware.devfreq[..] else { panic!("{:?}", timeline.hardware.devfreq) };
    assert!(timeline.names.get(track.name).ends_with("dsufreq"));
    assert_eq!(changes(&track.frequency, Hertz::kilohertz), [(100, 610_000), (200, 1_548_000)]);
}

/// `cpuhp_enter` (345): `wattson/cpu/hotplug.sql`. A CPU's own steps run on itself while it is up; while it is
/// down another CPU takes them.
#[test]
fn cpu_hotplug() {
    let step = |time, cpu, index| event(time, 0, 345, &[number(1, cpu), number(3, index)]);
    let done = |time, cpu, index| event(time, 0, 343, &[number(1, cpu), number(2, index)]);
    let ms = 1_000_000;
    let timeline = read(&[
        bundle(3, &[step(ms, 3, 239), done(ms + 10, 3, 239), step(11 * ms, 3, 150)]),
        bundle(
            0,
            &[
                step(2 * ms, 3, 86),
                done(2 * ms + 10, 3, 86),
                step(9 * ms, 3, 50),
                cpu_frequency(20 * ms, 0, 300_000),
            ],
        ),
    ]);
    let online = &timeline.cpus[3].online;
    let ms = ms as i64;
    assert_eq!(at(online, 5 * ms), Some(false));
    assert_eq!(at(online, 10 * ms), Some(false));
    assert_eq!(at(online, 15 * ms), Some(true));
    assert_ne!(at(online, ms + 5), Some(false), "its own step at 1 ms");
    assert!(timeline.cpus[0].online.iter().all(|(_, online)| online), "CPU 0 never went");
}

/// `sys_stats.cpufreq_khz` (7/11): the frequency before the first event of a CPU is the polled one, marked.
#[test]
fn polled_frequencies() {
    let poll = [number(11, 300_000), number(11, 500_000)].concat();
    let timeline = read(&[
        packet(&[number(8, 1_000), bytes(7, &poll)]),
        bundle(0, &[cpu_frequency(5_000, 0, 900_000), print(9_000, 1, "end")]),
    ]);
    let [zero, one] = &timeline.cpus[..] else { panic!("{} CPUs", timeline.cpus.len()) };
    assert_eq!(changes(&zero.frequency, Hertz::kilohertz), [(1_000, 300_000), (5_000, 900_000)]);
    assert_eq!(zero.frequency_is_polled_before, Some(BootNanos::new(5_000)));
    assert_eq!(at(&one.frequency, 8_000), Some(Hertz::from_kilohertz(500_000)));
    assert!(one.frequency_is_polled_before.is_some_and(|until| until >= timeline.window.end));
}

/// `sched_process_free` (240) and a new process with the number of the dead one: two processes, two threads.
#[test]
fn numbers_are_reused() {
    let free = |time, pid| event(time, 1, 240, &[text(1, "old"), number(2, pid)]);
    // task_newtask (235): pid (1), comm (2), clone_flags (3).
    let fork = |time, pid, name| {
        event(time, 1, 235, &[number(1, pid), text(2, name), number(3, 0x120_0000)])
    };
    let timeline = read(&[bundle(
        0,
        &[
            print(100, 50, "B|50|old work"),
            print(200, 50, "E|50"),
            free(300, 50),
            fork(400, 50, "new"),
            print(500, 50, "B|50|new work"),
            print(600, 50, "E|50"),
        ],
    )]);
    let lives: Vec<_> =
        timeline.tasks.processes.iter().filter(|process| process.pid.0 == 50).collect();
    let [old, new] = lives[..] else { panic!("{lives:?}") };
    assert_eq!((old.end, old.start), (Some(BootNanos::new(300)), None));
    assert_eq!((new.end, new.start), (None, Some(BootNanos::new(400))));
    let threads: Vec<_> =
        timeline.tasks.threads.iter().filter(|thread| thread.tid.0 == 50).collect();
    assert_eq!(threads.len(), 2, "{threads:?}");
    let tracks = timeline.code.slices.tracks.iter().filter(|track| track.count > 0);
    let owners: Vec<_> = tracks.map(|track| track.scope).collect();
    assert_eq!(owners.len(), 2, "{owners:?}");
    assert_ne!(owners[0], owners[1]);
}
