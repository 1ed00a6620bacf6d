//! Packets of several machines in one trace.

use wattle_testdata::requires;
use wattle_timeline::Severity;

use super::{artifact, notes, read};
use crate::traces::Trace;

/// A machine's battery, and a switch on its CPU 0.
fn packets(trace: Trace, machine: u64, time: u64) -> Trace {
    let trace = trace.packet(|packet| {
        packet.varint(8, time);
        packet.varint(98, machine);
        packet.message(38, |battery| battery.int(3, time.cast_signed()));
    });
    trace.packet(|packet| {
        packet.varint(98, machine);
        packet.message(1, |bundle| {
            bundle.varint(1, 0);
            bundle.message(2, |event| {
                event.varint(1, time);
                event.varint(2, 0);
                event.message(4, |switch| {
                    switch.varint(2, 0);
                    switch.varint(6, machine + 50);
                });
            });
        });
    })
}

#[test]
fn machines_are_not_mixed() {
    let trace = packets(packets(packets(Trace::default(), 0, 100), 3, 200), 3, 300);
    let timeline = read(packets(packets(trace, 9, 350), 0, 400));
    let currents: Vec<_> =
        timeline.energy.batteries[0].samples.iter().map(|sample| sample.current).collect();
    assert_eq!(currents, [Some(100), Some(400)]);
    let tids: Vec<u32> = timeline.tasks.threads.iter().map(|thread| thread.tid.0).collect();
    assert_eq!(tids, [0, 50]);
    let note = artifact(&timeline).notes.iter().find(|note| note.code == "other-machines").unwrap();
    assert_eq!((note.count, note.severity), (6, Severity::Error));
    assert!(note.text.ends_with("not read: 4 of machine 3, 2 of machine 9"), "{}", note.text);
    assert!(timeline.quality.errors()[1..].is_empty());
}

/// Perfetto's own test of rails of two machines: four packets are of the second.
#[requires(data)]
#[test]
fn machines_of_perfettos_own_test() {
    let path = "perfetto/diff_tests/parser_power-power_rails_multi_device.pftrace";
    let timeline = wattle_ingest::read_bytes(path, &wattle_testdata::bytes(path)).unwrap();
    let count = notes(&timeline).into_iter().find(|(code, _)| *code == "other-machines");
    assert_eq!(count, Some(("other-machines", 4)));
}
