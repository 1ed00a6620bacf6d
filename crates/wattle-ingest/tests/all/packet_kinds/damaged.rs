//! One packet of each kind, damaged in every place: never a panic, a hang or a timeline that does not hold together.

use wattle_wire::Writer;

use crate::perfetto_reader;
use crate::traces::Trace;

/// A message of numbers, texts and messages by field, `depth` deep: nearly all fields of any kind of packet.
fn fields(message: &mut Writer, number: u64, depth: u32) {
    for field in 1..=12 {
        message.varint(field, number);
    }
    if depth > 0 {
        for field in 1..=7 {
            message.message(field, |inner| fields(inner, number, depth - 1));
        }
    }
    message.string(3, "name");
}

/// Kinds of packets that this folder tests.
const KINDS: [u32; 13] = [52, 76, 84, 91, 106, 112, 116, 117, 118, 120, 122, 129, 133];

/// A small trace in which most fields have a meaning.
fn small() -> Vec<u8> {
    let trace = Trace::default()
        .at(10, 76, |event| {
            event.message(4, |frame| {
                for (field, value) in [(1, 1), (2, 7), (3, 8), (4, 100), (9, 64)] {
                    frame.varint(field, value);
                }
                frame.string(5, "Layer");
            });
        })
        .at(20, 76, |event| event.message(5, |end| end.varint(1, 1)))
        .at(30, 117, |state| {
            for (field, value) in [(1, 1), (3, 9), (4, 3)] {
                state.varint(field, value);
            }
        })
        .at(40, 117, |state| {
            for (field, value) in [(3, 9), (4, 4)] {
                state.varint(field, value);
            }
        })
        .at(50, 84, |atoms| {
            atoms.message(1, |atom| {
                atom.message(10, |lock| {
                    lock.message(1, |node| node.varint(1, 10_123));
                    lock.string(3, "lock");
                    lock.varint(4, 1);
                });
            });
            atoms.varint(2, 45);
        })
        .at(60, 52, |event| {
            event.message(1, |descriptor| {
                descriptor.message(1, |spec| {
                    spec.varint(1, 3);
                    spec.string(2, "busy");
                    spec.varint(7, 37);
                });
            });
            event.message(2, |counter| {
                counter.varint(1, 3);
                counter.varint(2, 50);
            });
        });
    trace
        .at(70, 122, |tree| {
            tree.message(1, |process| {
                process.varint(1, 5);
                process.string(3, "a b");
            });
            tree.message(2, |thread| {
                for (field, value) in [(1, 9), (2, 5), (4, 1)] {
                    thread.varint(field, value);
                }
            });
        })
        .at(80, 112, |extensions| extensions.message(5, |input| input.message(1, |_| {})))
        .bundle(0, |cpu| {
            cpu.event(90, 9, 327, |event| {
                event.string(1, "cpu_frequency");
                for (name, value) in [("state", 5), ("cpu_id", 0)] {
                    event.message(2, |field| {
                        field.string(1, name);
                        field.varint(5, value);
                    });
                }
            });
        })
        .packet(|packet| packet.bytes(133, b"\x28\xb5\x2f\xfd\x00\x58\x09\x00\x00\x0a"))
        .bytes()
}

#[test]
fn every_byte_changed_and_every_end_cut_off() {
    let trace = small();
    for place in 0..trace.len() {
        perfetto_reader::run(&trace[..place]);
        for byte in [0, 0x7f, 0x80, 0xff, trace[place] ^ 1] {
            let mut damaged = trace.clone();
            damaged[place] = byte;
            perfetto_reader::run(&damaged);
        }
    }
}

#[test]
fn numbers_at_the_ends_of_their_ranges() {
    for number in [0, 1, 1 << 31, u64::from(u32::MAX), i64::MAX as u64, 1 << 63, u64::MAX] {
        for time in [0, 5, i64::MAX as u64, 1 << 63, u64::MAX] {
            let trace = KINDS.iter().fold(Trace::default(), |trace, kind| {
                let flat = trace.at(time, *kind, |message| fields(message, number, 0));
                flat.at(time, *kind, |message| fields(message, number, 2))
            });
            let trace = trace.bundle(number, |cpu| {
                cpu.0.message(11, |descriptor| fields(descriptor, number, 2));
                cpu.event(time, number, 327, |event| fields(event, number, 1));
            });
            perfetto_reader::run(&trace.bytes());
        }
    }
}
