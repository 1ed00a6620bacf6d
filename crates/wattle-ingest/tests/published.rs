//! Kinds of events that no real trace at hand holds, with the values and the expectations of Perfetto's own
//! tests and sources: each test names where they come from. The bytes are built here, field by field.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test by a panic")]

#[path = "support/build.rs"]
mod build;

use build::{bundle, bytes, cpu_frequency, event, number, packet, print, varint};
use wattle_timeline::{
    CallSlice, CounterScope, Direction, InterruptKind, SliceScope, SliceTrack, Steps, Timeline,
};
use wattle_units::{BootNanos, Hertz};

/// Reads a trace, after reading it with every bit flipped and cut at every byte: no real trace holds these
/// kinds of events, so nothing else shows that their readers stand damage.
#[track_caller]
fn read(packets: &[Vec<u8>]) -> Timeline {
    let mut trace = packets.concat();
    for bit in 0..trace.len() * 8 {
        trace[bit / 8] ^= 1 << (bit % 8);
        drop(wattle_ingest::read_bytes("flipped.perfetto-trace", &trace));
        trace[bit / 8] ^= 1 << (bit % 8);
    }
    for cut in 0..trace.len() {
        drop(wattle_ingest::read_bytes("cut.perfetto-trace", &trace[..cut]));
    }
    wattle_ingest::read_bytes("built.perfetto-trace", &trace).unwrap()
}

fn text(field: u64, text: &str) -> Vec<u8> {
    bytes(field, text.as_bytes())
}

fn changes<T: Copy + PartialEq, N>(steps: &Steps<T>, number: impl Fn(T) -> N) -> Vec<(i64, N)> {
    steps.iter().map(|(time, value)| (time.value(), number(value))).collect()
}

fn at<T: Copy + PartialEq>(steps: &Steps<T>, time: i64) -> Option<T> {
    steps.at(BootNanos::new(time))
}

/// Slices as (name, start, length); -1 for one without an end.
fn slices(timeline: &Timeline, of: impl Fn(&SliceTrack) -> bool) -> Vec<(&str, i64, i64, u16)> {
    let tracks = timeline.slices.tracks.iter().filter(|track| of(track));
    let row = |slice: CallSlice| {
        let length = if slice.is_unfinished() { -1 } else { (slice.end - slice.start).value() };
        (timeline.names.get(slice.name), slice.start.value(), length, slice.depth)
    };
    let mut rows: Vec<_> = tracks.flat_map(|track| timeline.slices.of(track).map(row)).collect();
    rows.sort_by_key(|(_, start, _, depth)| (*start, *depth));
    rows
}

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
        let gpu = timeline.gpus.iter().find(|gpu| gpu.id == id).unwrap();
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
    let segments = timeline.suspended.segments(timeline.window).filter(|segment| segment.value);
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

/// `clock_snapshot` (6) with a custom clock (128): diff test `power_rails_custom_clock`. A sample's own
/// milliseconds are boot time already.
#[test]
fn rails_in_a_clock_of_their_own() {
    let clock = |id, time| bytes(1, &[number(1, id), number(2, time)].concat());
    let energy = |fields: &[Vec<u8>]| bytes(2, &fields.concat());
    let in_clock = |time, energy| packet(&[number(8, time), number(58, 128), bytes(40, energy)]);
    let timeline = read(&[
        packet(&[
            bytes(6, &[clock(6, 101_000_002), clock(128, 2)].concat()),
            number(8, 101_000_002),
        ]),
        packet(&[bytes(
            40,
            &bytes(
                1,
                &[number(1, 4), text(2, "test_rail"), text(3, "test_subsys"), number(4, 1023)]
                    .concat(),
            ),
        )]),
        in_clock(3_000_000, &energy(&[number(1, 4), number(3, 333)])),
        in_clock(5_000_000, &energy(&[number(1, 4), number(3, 666)])),
        packet(&[bytes(
            40,
            &[
                energy(&[number(1, 4), number(2, 106), number(3, 999)]),
                energy(&[number(1, 4), number(2, 109), number(3, 0)]),
            ]
            .concat(),
        )]),
    ]);
    let [rail] = &timeline.rails[..] else { panic!("{:?}", timeline.rails) };
    let samples: Vec<_> = rail.time.iter().map(|t| t.value()).zip(rail.energy.clone()).collect();
    let expected = [(104_000_000, 333), (106_000_000, 666), (106_000_000, 999), (109_000_000, 0)];
    assert_eq!(samples, expected);
    assert_eq!(timeline.names.get(rail.name), "test_rail");
    assert_eq!(
        (timeline.names.get(rail.subsystem.unwrap()), rail.sampling_rate),
        ("test_subsys", 1023)
    );
}

const THREAD: u64 = 4;
const PROCESS: u64 = 3;

