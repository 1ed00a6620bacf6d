//! Radios, storage, cameras: which call pays, with joules worked out by hand.

use crate::common::{Phone, lines, window};
use wattle_ledger::{ApiSets, AttributionOptions, Prefer};
use wattle_power::Scope;
use wattle_timeline::{CounterScope, CounterTrack, ThreadId, Uid};

/// `get` and `put` move data over Wi-Fi, `save` to flash; `on` and `off` switch the camera.
fn options() -> AttributionOptions {
    let sets = "format = 'wattle-low-level-apis/1'
        [[set]]
        name = 'net'
        kind = 'transfer'
        components = ['wifi']
        calls = ['get', 'put*', 'B1', 'C1']
        [[set]]
        name = 'files'
        kind = 'transfer'
        components = ['storage']
        calls = ['save']
        [[set]]
        name = 'camera'
        kind = 'session'
        components = ['camera']
        start = ['on', 'toggle']
        stop = ['off', 'toggle']";
    let mut options = AttributionOptions::default();
    options.api_sets = ApiSets::parse("test", sets).unwrap();
    options
}

/// An app of two threads (103 and 104 by number) and another app.
fn phone() -> (Phone, [ThreadId; 3]) {
    let mut phone = Phone::new(1, 100);
    let app = phone.thread("app");
    let other = phone.thread("other");
    let worker = phone.thread("worker");
    for (process, uid) in phone.timeline.tasks.processes.iter_mut().zip([10_001, 10_002, 10_001]) {
        process.uid = Some(Uid(uid));
    }
    let of_app = phone.timeline.tasks.threads[app.index()].process;
    phone.timeline.tasks.threads[worker.index()].process = of_app;
    (phone, [app, worker, other])
}

#[test]
fn the_tree_of_the_paper() {
    // Hitani et al., figures 1 and 4: A is 4.5, of which 0.5 itself, B 3 (B1 1, B2 2) and C 1 (C1 1); by CPU, Wi-Fi and
    // flash, A itself 0.5, 0, 0; B1 0.5, 0.5, 0; B2 2, 0, 0; C1 0.9, 0.1, 0.
    let (mut phone, [app, ..]) = phone();
    phone.runs(0, &[(0, 39, app)]);
    phone.calls(
        app,
        &[
            (0, 39, "A", 0),
            (5, 30, "B", 1),
            (5, 10, "B1", 2),
            (10, 30, "B2", 2),
            (30, 39, "C", 1),
            (30, 39, "C1", 2),
        ],
    );
    phone.core(0, &[(39, 0.1)]);
    // Polls of the interface at 0, 10, 30 and 40; of the flash the counter did not rise.
    phone.draws("wifi", Scope::Device, &[(10, 0.05), (30, 0.0), (40, 0.01)]);
    phone.draws("storage", Scope::Device, &[(40, 0.0)]);
    let ledger = phone.check_with(
        &options(),
        &[
            ("app: A", "cpu", "core", 0.5),
            ("app: A > B > B1", "cpu", "core", 0.5),
            ("app: A > B > B1", "wifi", "device", 0.5),
            ("app: A > B > B2", "cpu", "core", 2.0),
            ("app: A > C > C1", "cpu", "core", 0.9),
            ("app: A > C > C1", "wifi", "device", 0.1),
            ("unattributed", "wifi", "device", 0.0),
            ("unattributed", "storage", "device", 0.0),
        ],
    );
    let with_callees = |path: &str| -> f64 {
        let lines = lines(&ledger);
        let inside = lines.iter().filter(|((account, ..), _)| {
            account == path || account.starts_with(&format!("{path} >"))
        });
        inside.map(|(_, joules)| joules).sum()
    };
    for (path, expected) in [
        ("app: A", 4.5),
        ("app: A > B", 3.0),
        ("app: A > B > B1", 1.0),
        ("app: A > B > B2", 2.0),
        ("app: A > C", 1.0),
        ("app: A > C > C1", 1.0),
    ] {
        assert!((with_callees(path) - expected).abs() < 1e-12, "{path}: {}", with_callees(path));
    }
}

#[test]
fn a_transfer_is_paid_by_the_calls_of_its_interval() {
    let (mut phone, [app, worker, other]) = phone();
    phone.calls(app, &[(0, 30, "load", 0), (5, 15, "get", 1), (8, 10, "log", 2)]);
    phone.calls(worker, &[(10, 20, "put all", 0)]);
    phone.calls(other, &[(50, 60, "get", 0)]);
    // Interval 0 to 20: the one 10 (what it calls is part of it), the other 10. From 20 to 40 nobody. From 40 the other app.
    phone.draws("wifi", Scope::Device, &[(20, 2.0), (40, 1.0), (100, 0.5)]);
    // No call moves data to the display.
    phone.draws("display", Scope::Device, &[(100, 1.0)]);
    phone.check_with(
        &options(),
        &[
            ("app: load > get", "wifi", "device", 20.0),
            ("worker: put all", "wifi", "device", 20.0),
            ("unattributed", "wifi", "device", 20.0),
            ("other: get", "wifi", "device", 30.0),
            ("unattributed", "display", "device", 100.0),
        ],
    );
}

