//! The same recording, told again or in another order.

use wattle_ingest::read_bytes;
use wattle_timeline::{SliceScope, Timeline};

use super::{PIXEL, SMALL, split, survive};
use wattle_testdata::requires;

/// The same bytes give the same timeline, to the last digit of it.
#[requires(data)]
#[test]
fn the_same_every_time() {
    for path in [SMALL, PIXEL] {
        let trace = wattle_testdata::bytes(path);
        let [one, other] = [(); 2].map(|()| format!("{:?}", read_bytes(path, &trace).unwrap()));
        assert!(one == other, "{path} differs from itself");
    }
}

/// The recorder writes each CPU's buffer on its own, so packets come in no order of time. Whatever the order of
/// the CPUs, the timeline is the same.
#[requires(data)]
#[test]
fn the_order_of_cpus_in_the_file_means_nothing() {
    let trace = wattle_testdata::bytes(PIXEL);
    let expected = read_bytes(PIXEL, &trace).unwrap();
    let packets: Vec<_> = split::packets(&trace).into_iter().map(|range| &trace[range]).collect();
    let cpus = 0..8;
    let reorders: [Vec<u64>; 2] = [cpus.clone().collect(), cpus.rev().collect()];
    for order in reorders {
        let first = |packet: &&&[u8]| split::bundle_cpu(packet).is_none();
        let mut reordered: Vec<&[u8]> = packets.iter().filter(first).copied().collect();
        for cpu in &order {
            let of_cpu = packets.iter().filter(|packet| split::bundle_cpu(packet) == Some(*cpu));
            reordered.extend(of_cpu.copied());
        }
        assert_eq!(reordered.len(), packets.len());
        let found = survive(&format!("CPUs in the order {order:?}"), &reordered.concat()).unwrap();
        assert_eq!(found.window, expected.window);
        for (cpu, (found, expected)) in found.cpus.iter().zip(&expected.cpus).enumerate() {
            assert_eq!(found.sched.len(), expected.sched.len(), "CPU {cpu}");
            assert_eq!(found.frequency, expected.frequency, "CPU {cpu}");
            assert_eq!(found.idle, expected.idle, "CPU {cpu}");
        }
        let [found, expected] = [&found, &expected].map(described);
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected, "CPUs in the order {order:?}");
        }
        assert_eq!(found.len(), expected.len());
    }
}

/// Threads and slices in words that do not depend on the order in which they were met.
fn described(timeline: &Timeline) -> Vec<String> {
    let name = |name: Option<wattle_timeline::NameId>| name.map(|name| timeline.names.get(name));
    let pid = |id: Option<wattle_timeline::ProcessId>| {
        id.map(|id| timeline.tasks.processes[id.index()].pid)
    };
    let mut lines: Vec<_> = timeline
        .tasks
        .threads
        .iter()
        .map(|t| format!("{} {:?} {:?} {:?}", t.tid, pid(t.process), name(t.name), t.start))
        .collect();
    for track in &timeline.code.slices.tracks {
        let owner = match track.scope {
            SliceScope::Thread(id) => format!("thread {}", timeline.tasks.threads[id.index()].tid),
            SliceScope::Process(id) => {
                format!("process {}", timeline.tasks.processes[id.index()].pid)
            }
            SliceScope::Cpu(id) => format!("CPU {id}"),
            SliceScope::Global => "global".to_owned(),
        };
        for slice in timeline.code.slices.of(track) {
            let text = timeline.names.get(slice.name);
            let times = (slice.start.value(), slice.end.value());
            lines.push(format!("{owner} {times:?} {text} {}", slice.depth));
        }
    }
    lines.sort_unstable();
    lines
}
