//! Data that services and apps write themselves: rails, track events, network packets, TPUs.

use wattle_timeline::{CounterScope, Direction, SliceScope, SliceTrack};
use wattle_units::Hertz;

use super::build::{bundle, bytes, number, packet, print, varint};
use super::{at, read, slices, text};

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
    let [rail] = &timeline.energy.rails[..] else { panic!("{:?}", timeline.energy.rails) };
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
        SliceScope::Thread(id) => timeline.tasks.threads[id.index()].tid.0 == tid,
        _ => false,
    };
    let [one, two] = [1, 2].map(|tid| slices(&timeline, |track| of_thread(track, tid)));
    assert_eq!(one, [("event1_on_t1", 1000, 0, 0)]);
    assert_eq!(two, [("event1_on_t2", 2000, 0, 0), ("event2_on_t2", 3000, 0, 0)]);
    let of_process = slices(&timeline, |track| match track.scope {
        SliceScope::Process(id) => timeline.tasks.processes[id.index()].pid.0 == 5,
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
    let process = timeline.tasks.processes.iter().find(|process| process.pid.0 == 5).unwrap();
    assert_eq!(timeline.names.get(process.name.unwrap()), "p1");
    let names = [1, 2].map(|tid| {
        let thread = timeline.tasks.threads.iter().find(|thread| thread.tid.0 == tid).unwrap();
        assert_eq!(timeline.tasks.processes[thread.process.unwrap().index()].pid.0, 5);
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
        .hardware
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
    for packet in [timeline.hardware.packets[0], timeline.hardware.packets[4]] {
        assert_eq!(packet.direction, Direction::Egress);
        assert_eq!(timeline.names.get(packet.interface), "wlan");
    }
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
    let [counter] = &timeline.system.counters[..] else { panic!("{:?}", timeline.system.counters) };
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
    let [tpu] = &timeline.hardware.tpus[..] else { panic!("{:?}", timeline.hardware.tpus) };
    assert_eq!(tpu.cluster, 0);
    let khz = |time| at(&tpu.frequency, time).map(Hertz::kilohertz);
    let points = [1_000, 2_999, 3_000, 4_999, 5_000, 8_999, 9_000];
    let expected = [192_000, 192_000, 0, 0, 1_036_000, 1_036_000, 0].map(Some);
    assert_eq!(points.map(khz), expected);
    let requests = |time| at(&tpu.requests, time);
    assert_eq!([1_500, 2_000, 2_500, 5_999, 6_000].map(requests), [1, 2, 1, 1, 0].map(Some));
}