/// A packet with a `TrackDescriptor` (60): uuid (1), name (2), parent (5) and what it is of.
fn track(sequence: u64, uuid: u64, parts: &[Vec<u8>]) -> Vec<u8> {
    let descriptor = [number(1, uuid), parts.concat()].concat();
    packet(&[number(10, sequence), number(8, 0), bytes(60, &descriptor)])
}

/// A packet with a `TrackEvent` (11): type (9; 1 begin, 2 end, 3 instant), track (11), name (23).
fn track_event(sequence: u64, time: u64, uuid: u64, kind: u64, name: &str) -> Vec<u8> {
    let fields = [number(9, kind), number(11, uuid), text(23, name)].concat();
    packet(&[number(10, sequence), number(8, time), bytes(11, &fields)])
}

/// `track_event` (11): diff test `track_event_tracks`, the parts that need no Chrome.
#[test]
fn track_events() {
    let thread = |tid, name| bytes(THREAD, &[number(1, 5), number(2, tid), text(5, name)].concat());
    let child = |name| [number(5, 10), text(2, name)].concat();
    let timeline = read(&[
        track(1, 1, &[thread(1, "t1")]),
        track(2, 2, &[thread(2, "t2")]),
        track(1, 10, &[bytes(PROCESS, &[number(1, 5), text(6, "p1")].concat())]),
        track(1, 11, &[child("async")]),
        track(1, 12, &[child("async2")]),
        track(2, 12, &[child("async2")]),
        track_event(1, 1000, 1, 3, "event1_on_t1"),
        track_event(2, 2000, 2, 3, "event1_on_t2"),
        // From a sequence whose own thread is another one.
        track_event(1, 3000, 2, 3, "event2_on_t2"),
        track_event(1, 4000, 10, 3, "event1_on_p1"),
        track_event(1, 5000, 11, 3, "event1_on_async"),
        // Begun by one sequence, ended by another.
        track_event(1, 5100, 12, 1, "event1_on_async2"),
        track_event(2, 5200, 12, 2, "event1_on_async2"),
    ]);
    let of_thread = |track: &SliceTrack, tid| match track.scope {
        SliceScope::Thread(id) => timeline.threads[id.index()].tid.0 == tid,
        _ => false,
    };
    let [one, two] = [1, 2].map(|tid| slices(&timeline, |track| of_thread(track, tid)));
    assert_eq!(one, [("event1_on_t1", 1000, 0, 0)]);
    assert_eq!(two, [("event1_on_t2", 2000, 0, 0), ("event2_on_t2", 3000, 0, 0)]);
    let of_process = slices(&timeline, |track| match track.scope {
        SliceScope::Process(id) => timeline.processes[id.index()].pid.0 == 5,
        _ => false,
    });
    assert_eq!(
        of_process,
        [
            ("event1_on_p1", 4000, 0, 0),
            ("event1_on_async", 5000, 0, 0),
            ("event1_on_async2", 5100, 100, 0),
        ]
    );
    let process = timeline.processes.iter().find(|process| process.pid.0 == 5).unwrap();
    assert_eq!(timeline.names.get(process.name.unwrap()), "p1");
    let names = [1, 2].map(|tid| {
        let thread = timeline.threads.iter().find(|thread| thread.tid.0 == tid).unwrap();
        assert_eq!(timeline.processes[thread.process.unwrap().index()].pid.0, 5);
        timeline.names.get(thread.name.unwrap())
    });
    assert_eq!(names, ["t1", "t2"]);
}

/// Names by number (`interned_data.event_names`, field 12/2) hold for one sequence until its state is cleared
/// (`sequence_flags` 1, field 13); a number that means nothing any more gives no wrong name.
#[test]
fn interned_names_end_with_their_state() {
    let intern = |sequence, name: &str| {
        let entry = [number(1, 7), text(2, name)].concat();
        packet(&[number(10, sequence), number(13, 1), bytes(12, &bytes(2, &entry))])
    };
    let instant = |sequence, time| {
        let fields = [number(9, 3), number(11, 1), number(10, 7)].concat();
        packet(&[number(10, sequence), number(8, time), number(13, 2), bytes(11, &fields)])
    };
    let thread = bytes(THREAD, &[number(1, 5), number(2, 5), text(5, "main")].concat());
    let timeline = read(&[
        track(1, 1, &[thread]),
        intern(1, "before"),
        intern(2, "elsewhere"),
        instant(1, 100),
        instant(2, 200),
        intern(1, "after"),
        instant(1, 300),
        packet(&[number(10, 1), number(13, 1)]),
        instant(1, 400),
    ]);
    let rows = slices(&timeline, |_| true);
    let named: Vec<_> = rows.iter().filter(|(_, time, ..)| *time < 400).map(|row| row.0).collect();
    assert_eq!(named, ["before", "elsewhere", "after"]);
    let stale = rows.iter().find(|(_, time, ..)| *time == 400).map(|row| row.0);
    let known = ["before", "elsewhere", "after"];
    assert!(stale.is_none_or(|name| !known.contains(&name)), "a name that was cleared: {stale:?}");
}

