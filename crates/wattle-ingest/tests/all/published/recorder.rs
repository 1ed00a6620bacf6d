//! The recorder's reports about its own recording: clocks, leftovers, losses.

use wattle_units::Hertz;

use super::build::{bundle, bytes, cpu_frequency, number, packet, print};
use super::{changes, read, slices};

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
    // Between the two pairs: 12000 by the first pair's offset, as Perfetto has it, 12010 by the second's. It runs evenly: no thread
    // gains the 10 ns at one instant.
    assert_eq!(found[1], (12_005, 200));
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

/// Losses of the recorder are counted: `lost_events` (3) of a bundle.
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
