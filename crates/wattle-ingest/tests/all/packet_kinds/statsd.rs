//! Atoms of Android's `statsd` (`StatsdAtom`).

use wattle_timeline::{CounterScope, StateKind, Timeline, Uid, WakeCause};
use wattle_wire::Writer;

use super::{artifact, moments, notes, read};
use crate::traces::Trace;

/// A packet with one atom, at its own time.
fn atom(trace: Trace, time: u64, number: u32, write: impl FnOnce(&mut Writer)) -> Trace {
    trace.at(1_000_000, 84, |packet| {
        packet.message(1, |atom| atom.message(number, write));
        packet.varint(2, time);
    })
}

/// An atom of something that an app holds: time, number, uid, place of the name, place and value of the state.
fn held(trace: Trace, (time, number, uid): (u64, u32, u64), name: u32, state: (u32, u64)) -> Trace {
    atom(trace, time, number, |atom| {
        atom.message(1, |node| {
            node.varint(1, uid);
            node.string(2, "tag of the chain");
        });
        atom.string(name, "Work");
        atom.varint(state.0, state.1);
    })
}

fn levels(timeline: &Timeline, kind: StateKind, uid: Option<u32>) -> Vec<(i64, u32)> {
    let scope = uid.map_or(CounterScope::Global, |uid| CounterScope::Uid(Uid(uid)));
    let tracks = timeline.system.states.iter();
    let of = tracks.filter(|track| track.kind == kind && track.scope == scope);
    of.flat_map(|track| track.level.iter().map(|(time, level)| (time.value(), level))).collect()
}

#[test]
fn locks_nest_and_jobs_run_once_started() {
    let lock = |trace, time, state| held(trace, (time, 10, 10_123), 3, (4, state));
    // Twice acquired, once by a change of its source; released as often.
    let trace = [(10, 1), (20, 3), (30, 0), (40, 2), (50, 0), (60, 1)]
        .iter()
        .fold(Trace::default(), |trace, (time, state)| lock(trace, *time, *state));
    // Scheduled, started, finished.
    let trace = [(10, 2), (20, 1), (35, 0)]
        .iter()
        .fold(trace, |trace, (time, state)| held(trace, (*time, 8, 10_200), 2, (3, *state)));
    let trace = held(held(trace, (15, 7, 10_200), 2, (3, 1)), (25, 7, 10_200), 2, (3, 0));
    let trace = held(trace, (70, 11, 10_123), 2, (4, 1));
    let timeline = read(trace);
    assert_eq!(levels(&timeline, StateKind::Wakelock, Some(10_123)), [(10, 1), (40, 0), (60, 1)]);
    assert_eq!(levels(&timeline, StateKind::Job, Some(10_200)), [(20, 1), (35, 0)]);
    assert_eq!(levels(&timeline, StateKind::Sync, Some(10_200)), [(15, 1), (25, 0)]);
    assert_eq!(levels(&timeline, StateKind::LongWakelock, Some(10_123)), [(70, 1)]);
    let track = &timeline.system.states[0];
    assert_eq!(track.tag.map(|tag| timeline.names.get(tag)), Some("Work"));
    assert_eq!(artifact(&timeline).unread.get("statsd atom 8 of an unknown state"), Some(&1));
}

#[test]
fn screen_apps_and_services() {
    let one =
        |trace, time, number, value: u64| atom(trace, time, number, |atom| atom.varint(1, value));
    let trace = [(10, 2), (20, 3), (30, 4), (40, 1), (50, 0)]
        .iter()
        .fold(Trace::default(), |trace, (time, state)| one(trace, *time, 29, *state));
    let trace = one(one(one(trace, 5, 9, 120), 6, 22, 2), 7, 32, 4);
    let process = |trace, time, state: u64| {
        atom(trace, time, 27, |atom| {
            atom.varint(1, 10_123);
            atom.varint(2, state);
        })
    };
    // In front, a service in the foreground, cached.
    let trace = process(process(process(trace, 11, 1002), 21, 1003), 31, 1018);
    let service = |trace, time, state: u64| {
        atom(trace, time, 60, |atom| {
            atom.varint(1, 10_123);
            atom.string(2, ".MusicService");
            atom.varint(3, state);
        })
    };
    let trace = service(service(service(trace, 12, 1), 13, 3), 22, 2);
    let trace = atom(trace, 14, 48, |atom| {
        atom.varint(1, 10_123);
        atom.string(2, "com.example.app");
        atom.varint(3, 3);
    });
    let timeline = read(one(one(trace, 60, 10_004, 1), 60, 10_004, 1));
    assert_eq!(levels(&timeline, StateKind::Screen, None), [(10, 1), (20, 2), (30, 3), (40, 0)]);
    assert_eq!(levels(&timeline, StateKind::ScreenBrightness, None), [(5, 120)]);
    assert_eq!(levels(&timeline, StateKind::DeviceIdle, None), [(6, 2)]);
    assert_eq!(levels(&timeline, StateKind::Plugged, None), [(7, 3)]);
    assert_eq!(levels(&timeline, StateKind::TopApp, Some(10_123)), [(11, 1), (21, 0)]);
    assert_eq!(levels(&timeline, StateKind::ForegroundApp, Some(10_123)), [(11, 1), (31, 0)]);
    assert_eq!(levels(&timeline, StateKind::ForegroundService, Some(10_123)), [(12, 1), (22, 0)]);
    assert_eq!(moments(&timeline, "App starts"), [("com.example.app", 14)]);
    let unread = &artifact(&timeline).unread;
    assert_eq!(unread.get("statsd atom 10004"), Some(&2), "{unread:?}");
    assert_eq!(unread.get("statsd atom 29 of an unknown state"), Some(&1));
}

#[test]
fn several_atoms_of_a_packet_and_times_that_cannot_be() {
    let trace = Trace::default().at(1_000_000, 84, |packet| {
        for state in [2, 1, 2] {
            packet.message(1, |atom| atom.message(29, |atom| atom.varint(1, state)));
        }
        // One too few: the last atom has the time of its packet.
        packet.packed(2, [500, 700]);
        packet.message(1, |_| {});
    });
    let timeline = read(atom(trace, 1 << 62, 29, |atom| atom.varint(1, 1)));
    assert_eq!(levels(&timeline, StateKind::Screen, None), [(500, 1), (700, 0), (1_000_000, 1)]);
    assert_eq!(notes(&timeline), [("time-outlier", 1)]);
    assert_eq!(timeline.window.end.value(), 1_000_000);
}

#[test]
fn alarms_that_wake_the_device() {
    let alarm = |trace, time, uid| {
        atom(trace, time, 35, |atom| {
            atom.message(1, |node| node.varint(1, uid));
            atom.string(2, "*walarm*:com.example.Tick");
        })
    };
    let timeline = read(alarm(alarm(Trace::default(), 40, 10_123), 20, 10_200));
    let wakes: Vec<(i64, Option<Uid>, Option<&str>)> = timeline
        .suspend
        .wakes
        .iter()
        .inspect(|wake| assert_eq!(wake.cause, WakeCause::Alarm))
        .map(|it| (it.time.value(), it.uid, it.text.map(|text| timeline.names.get(text))))
        .collect();
    let name = Some("*walarm*:com.example.Tick");
    assert_eq!(wakes, [(20, Some(Uid(10_200)), name), (40, Some(Uid(10_123)), name)]);
}