/// `network_packet` (88) and `network_packet_bundle` (92): `network_trace_module_unittest.cc`.
#[test]
fn network_packets() {
    let context = [number(1, 2), text(2, "wlan"), number(4, 1010)].concat();
    let packed = |field, values: &[u64]| {
        bytes(field, &values.iter().flat_map(|value| varint(*value)).collect::<Vec<_>>())
    };
    let whole = [context.clone(), number(3, 72), number(8, 5100), number(9, 443)].concat();
    let each = [bytes(2, &number(4, 456)), packed(3, &[0, 10]), packed(4, &[72, 100])].concat();
    let total = [bytes(2, &number(4, 456)), number(5, 2), number(6, 10), number(7, 172)].concat();
    let interned = bytes(30, &[number(1, 9), bytes(2, &context)].concat());
    let by_number = [number(1, 9), number(5, 3), number(6, 20), number(7, 300)].concat();
    let timeline = read(&[
        packet(&[number(8, 123), bytes(88, &whole)]),
        packet(&[number(8, 1123), bytes(92, &each)]),
        packet(&[number(8, 2123), bytes(92, &total)]),
        packet(&[number(10, 3), number(13, 1), bytes(12, &interned)]),
        packet(&[number(10, 3), number(13, 2), number(8, 3123), bytes(92, &by_number)]),
    ]);
    let found: Vec<_> = timeline
        .packets
        .iter()
        .map(|p| (p.time.value(), p.end.value(), p.bytes, p.packets, p.uid.map(|uid| uid.0)))
        .collect();
    assert_eq!(
        found,
        [
            (123, 123, 72, 1, Some(1010)),
            (1123, 1123, 72, 1, Some(456)),
            (1133, 1133, 100, 1, Some(456)),
            (2123, 2133, 172, 2, Some(456)),
            (3123, 3143, 300, 3, Some(1010)),
        ]
    );
    for packet in [timeline.packets[0], timeline.packets[4]] {
        assert_eq!(packet.direction, Direction::Egress);
        assert_eq!(timeline.names.get(packet.interface), "wlan");
    }
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
    let gpu = timeline.gpus.iter().find(|gpu| gpu.id == 0).unwrap();
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
    assert_eq!(changes(&timeline.gpus[0].power_state, u32::from), [(100, 2), (200, 1), (300, 0)]);
    let timeline = read(&[bundle(
        0,
        &[
            event(100, 0, 548, &[number(1, 7), number(2, 0), number(3, 2)]),
            event(200, 0, 548, &[number(1, 7), number(2, 2), number(3, 0)]),
        ],
    )]);
    assert_eq!(changes(&timeline.gpus[0].power_state, u32::from), [(100, 2), (200, 0)]);
}

