//! Time of probes and of the recorder, which is not the app's: worked out by hand.

use crate::common::Phone;
use wattle_ledger::{Ledger, ProbeOverhead};
use wattle_timeline::{InterruptKind, Pid, ProbeCost, ProcessId, SliceOrigin, ThreadId};
use wattle_units::Nanos;

const IDLE: ThreadId = ThreadId::IDLE;

/// One thread on one core of 1 W all the time, so that a microsecond is a microjoule.
fn phone() -> (Phone, ThreadId) {
    let mut phone = Phone::new(1, 1000);
    let app = phone.thread("app");
    phone.runs(0, &[(0, 1000, app)]);
    phone.core(0, &[(1000, 1.0)]);
    (phone, app)
}

fn probes(ledger: &Ledger) -> &ProbeOverhead {
    ledger.sheets.probes.as_ref().expect("probes")
}

#[track_caller]
fn notes(ledger: &Ledger, expected: &[(&str, u64)]) {
    let found: Vec<_> =
        ledger.quality.notes.iter().map(|note| (note.code.as_str(), note.count)).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_pair_is_taken_from_both_sides_of_both_ends() {
    let (mut phone, app) = phone();
    phone.probed(app, &[(100, 200, "load", 0)]).probes_cost(20, 12);
    let ledger = phone.check(&[
        // 4 before and 4 after the slice
        ("probes app", "cpu", "core", 8.0),
        // 6 after its begin, 6 before its end
        ("probes app: load", "cpu", "core", 12.0),
        ("app: load", "cpu", "core", 88.0),
        ("app", "cpu", "core", 892.0),
    ]);
    let times: Vec<_> = ledger
        .rows
        .paths
        .iter()
        .map(|path| (path.self_cpu.value() / 1000, path.probe_cpu.value() / 1000))
        .collect();
    assert_eq!(times, [(892, 8), (88, 12)]);
    assert_eq!(ledger.rows.threads[0].cpu, Nanos::new(980_000));
    let probes = probes(&ledger);
    assert_eq!((probes.events, probes.unpriced, probes.short_calls), (2, 0, 0));
    assert_eq!(probes.cpu, Nanos::new(20_000));
    assert_eq!(probes.costs[0].pid, None);
    notes(&ledger, &[("probe-cost-spread", 1)]);
}

#[test]
fn probes_are_paid_at_the_power_that_was_drawn_there() {
    let mut phone = Phone::new(1, 300);
    let app = phone.thread("app");
    phone.runs(0, &[(0, 300, app)]);
    // The clock rises inside the method.
    phone.core(0, &[(150, 1.0), (300, 3.0)]).cores(&[0], &[(300, 0.5)]);
    phone.probed(app, &[(100, 200, "load", 0)]).probes_cost(20, 10);
    phone.check(&[
        ("probes app", "cpu", "core", 5.0 + 5.0 * 3.0),
        ("probes app", "cpu", "shared", 10.0 * 0.5),
        ("probes app: load", "cpu", "core", 5.0 + 5.0 * 3.0),
        ("probes app: load", "cpu", "shared", 10.0 * 0.5),
        ("app: load", "cpu", "core", 45.0 + 45.0 * 3.0),
        ("app: load", "cpu", "shared", 90.0 * 0.5),
        ("app", "cpu", "core", 95.0 + 95.0 * 3.0),
        ("app", "cpu", "shared", 190.0 * 0.5),
    ]);
}

#[test]
fn only_time_on_a_cpu_is_taken_whichever_cpu_it_was() {
    let mut phone = Phone::new(2, 400);
    let app = phone.thread("app");
    // Preempted within the entry probe, asleep before the exit, back on another core.
    phone.runs(0, &[(0, 103, app), (103, 400, IDLE)]);
    phone.runs(1, &[(0, 150, IDLE), (150, 180, app), (180, 295, IDLE), (295, 400, app)]);
    phone.interrupt(1, InterruptKind::Hard, 152, 160, "timer");
    phone.core(0, &[(400, 1.0)]).core(1, &[(400, 2.0)]);
    phone.probed(app, &[(100, 300, "load", 0)]).probes_cost(40, 24);
    phone.check(&[
        ("idle floor", "cpu", "core", 297.0 + 2.0 * (150.0 + 115.0)),
        ("interrupts: timer", "cpu", "core", 16.0),
        // 92..100 before, 300..308 after
        ("probes app", "cpu", "core", 8.0 + 16.0),
        // 12 inside at the begin: 100..103, 150..152, 160..167; 12 at the end: 173..180, 295..300
        ("probes app: load", "cpu", "core", 3.0 + 2.0 * (2.0 + 7.0) + 2.0 * 12.0),
        ("app: load", "cpu", "core", 2.0 * 6.0),
        ("app", "cpu", "core", 92.0 + 2.0 * 92.0),
    ]);
}

#[test]
fn callees_probes_come_out_of_their_caller() {
    let (mut phone, app) = phone();
    phone.probed(app, &[(100, 300, "outer", 0), (150, 180, "inner", 1), (200, 240, "inner", 1)]);
    phone.probes_cost(12, 4);
    let ledger = phone.check(&[
        ("probes app", "cpu", "core", 8.0),
        ("probes app: outer", "cpu", "core", 4.0 + 2.0 * 8.0),
        ("probes app: outer > inner", "cpu", "core", 2.0 * 4.0),
        ("app", "cpu", "core", 792.0),
        ("app: outer", "cpu", "core", 130.0 - 20.0),
        ("app: outer > inner", "cpu", "core", 70.0 - 8.0),
    ]);
    assert_eq!(probes(&ledger).events, 6);
}

#[test]
fn no_method_goes_below_zero() {
    let (mut phone, app) = phone();
    // Three calls of 5 in a loop, one behind the other: the caller owes what lies between them.
    phone.probed(
        app,
        &[
            (100, 200, "outer", 0),
            (120, 125, "tiny", 1),
            (125, 130, "tiny", 1),
            (130, 135, "tiny", 1),
        ],
    );
    phone.probes_cost(20, 8);
    let ledger = phone.check(&[
        ("probes app", "cpu", "core", 12.0),
        // 8 of its own, 3 × 12 of what it calls: all of it found, though nothing lies between the calls
        ("probes app: outer", "cpu", "core", 44.0),
        ("probes app: outer > tiny", "cpu", "core", 15.0),
        ("app", "cpu", "core", 888.0),
        ("app: outer", "cpu", "core", 85.0 - 44.0),
    ]);
    assert_eq!(probes(&ledger).short_calls, 3);
    notes(&ledger, &[("calls-shorter-than-probes", 3), ("probe-cost-spread", 1)]);
    let tiny = ledger.rows.paths.iter().find(|path| path.name == "tiny").expect("tiny");
    assert_eq!((tiny.self_cpu, tiny.probe_cpu, tiny.calls), (Nanos::ZERO, Nanos::new(15_000), 3));
}

#[test]
fn a_call_without_an_end_has_no_exit_probe() {
    let (mut phone, app) = phone();
    phone.probed(app, &[(100, i64::MAX, "forever", 0), (900, 950, "inner", 1)]).probes_cost(8, 4);
    let ledger = phone.check(&[
        ("probes app", "cpu", "core", 2.0),
        ("probes app: forever", "cpu", "core", 2.0 + 4.0),
        ("probes app: forever > inner", "cpu", "core", 4.0),
        ("app", "cpu", "core", 98.0),
        ("app: forever", "cpu", "core", 850.0 - 6.0),
        ("app: forever > inner", "cpu", "core", 46.0),
    ]);
    assert_eq!(probes(&ledger).events, 3);
}

#[test]
fn what_the_recorder_does_inside_the_app_is_overhead_as_a_whole() {
    let (mut phone, app) = phone();
    let slices = [(100, 300, "load", 0), (150, 250, "drain", 1), (160, 170, "write", 2)];
    let origins = [SliceOrigin::ProbedMethod, SliceOrigin::Recorder, SliceOrigin::Recorded];
    phone.made_by(app, &slices, &origins).probes_cost(20, 20);
    let ledger = phone.check(&[
        ("probes app: load", "cpu", "core", 20.0),
        ("probes app: load > drain", "cpu", "core", 90.0),
        ("probes app: load > drain > write", "cpu", "core", 10.0),
        ("app", "cpu", "core", 800.0),
        ("app: load", "cpu", "core", 80.0),
    ]);
    assert_eq!(probes(&ledger).events, 2);
    notes(&ledger, &[("probe-cost-spread", 1), ("probe-overhead", 1)]);
}

#[test]
fn slices_of_the_programs_own_cost_nothing() {
    let (mut phone, app) = phone();
    let slices = [(100, 300, "load", 0), (150, 250, "section", 1)];
    phone.made_by(app, &slices, &[SliceOrigin::ProbedMethod, SliceOrigin::Recorded]);
    phone.probes_cost(20, 10);
    phone.check(&[
        ("probes app", "cpu", "core", 10.0),
        ("probes app: load", "cpu", "core", 10.0),
        ("app", "cpu", "core", 790.0),
        ("app: load", "cpu", "core", 90.0),
        ("app: load > section", "cpu", "core", 100.0),
    ]);
}

#[test]
fn each_process_has_its_own_cost_and_none_is_guessed() {
    let mut phone = Phone::new(2, 1000);
    let (one, other) = (phone.thread("one"), phone.thread("other"));
    phone.runs(0, &[(0, 1000, one)]).runs(1, &[(0, 1000, other)]);
    phone.core(0, &[(1000, 1.0)]).core(1, &[(1000, 1.0)]);
    phone.probed(one, &[(100, 200, "load", 0)]).probed(other, &[(100, 200, "load", 0)]);
    let (pair, inside) = (Nanos::new(10_000), Nanos::new(10_000));
    let process = Some(ProcessId(0));
    phone.timeline.code.probe_costs.push(ProbeCost {
        process,
        pair,
        low: pair,
        high: pair,
        inside,
        pairs: 50,
    });
    let ledger = phone.check(&[
        ("probes one: load", "cpu", "core", 10.0),
        ("one", "cpu", "core", 900.0),
        ("one: load", "cpu", "core", 90.0),
        ("other", "cpu", "core", 900.0),
        ("other: load", "cpu", "core", 100.0),
    ]);
    assert_eq!((probes(&ledger).events, probes(&ledger).unpriced), (4, 2));
    assert_eq!(probes(&ledger).costs[0].pid, Some(101));
    notes(&ledger, &[("probe-cost-unknown", 2)]);
}

#[test]
fn a_wake_is_not_the_probes_doing() {
    let mut phone = Phone::new(1, 100);
    let app = phone.thread("app");
    phone.idles(0, &[(0, 1), (40, -1), (80, 1)]);
    phone.runs(0, &[(0, 10, app), (10, 50, IDLE), (50, 80, app), (80, 100, IDLE)]);
    phone.core(0, &[(100, 1.0)]);
    // Blocked inside the call; what runs first after the wake is the exit probe.
    phone.probed(app, &[(5, 52, "wait", 0)]).probes_cost(10, 4);
    phone.check(&[
        ("app: wait", "cpu", "wake-transition", 10.0),
        // 0..10 is idle to the idle state, whatever the scheduler says
        ("probes app: wait", "cpu", "core", 2.0),
        ("probes app", "cpu", "core", 3.0),
        ("app", "cpu", "core", 25.0),
        ("idle floor", "cpu", "core", 40.0 + 20.0),
    ]);
}

#[test]
fn the_recorders_processes_are_named_by_number_with_their_children() {
    let mut phone = Phone::new(1, 100);
    let threads = ["sh", "cat", "sleep", "app"].map(|name| phone.thread(name));
    for (index, thread) in (0..).zip(threads) {
        phone.runs(0, &[(25 * index, 25 * index + 25, thread)]);
    }
    phone.core(0, &[(100, 1.0)]);
    phone.timeline.tasks.recorders.push(Pid(101));
    // A grandchild that stands before its parent.
    phone.timeline.tasks.processes[1].parent = Some(ProcessId(2));
    phone.timeline.tasks.processes[2].parent = Some(ProcessId(0));
    phone.timeline.tasks.processes[3].parent = Some(ProcessId(3));
    phone.check(&[
        ("recorder sh", "cpu", "core", 25.0),
        ("recorder cat", "cpu", "core", 25.0),
        ("recorder sleep", "cpu", "core", 25.0),
        ("app", "cpu", "core", 25.0),
    ]);
}

#[test]
fn the_thread_of_the_probes_is_the_recorders_where_there_are_probes() {
    for has_probes in [true, false] {
        let mut phone = Phone::new(1, 100);
        let (app, drain) = (phone.thread("app"), phone.thread("wattle-probes"));
        phone.timeline.tasks.threads[drain.index()].process = Some(ProcessId(0));
        phone.runs(0, &[(0, 60, app), (60, 100, drain)]);
        phone.core(0, &[(100, 1.0)]);
        if has_probes {
            phone.probed(app, &[(10, 20, "load", 0)]).probes_cost(0, 0);
            let ledger = phone.check(&[
                ("recorder wattle-probes", "cpu", "core", 40.0),
                ("app", "cpu", "core", 50.0),
                ("app: load", "cpu", "core", 10.0),
            ]);
            // 40 of 60
            notes(&ledger, &[("probe-overhead", 1)]);
        } else {
            phone.check(&[("wattle-probes", "cpu", "core", 40.0), ("app", "cpu", "core", 60.0)]);
        }
    }
}

#[test]
fn without_a_scheduler_nothing_is_taken() {
    let mut phone = Phone::new(1, 100);
    let app = phone.thread("app");
    phone.core(0, &[(100, 1.0)]);
    phone.probed(app, &[(10, 20, "load", 0)]).probes_cost(4, 2);
    let ledger = phone.check(&[("unattributed", "cpu", "core", 100.0)]);
    assert_eq!((probes(&ledger).events, probes(&ledger).short_calls), (2, 0));
    assert_eq!(probes(&ledger).cpu, Nanos::ZERO);
}