#[test]
fn what_an_app_drew_is_shared_among_its_own_calls() {
    let (mut phone, [app, _, other]) = phone();
    phone.calls(app, &[(10, 20, "get", 0)]);
    phone.calls(other, &[(10, 40, "get", 0)]);
    phone.draws("wifi", Scope::App(Uid(10_001)), &[(50, 1.0), (60, 2.0)]);
    phone.draws("wifi", Scope::Tail(Uid(10_001)), &[(5, 1.0), (60, 0.0), (70, 3.0)]);
    phone.check_with(
        &options(),
        &[
            ("app: get", "wifi", "device", 50.0),
            // No call of this app ran then.
            ("uid 10001", "wifi", "device", 20.0),
            // Nothing had ended yet.
            ("uid 10001", "wifi", "tail", 5.0),
            ("app: get", "wifi", "tail", 30.0),
        ],
    );
}

#[test]
fn who_switched_it_on_pays_until_it_is_off() {
    let (mut phone, [app, worker, other]) = phone();
    // Off by another thread of the same process; calls of another process end nothing.
    phone.calls(app, &[(10, 12, "on", 0), (70, 71, "toggle", 0), (80, 81, "toggle", 0)]);
    phone.calls(other, &[(20, 21, "off", 0), (30, 31, "on", 0)]);
    phone.calls(worker, &[(50, 51, "off", 0)]);
    phone.draws("camera", Scope::Device, &[(60, 1.0), (100, 2.0)]);
    let ledger = phone.check_with(
        &options(),
        &[
            // Until 10 nobody had switched it on.
            ("unattributed", "camera", "device", 10.0),
            // Alone for 20, with another for 20; from 70 to 80 with the other again.
            ("app: on", "camera", "device", 20.0 + 10.0),
            ("app: toggle", "camera", "device", 10.0),
            // Never stopped: alone from 50 to 70 and from 80 to the end.
            ("other: on", "camera", "device", 10.0 + 10.0 + 20.0 + 10.0 + 40.0),
        ],
    );
    let notes = &ledger.quality.notes;
    let note = notes.iter().find(|note| note.code == "never-stopped").unwrap();
    assert_eq!(note.count, 1);
}

#[test]
fn parts_of_an_interval_are_shared_like_the_whole() {
    let (mut phone, [app, worker, _]) = phone();
    phone.calls(app, &[(0, 10, "get", 0)]);
    phone.calls(worker, &[(50, 80, "put", 0)]);
    phone.draws("wifi", Scope::Device, &[(100, 1.0)]);
    let mut options = options();
    options.window = Some(window(90, 100));
    // Nobody called in the last ten, but it is those calls' interval.
    phone.check_with(
        &options,
        &[("app: get", "wifi", "device", 2.5), ("worker: put", "wifi", "device", 7.5)],
    );
}

/// The calls of the app moved 100 bytes in 10 µs and 300 in 30.
fn hooked() -> Phone {
    let (mut phone, [app, worker, _]) = phone();
    phone.calls(app, &[(0, 10, "java.net.SocketInputStream.read", 0)]);
    phone.calls(worker, &[(10, 40, "java.net.SocketInputStream.read", 0)]);
    phone.timeline.code.slices.set_bytes(0, 300);
    phone.timeline.code.slices.set_bytes(1, 100);
    phone.draws("wifi", Scope::Device, &[(40, 1.0)]);
    phone
}

#[test]
fn bytes_decide_where_probes_saw_them() {
    let phone = hooked();
    let read = |thread: &str| format!("{thread}: java.net.SocketInputStream.read");
    for (prefer, app, worker) in [(Prefer::Split, 30.0, 10.0), (Prefer::Total, 10.0, 30.0)] {
        let mut options = AttributionOptions::default();
        options.prefer = prefer;
        let (one, other) = (read("app"), read("worker"));
        phone.check_with(
            &options,
            &[(&one, "wifi", "device", app), (&other, "wifi", "device", worker)],
        );
    }
}

#[test]
fn both_errors_of_the_paper_are_told() {
    let mut phone = hooked();
    let name = phone.timeline.names.intern("net.wlan0.rx_bytes");
    phone.timeline.system.counters.push(CounterTrack {
        name,
        scope: CounterScope::Global,
        time: [0, 45, 60, 100].map(crate::common::at).to_vec(),
        value: vec![0.0, 400.0, 500.0, 500.0],
    });
    let ledger = phone.attribute(&AttributionOptions::default());
    let [entry] = ledger.sheets.transfers.as_slice() else {
        panic!("{:?}", ledger.sheets.transfers)
    };
    assert_eq!((entry.device.as_str(), entry.component.name()), ("wlan0", "wifi"));
    // In the second interval, 100 bytes came while nobody called.
    assert_eq!((entry.counted, entry.shared, entry.hooked), (500.0, 400.0, Some(400.0)));
    assert_eq!((entry.shared_error, entry.hooked_error), (Some(0.2), Some(0.2)));
    // By time 100 and 300, truly 300 and 100: differences 200 and -200.
    assert_eq!(entry.allocation_error, Some(40_000.0));
    assert_eq!((entry.calls, entry.intervals, entry.without_call, entry.resets), (2, 3, 1, 0));
}
