//! Energy of frames, app starts, user journeys, foreground and background: worked out by hand, and sums that hold for any recording.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::common::{Phone, at, window};
use proptest::prelude::*;
use wattle_ledger::{
    AttributionOptions, HardwareEvidence, Ledger, SpanEntry, SpanKind, SpanParty, SpanRole,
    SpanSubject,
};
use wattle_power::Scope;
use wattle_timeline::{
    CounterScope, CounterTrack, FrameOwner, JankCauses, ProcessId, ScreenFrame, SliceScope,
    SliceTrack, StateKind, StateTrack, ThreadId, Uid,
};

const IDLE: ThreadId = ThreadId::IDLE;

/// Asynchronous slices of a process: (start, end, name).
fn asynchronous(phone: &mut Phone, scope: SliceScope, slices: &[(i64, i64, &str)]) {
    let calls = &mut phone.timeline.code.slices;
    for (start, end, name) in slices {
        let first = calls.start.len() as u32;
        calls.tracks.push(SliceTrack { scope, name: None, first, count: 1 });
        calls.start.push(at(*start));
        calls.end.push(at(*end));
        calls.name.push(phone.timeline.names.intern(name));
        calls.depth.push(0);
    }
}

fn oom_scores(phone: &mut Phone, process: u32, changes: &[(i64, i32)]) {
    let name = phone.timeline.names.intern("oom_score_adj");
    phone.timeline.system.counters.push(CounterTrack {
        name,
        scope: CounterScope::Process(ProcessId(process)),
        time: changes.iter().map(|(time, _)| at(*time)).collect(),
        value: changes.iter().map(|(_, score)| f64::from(*score)).collect(),
    });
}

fn frame(phone: &mut Phone, process: u32, token: i64, ends: (i64, i64), jank: JankCauses) {
    phone.timeline.code.frames.push(ScreenFrame {
        owner: FrameOwner::App,
        process: Some(ProcessId(process)),
        token,
        display_token: token + 1,
        layer: None,
        expected: None,
        actual: window(ends.0, ends.1),
        jank,
        is_dropped: false,
        by_gpu: false,
    });
}

/// Microjoules of each entry by consumer, as `label: own 1, others 2`.
fn lines(ledger: &Ledger, kind: SpanKind) -> Vec<String> {
    let mut sums: Vec<BTreeMap<SpanParty, f64>> = vec![BTreeMap::new(); ledger.spans.entries.len()];
    for booking in &ledger.spans.bookings {
        *sums[booking.span as usize].entry(booking.party).or_default() +=
            booking.joules.value() * 1e6;
    }
    let entries = ledger.spans.entries.iter().zip(sums);
    let entries = entries.filter(|(entry, _)| entry.subject.kind() == kind);
    entries
        .map(|(entry, sums)| {
            let mut line = label(entry);
            for (party, joules) in sums {
                let joules = (joules * 1e6).round() / 1e6;
                // Writing to a String does not fail.
                let _ = write!(line, " {party:?}={joules}");
            }
            line
        })
        .collect()
}

fn label(entry: &SpanEntry) -> String {
    let app = entry.app.as_deref().unwrap_or("?");
    let time = entry.duration.value() / 1000;
    match (&entry.role, &entry.subject) {
        (SpanRole::Outside, _) => format!("outside {time}:"),
        (SpanRole::Repeated, _) => format!("repeated {time}:"),
        (_, SpanSubject::Frame { token, jank }) => {
            let jank = jank.map_or("?", wattle_ledger::FrameJank::name);
            format!("{app} {token:?} {jank} ×{}:", entry.count)
        }
        (_, SpanSubject::Startup { start }) => format!("{app} {start:?} {time}:"),
        (_, SpanSubject::Journey { measure, name }) => format!("{app} {measure:?} {name} {time}:"),
        (_, SpanSubject::State { state }) => {
            format!("{app} {} {time}:", state.map_or("?", wattle_ledger::AppState::name))
        }
    }
}

/// With the display left unattributed.
#[track_caller]
fn check(phone: &Phone, kind: SpanKind, expected: &[&str]) {
    check_by(phone, HardwareEvidence::Calls, kind, expected);
}

#[track_caller]
fn check_by(phone: &Phone, hardware: HardwareEvidence, kind: SpanKind, expected: &[&str]) {
    let mut options = AttributionOptions::default();
    options.hardware = hardware;
    let ledger = phone.attribute(&options);
    assert_eq!(lines(&ledger, kind), expected);
    closes(&ledger);
}

