//! Numbers, depths and counts past what a reader expects.

use super::build::{bundle, bytes, cpu_frequency, number, packet, print};
use super::survive;

/// Numbers at the ends of their ranges where a reader might take them for an index, a size or a time.
#[test]
fn numbers_at_the_ends_of_their_ranges() {
    let extremes = [0, 1, 1 << 31, (1 << 32) - 1, 1 << 32, i64::MAX as u64, 1 << 63, u64::MAX];
    for big in extremes {
        let context = format!("{big:#x}");
        for time in extremes {
            let trace = [
                bundle(0, &[cpu_frequency(time, big, big)]),
                bundle(0, &[print(time, big, "B|1|x"), print(big, big, "E|1")]),
                bundle(0, &[print(time, 1, "C|1|x|9223372036854775807")]),
                bundle(big, &[cpu_frequency(time, 0, 1)]),
                // Two clock snapshots (field 6) that disagree by more than a clock can say.
                packet(&[bytes(
                    6,
                    &[
                        bytes(1, &[number(1, 6), number(2, big)].concat()),
                        bytes(1, &[number(1, 3), number(2, time)].concat()),
                    ]
                    .concat(),
                )]),
                packet(&[number(8, big), number(58, 3), bytes(5, &number(1, big))]),
                // A power rail (field 40) whose index and energy are extreme.
                packet(&[
                    number(8, time),
                    bytes(
                        40,
                        &bytes(2, &[number(1, big), number(2, big), number(3, big)].concat()),
                    ),
                ]),
            ];
            let _ = survive(&format!("{context} at {time:#x}"), &trace.concat());
        }
    }
}

#[test]
fn deep_nesting() {
    // Groups in groups (wire type 3), never closed.
    let _ = survive("groups", &vec![0x0b; 1 << 20]);
    let _ = survive("groups in a packet", &packet(&[vec![0x0b; 1 << 20]]));
    // Messages in messages: debug annotations (field 4 of track_event, 11 of a packet) whose dictionary (11)
    // holds a dictionary, and so on.
    for field in [11, 12, 9, 1] {
        let mut inner = number(2, 1);
        for _ in 0..20_000 {
            inner = bytes(field, &inner);
        }
        let _ = survive("annotations", &packet(&[number(8, 1), bytes(11, &bytes(4, &inner))]));
        let _ = survive("packets in packets", &inner);
    }
}

/// More sections inside each other than a depth can count, then their ends.
#[test]
fn more_sections_than_a_depth_can_count() {
    let count = 70_000;
    let begin = (0..count).map(|i| print(10 + i, 7, "B|7|deep"));
    let end = (0..count).map(|i| print(10 + count + i, 7, "E|7"));
    let trace = bundle(0, &begin.chain(end).collect::<Vec<_>>());
    let timeline = survive("deep sections", &trace).unwrap();
    let slices = &timeline.code.slices;
    assert_eq!(slices.len(), count as usize);
    assert!((0..slices.len()).all(|i| !slices.get(i).unwrap().is_unfinished()));
}

/// Work that must not grow with the square of the input: many of everything that is looked up.
#[test]
fn many_of_everything() {
    let count = 60_000;
    let mut events: Vec<_> = (0..count).map(|i| print(1 + i, i, &format!("B|{i}|a{i}"))).collect();
    events.extend((0..count).map(|i| print(count + i, 1, &format!("S|1|work|{i}"))));
    events.extend((0..count).map(|i| print(2 * count + i, 1, &format!("C|1|counter{i}|{i}"))));
    let timeline = survive("many", &bundle(0, &events)).unwrap();
    assert_eq!(timeline.code.slices.len(), 2 * count as usize);
    assert_eq!(timeline.system.counters.len(), count as usize);
}