/// `devfreq_frequency` (541), in kilohertz on the phones whose power curves have a term for it
/// (`wattson/cpu/arm_dsu.sql` compares it with 610000).
#[test]
fn devfreq_frequency() {
    let devfreq = |time, khz| event(time, 0, 541, &[text(1, "dsufreq"), number(2, khz)]);
    let timeline = read(&[bundle(0, &[devfreq(100, 610_000), devfreq(200, 1_548_000)])]);
    let [track] = &timeline.devfreq[..] else { panic!("{:?}", timeline.devfreq) };
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

/// A bundle in the kernel's `global` clock (`ftrace_clock` 2, field 5) with one instant in both clocks
/// (fields 6 and 7): `ftrace_tokenizer.cc`.
#[test]
fn ftrace_in_another_clock() {
    let clocked = |event: Vec<u8>, ftrace, boot| {
        let fields =
            [number(1, 0), bytes(2, &event), number(5, 2), number(6, ftrace), number(7, boot)];
        packet(&[number(10, 1), bytes(1, &fields.concat())])
    };
    let timeline = read(&[
        clocked(cpu_frequency(1_000, 0, 100), 1_500, 11_500),
        clocked(cpu_frequency(2_000, 0, 200), 2_500, 12_510),
    ]);
    let found = changes(&timeline.cpus[0].frequency, Hertz::kilohertz);
    assert_eq!(found[0], (11_000, 100));
    // Between the two pairs: 12000 by the first pair's offset, as Perfetto has it, 12010 by the second's.
    assert!((12_000..=12_010).contains(&found[1].0), "{found:?}");
}

/// Events before `tracing_started` (service_event, field 69/2) are leftovers of the kernel's ring buffer:
/// `ftrace_parser.cc`, unless the configuration asked to keep them.
#[test]
fn leftovers_of_the_ring_buffer() {
    let started = packet(&[number(8, 1_000), bytes(69, &number(2, 1))]);
    let events = bundle(
        0,
        &[
            print(500, 42, "B|42|leftover"),
            print(600, 42, "E|42"),
            print(1_500, 42, "B|42|kept"),
            print(1_600, 42, "E|42"),
        ],
    );
    let timeline = read(&[started, events]);
    assert_eq!(slices(&timeline, |_| true), [("kept", 1_500, 100, 0)]);
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
    let lives: Vec<_> = timeline.processes.iter().filter(|process| process.pid.0 == 50).collect();
    let [old, new] = lives[..] else { panic!("{lives:?}") };
    assert_eq!((old.end, old.start), (Some(BootNanos::new(300)), None));
    assert_eq!((new.end, new.start), (None, Some(BootNanos::new(400))));
    let threads: Vec<_> = timeline.threads.iter().filter(|thread| thread.tid.0 == 50).collect();
    assert_eq!(threads.len(), 2, "{threads:?}");
    let tracks = timeline.slices.tracks.iter().filter(|track| track.count > 0);
    let owners: Vec<_> = tracks.map(|track| track.scope).collect();
    assert_eq!(owners.len(), 2, "{owners:?}");
    assert_ne!(owners[0], owners[1]);
}

/// What the recorder lost is counted: `lost_events` (3) of a bundle.
#[test]
fn lost_events_are_said() {
    let lossy = packet(&[bytes(
        1,
        &[number(1, 0), number(3, 1), bytes(2, &cpu_frequency(100, 0, 1))].concat(),
    )]);
    let [lost, sound] = [lossy, bundle(0, &[cpu_frequency(100, 0, 1)])].map(|bundle| {
        let timeline = read(&[bundle]);
        let artifact = timeline.quality.artifacts[0].clone();
        artifact.lost_events > 0
            || artifact.notes.iter().any(|note| note.severity > wattle_timeline::Severity::Info)
    });
    assert!(lost, "a bundle with lost events and nothing said");
    assert!(!sound, "a sound bundle and something said");
}

/// Counters of events (`TYPE_COUNTER` 4, `counter_value` 30) on a counter track (descriptor field 8).
#[test]
fn counters_of_track_events() {
    let value = |time, value| {
        let fields = [number(9, 4), number(11, 9), number(30, value)].concat();
        packet(&[number(10, 1), number(8, time), bytes(11, &fields)])
    };
    let timeline =
        read(&[track(1, 9, &[text(2, "queue length"), bytes(8, &[])]), value(10, 3), value(20, 5)]);
    let [counter] = &timeline.counters[..] else { panic!("{:?}", timeline.counters) };
    assert_eq!(timeline.names.get(counter.name), "queue length");
    assert_eq!(counter.scope, CounterScope::Global);
    assert_eq!(counter.value, [3.0, 5.0]);
}

/// A TPU's operating points and requests are slices on tracks `DVFS` and `TPU Requests`:
/// `wattson/tpu/freq_idle.sql`. Between operating points it is off; requests in flight are counted. The number
/// in a name is that of the power curve (`tpu.csv`: 38 … 1286), so megahertz.
#[test]
fn tpu() {
    let named = |uuid, name| track(1, uuid, &[text(2, name)]);
    let slice = |uuid, name, start, end| {
        [track_event(1, start, uuid, 1, name), track_event(1, end, uuid, 2, name)].concat()
    };
    let timeline = read(&[
        named(30, "DVFS"),
        named(31, "TPU Requests"),
        named(32, "TPU Requests"),
        slice(30, "192 Cluster 0", 1_000, 3_000),
        slice(30, "1036 Cluster 0", 5_000, 9_000),
        slice(31, "request", 1_500, 2_500),
        slice(32, "request", 2_000, 6_000),
        bundle(0, &[print(10_000, 1, "the end")]),
    ]);
    let [tpu] = &timeline.tpus[..] else { panic!("{:?}", timeline.tpus) };
    assert_eq!(tpu.cluster, 0);
    let khz = |time| at(&tpu.frequency, time).map(Hertz::kilohertz);
    let points = [1_000, 2_999, 3_000, 4_999, 5_000, 8_999, 9_000];
    let expected = [192_000, 192_000, 0, 0, 1_036_000, 1_036_000, 0].map(Some);
    assert_eq!(points.map(khz), expected);
    let requests = |time| at(&tpu.requests, time);
    assert_eq!([1_500, 2_000, 2_500, 5_999, 6_000].map(requests), [1, 2, 1, 1, 0].map(Some));
}