/// Each kind is the ledger's total, in a file, too.
#[track_caller]
fn closes(ledger: &Ledger) {
    let file = ledger.to_bytes().expect("a file");
    let again = Ledger::from_bytes(&file).expect("a ledger whose kinds sum up to its total");
    assert_eq!(again.spans, ledger.spans);
    let total: f64 = ledger.bookings.iter().map(|booking| booking.joules.value()).sum();
    for kind in SpanKind::ALL {
        let of_kind = |span: u32| ledger.spans.entries[span as usize].subject.kind() == kind;
        if !ledger.spans.entries.iter().any(|entry| entry.subject.kind() == kind) {
            continue;
        }
        let sum: f64 = ledger
            .spans
            .bookings
            .iter()
            .filter(|booking| of_kind(booking.span))
            .map(|booking| match ledger.spans.entries[booking.span as usize].role {
                SpanRole::Repeated => -booking.joules.value(),
                _ => booking.joules.value(),
            })
            .sum();
        assert!((sum - total).abs() <= 1e-9 * total.abs(), "{kind:?}: {sum} J of {total} J");
    }
}

/// An app and the system on one core of 1 W; a display of 2 W.
fn phone() -> (Phone, ThreadId, ThreadId) {
    let mut phone = Phone::new(1, 100);
    let (app, system) = (phone.thread("com.example.app"), phone.thread("system_server"));
    phone.timeline.tasks.processes[0].uid = Some(Uid(10_001));
    phone.timeline.tasks.processes[1].uid = Some(Uid(1000));
    phone.runs(0, &[(0, 40, app), (40, 60, system), (60, 70, IDLE), (70, 100, app)]);
    phone.core(0, &[(100, 1.0)]).draws("display", Scope::Device, &[(100, 2.0)]);
    (phone, app, system)
}

#[test]
fn a_start_has_what_was_drawn_between_its_ends() {
    let (mut phone, app, _) = phone();
    let server = SliceScope::Process(ProcessId(1));
    asynchronous(&mut phone, server, &[(10, 50, "launching: com.example.app")]);
    check(
        &phone,
        SpanKind::Startup,
        &[
            "com.example.app None 40: Own=30 SystemServer=10 NoProcess=80",
            // Idle from 60 on, and the display.
            "outside 100: SystemServer=10 Others=40 NoProcess=130",
        ],
    );
    // Without a stated kind the steps on the main thread say it.
    phone.calls(app, &[(12, 13, "activityStart", 0), (20, 21, "activityResume", 0)]);
    check(
        &phone,
        SpanKind::Startup,
        &[
            "com.example.app Some(Warm) 40: Own=30 SystemServer=10 NoProcess=80",
            "outside 100: SystemServer=10 Others=40 NoProcess=130",
        ],
    );
    // The form of Android 13 and later, whose package follows, instead of the other; what failed has none.
    asynchronous(
        &mut phone,
        server,
        &[(45, 80, "launchingActivity#7"), (20, 20, "launchingActivity#8")],
    );
    phone.calls(app, &[(80, 80, "launchingActivity#7:completed-cold:com.example.app", 0)]);
    check(
        &phone,
        SpanKind::Startup,
        &[
            "com.example.app Some(Cold) 35: Own=10 SystemServer=15 NoProcess=80",
            "outside 100: SystemServer=5 Others=60 NoProcess=130",
        ],
    );
}

#[test]
fn journeys_that_were_cancelled_are_none() {
    let (mut phone, app, _) = phone();
    phone.timeline.window = window(0, 20_000);
    let scope = SliceScope::Process(ProcessId(0));
    asynchronous(
        &mut phone,
        scope,
        &[
            (10, 6000, "J<SHADE_EXPAND>"),
            (20, 30, "J<TOO_SHORT>"),
            (20, 30, "L<TOGGLE>"),
            (7000, 15_000, "J<SHADE_EXPAND>"),
        ],
    );
    phone.calls(app, &[(14_999, 14_999, "J<SHADE_EXPAND>#FT#cancel#0", 0)]);
    check(
        &phone,
        SpanKind::Journey,
        &[
            "com.example.app Some(Jank) SHADE_EXPAND 5990: Own=60 SystemServer=20 NoProcess=190",
            "com.example.app Some(Latency) TOGGLE 10: Own=10 NoProcess=20",
            "repeated 10: Others=10 NoProcess=20",
            "outside 20000: Others=10 NoProcess=20",
        ],
    );
}

#[test]
fn an_app_is_in_one_state_at_a_time() {
    let (mut phone, ..) = phone();
    oom_scores(&mut phone, 0, &[(5, 0), (80, 900)]);
    check(
        &phone,
        SpanKind::State,
        &[
            "com.example.app foreground 75: Own=45",
            "com.example.app cached 20: Own=20",
            "com.example.app unknown 5: Own=5",
            "outside 100: SystemServer=20 NoProcess=210",
        ],
    );
}

#[test]
fn batterystats_tell_which_app_is_in_front() {
    let (mut phone, ..) = phone();
    let tag = Some(phone.timeline.names.intern("com.example.app"));
    phone.timeline.system.states.push(StateTrack {
        kind: StateKind::TopApp,
        scope: CounterScope::Uid(Uid(10_001)),
        tag,
        level: [(at(0), 1), (at(30), 0)].into_iter().collect(),
    });
    check(
        &phone,
        SpanKind::State,
        &[
            "com.example.app foreground 30: Own=30",
            "com.example.app background 70: Own=40",
            "outside 100: SystemServer=20 NoProcess=210",
        ],
    );
    // The display's 2 W are the app's while it is in front: 60 of 200.
    check_by(
        &phone,
        HardwareEvidence::All,
        SpanKind::State,
        &[
            "com.example.app foreground 30: Own=90",
            "com.example.app background 70: Own=40",
            "outside 100: SystemServer=20 NoProcess=150",
        ],
    );
}

