//! Wakelocks of apps (`AppWakelockBundle`), and residency of a part that nothing names.

use wattle_timeline::{CounterScope, StateKind, Uid};

use super::{notes, read};
use crate::traces::Trace;

#[test]
fn locks_are_held_from_their_own_times_on() {
    let trace = Trace::default().packet(|packet| {
        packet.varint(8, 1_000);
        packet.varint(10, 4);
        packet.varint(13, 1);
        packet.message(12, |interned| {
            interned.message(42, |info| {
                info.varint(1, 1);
                info.string(2, "*job*/work");
                info.varint(5, 1_000);
                info.varint(6, 10_123);
            });
        });
        packet.message(116, |bundle| {
            bundle.packed(1, [1, 1, 9, 1, 1]);
            bundle.packed(2, [5 << 1 | 1, 6 << 1 | 1, 7 << 1, 8 << 1, 9 << 1]);
        });
    });
    let timeline =
        read(trace.at(2_000, 91, |residency| residency.message(2, |of| of.varint(3, 5))));
    let track = &timeline.system.states[0];
    assert_eq!((track.kind, track.scope), (StateKind::Wakelock, CounterScope::Uid(Uid(10_123))));
    assert_eq!(track.tag.map(|tag| timeline.names.get(tag)), Some("*job*/work"));
    let levels: Vec<_> = track.level.iter().map(|(time, level)| (time.value(), level)).collect();
    assert_eq!(levels, [(1_005, 1), (1_009, 0)]);
    assert_eq!(notes(&timeline), [("no-interned-data", 1), ("unknown-entity", 1)]);
}
