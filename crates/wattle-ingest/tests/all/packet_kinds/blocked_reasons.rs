//! Why threads had slept (`sched_blocked_reason`), with functions of the kernel by number.

use super::read;
use crate::traces::Trace;

const SCHED_BLOCKED_REASON: u32 = 18;
const INTERNED_DATA: u32 = 12;
const KERNEL_SYMBOLS: u32 = 26;
const SEQUENCE: u32 = 10;

/// A packet of a writer with an event: (time, thread, number of the function, waited for a disk), after the function's name.
fn blocked(trace: Trace, event: (u64, u64, u64, bool), symbol: Option<(u64, &str)>) -> Trace {
    let (time, tid, caller, is_io) = event;
    trace.packet(|packet| {
        packet.varint(SEQUENCE, 7);
        if let Some((iid, name)) = symbol {
            packet.message(INTERNED_DATA, |data| {
                data.message(KERNEL_SYMBOLS, |symbol| {
                    symbol.varint(1, iid);
                    symbol.string(2, name);
                });
            });
        }
        packet.message(1, |bundle| {
            bundle.varint(1, 0);
            bundle.message(2, |event| {
                event.varint(1, time);
                event.varint(2, 0);
                event.message(SCHED_BLOCKED_REASON, |reason| {
                    reason.varint(1, tid);
                    reason.varint(2, caller);
                    reason.varint(3, u64::from(is_io));
                });
            });
        });
    })
}

#[test]
fn functions_go_by_their_numbers() {
    let trace = blocked(Trace::default(), (1000, 101, 5, true), Some((5, "wait_on_page_bit")));
    let trace = blocked(trace, (2000, 101, 5, false), None);
    let trace = blocked(trace, (3000, 102, 6, false), None);
    // The idle task is nobody who waits.
    let timeline = read(blocked(trace, (4000, 0, 5, false), None));
    let found: Vec<(i64, u32, bool, Option<&str>)> = timeline
        .blocked
        .iter()
        .map(|it| {
            let tid = timeline.tasks.threads[it.thread.index()].tid.0;
            let function = it.function.map(|name| timeline.names.get(name));
            (it.time.value(), tid, it.is_io, function)
        })
        .collect();
    let function = Some("wait_on_page_bit");
    assert_eq!(
        found,
        [(1000, 101, true, function), (2000, 101, false, function), (3000, 102, false, None)]
    );
}