#[test]
fn a_frame_has_the_energy_of_the_slices_with_its_number() {
    let (mut phone, app, _) = phone();
    let render = phone.thread("RenderThread");
    let index = render.index();
    phone.timeline.tasks.threads[index].process = Some(ProcessId(0));
    phone.runs(0, &[(100, 130, render)]);
    phone.timeline.window = window(0, 130);
    phone.core(0, &[(130, 1.0)]);
    phone.estimate.tracks.remove(0);
    phone.calls(
        app,
        &[
            (5, 15, "Choreographer#doFrame 42", 0),
            (6, 10, "draw", 1),
            (20, 30, "Choreographer#doFrame 43", 0),
            (22, 26, "Choreographer#doFrame - resynced to 44 in 1ms", 1),
            (80, 84, "Choreographer#doFrame", 0),
            (90, 93, "Choreographer#doFrame", 0),
        ],
    );
    phone.calls(render, &[(102, 110, "DrawFrames 42", 0), (110, 111, "DrawFrames 42", 0)]);
    let late = JankCauses::APP_DEADLINE_MISSED;
    frame(&mut phone, 0, 42, (3, 20), JankCauses::NONE);
    frame(&mut phone, 0, 42, (3, 33), late);
    frame(&mut phone, 0, 77, (40, 50), JankCauses::BUFFER_STUFFING);
    check(
        &phone,
        SpanKind::Frame,
        &[
            "com.example.app Some(42) app ×1: Own=19",
            "com.example.app Some(43) ? ×1: Own=10",
            "com.example.app Some(77) stuffing ×1:",
            "com.example.app None ? ×2: Own=7",
            // 130 µJ of the CPU less 36 of frames and 10 idle; the display's 200.
            "outside 130: Others=84 NoProcess=210",
        ],
    );
    let ledger = phone.attribute(&AttributionOptions::default());
    let without: Vec<bool> =
        ledger.spans.entries.iter().map(|entry| entry.without_slices).collect();
    assert_eq!(without, [false, false, true, false, false]);
}

#[test]
fn nothing_named_is_no_entry() {
    let (phone, ..) = phone();
    let ledger = phone.attribute(&AttributionOptions::default());
    assert_eq!(ledger.spans.entries, []);
}

proptest! {
    /// Whatever is named and however it overlaps, each kind sums up to the ledger's total; states and frames never overlap.
    #[test]
    fn each_kind_is_the_total(
        starts in prop::collection::vec((-20_i64..140, 0_i64..90), 0..6),
        journeys in prop::collection::vec((-20_i64..140, 0_i64..90, any::<bool>()), 0..6),
        scores in prop::collection::vec((0_i64..140, -900_i32..1001, 0_u32..2), 0..12),
        frames in prop::collection::vec((1_i64..12, 0_i64..8, 1_i64..5), 0..10),
        (from, to) in (0_i64..60, 60_i64..120),
    ) {
        let (mut phone, app, _) = phone();
        let server = SliceScope::Process(ProcessId(1));
        for (start, length) in starts {
            asynchronous(&mut phone, server, &[(start, start + length, "launching: com.example.app")]);
        }
        for (start, length, is_jank) in journeys {
            let name = if is_jank { "J<A>" } else { "L<B>" };
            let scope = SliceScope::Process(ProcessId(0));
            asynchronous(&mut phone, scope, &[(start, start + length, name)]);
        }
        for process in 0..2 {
            let mut changes: Vec<_> = scores
                .iter()
                .filter(|(_, _, of)| *of == process)
                .map(|(time, score, _)| (*time, *score))
                .collect();
            changes.sort_unstable();
            oom_scores(&mut phone, process, &changes);
        }
        let mut now = 0;
        let slices: Vec<(i64, i64, String, u16)> = frames
            .iter()
            .map(|(length, gap, token)| {
                let start = now + gap;
                now = start + length;
                (start, now, format!("Choreographer#doFrame {token}"), 0)
            })
            .collect();
        let slices: Vec<_> =
            slices.iter().map(|(start, end, name, depth)| (*start, *end, name.as_str(), *depth)).collect();
        phone.calls(app, &slices);
        let mut options = AttributionOptions::default();
        options.window = Some(window(from, to));
        let ledger = phone.attribute(&options);
        closes(&ledger);
        let apart = [SpanKind::Frame, SpanKind::State];
        let repeats = ledger.spans.entries.iter().any(|entry| {
            entry.role == SpanRole::Repeated && apart.contains(&entry.subject.kind())
        });
        prop_assert!(!repeats);
    }
}
