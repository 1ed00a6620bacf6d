//! Counters of GPUs (`GpuCounterEvent`).

use wattle_wire::Writer;

use super::{artifact, counter, notes, read, values};
use crate::traces::Trace;

const GPU_COUNTER_EVENT: u32 = 52;
const FORWARDS: u64 = 2;

/// A counter: number, name, units, those that they are divided by, direction of its values.
type Spec<'a> = (u64, &'a str, &'a [u64], &'a [u64], u64);

fn spec(descriptor: &mut Writer, (id, name, numerator, denominator, direction): Spec<'_>) {
    descriptor.message(1, |spec| {
        spec.varint(1, id);
        spec.string(2, name);
        for unit in numerator {
            spec.varint(7, *unit);
        }
        spec.packed(8, denominator.iter().copied());
        if direction != 0 {
            spec.varint(11, direction);
        }
    });
}

fn described(trace: Trace, gpu: u64, of: Spec<'_>) -> Trace {
    trace.at(1, GPU_COUNTER_EVENT, |event| {
        event.varint(3, gpu);
        event.message(1, |descriptor| spec(descriptor, of));
    })
}

fn value(trace: Trace, time: u64, id: u64, value: f64) -> Trace {
    trace.at(time, GPU_COUNTER_EVENT, |event| {
        event.message(2, |counter| {
            counter.varint(1, id);
            counter.double(3, value);
        });
    })
}

/// Perfetto's own test (`gpu_counters.py`): units as it writes them, values that hold before their timestamps. It ends each
/// counter with a 0 at its last timestamp, which nothing measured.
#[test]
fn counters_with_units() {
    let trace = described(Trace::default(), 0, (31, "Vertices / Second", &[25], &[22], 0));
    let trace = described(trace, 1, (34, "Triangle Acceleration", &[27], &[21, 21], 0));
    let trace = described(trace, 0, (35, "Bytes Only", &[7], &[0], 0));
    let trace = described(trace, 0, (36, "Frequency", &[13], &[], 0));
    let trace = described(trace, 0, (37, "Busy", &[37], &[], FORWARDS));
    let trace = [(11, 5.0), (21, 10.0), (31, 15.5)]
        .iter()
        .fold(trace, |trace, (time, of)| value(trace, *time, 31, *of));
    let trace = value(value(trace, 14, 34, 0.0), 24, 34, 9.0);
    let trace = value(value(trace, 15, 35, 1024.0), 25, 35, 0.0);
    let trace = value(value(trace, 16, 36, 60.0), 26, 36, 2.0);
    let trace = value(value(trace, 10, 37, 100.0), 20, 37, 0.0);
    let timeline = read(value(trace, 13, 33, 8.0));
    assert_eq!(
        values(&timeline, "gpu_counter.0.Vertices / Second (Vertex/s)"),
        [(11, 10.0), (21, 15.5)]
    );
    assert_eq!(
        values(&timeline, "gpu_counter.1.Triangle Acceleration (Triangle/ms:ms)"),
        [(14, 9.0)]
    );
    assert_eq!(values(&timeline, "gpu_counter.0.Bytes Only (B)"), [(15, 0.0)]);
    assert_eq!(values(&timeline, "gpu_counter.0.Frequency (Hz)"), [(16, 2.0)]);
    assert_eq!(values(&timeline, "gpu_counter.0.Busy (%)"), [(10, 100.0), (20, 0.0)]);
    assert_eq!(notes(&timeline), [("unknown-gpu-counter", 1)]);
    // A counter's name does not make it the clock of the GPU.
    assert!(timeline.hardware.gpus.is_empty());
}

#[test]
fn numbers_of_one_writer_are_its_own() {
    let packet = |trace: Trace, writer: u64, name: &str| {
        trace.packet(|packet| {
            packet.varint(8, 5);
            packet.varint(10, writer);
            packet.varint(13, 1);
            packet.message(12, |interned| {
                interned.message(47, |descriptor| {
                    descriptor.varint(1, 7);
                    descriptor
                        .message(2, |descriptor| spec(descriptor, (1, name, &[37], &[], FORWARDS)));
                    descriptor.varint(3, writer);
                });
            });
            packet.message(GPU_COUNTER_EVENT, |event| {
                event.varint(4, 7);
                for (id, of) in [(1, 40), (2, 50)] {
                    event.message(2, |counter| {
                        counter.varint(1, id);
                        counter.varint(2, of);
                    });
                }
            });
        })
    };
    let timeline = read(packet(packet(Trace::default(), 1, "Shader"), 2, "Tiler"));
    assert_eq!(values(&timeline, "gpu_counter.1.Shader (%)"), [(5, 40.0)]);
    assert_eq!(values(&timeline, "gpu_counter.2.Tiler (%)"), [(5, 40.0)]);
    assert_eq!(notes(&timeline), [("unknown-gpu-counter", 2)]);
}

#[test]
fn values_and_descriptors_that_are_none() {
    let trace = Trace::default().at(1, GPU_COUNTER_EVENT, |event| {
        event.message(1, |descriptor| {
            descriptor.message(1, |spec| spec.string(2, "without a number"));
            for id in 0..5_000 {
                spec(descriptor, (id, &format!("c{id}"), &[u64::MAX, 99], &[], FORWARDS));
            }
        });
    });
    let timeline = read(value(value(trace, 5, 3, f64::NAN), 6, 3, 2.0));
    assert_eq!(values(&timeline, "gpu_counter.0.c3"), [(6, 2.0)]);
    assert!(counter(&timeline, "gpu_counter.0.c4").is_none());
    let unread = &artifact(&timeline).unread;
    for what in [
        "GPU counter without a number or a name",
        "GPU counter without a value",
        "further GPU counters of a descriptor",
    ] {
        assert_eq!(unread.get(what), Some(&1), "{unread:?}");
    }
}
