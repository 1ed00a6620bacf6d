//! The rules of accounting, one by one, with joules worked out by hand.

use crate::common::{Phone, at, window};
use wattle_ledger::{AttributionOptions, LedgerError, SharedPolicy, attribute};
use wattle_power::{BatterySummary, DrainedBy, Scope};
use wattle_timeline::{InterruptKind, ThreadId};
use wattle_units::{Estimate, Interval, Joules, Nanos, Provenance, Watts};

const IDLE: ThreadId = ThreadId::IDLE;

fn policy(shared: SharedPolicy) -> AttributionOptions {
    let mut options = AttributionOptions::default();
    options.shared = shared;
    options
}

#[test]
fn core_power_goes_to_the_innermost_call_of_the_running_thread() {
    let mut phone = Phone::new(1, 100);
    let app = phone.thread("app");
    phone.runs(0, &[(0, 10, IDLE), (10, 60, app), (60, 80, IDLE), (80, 100, app)]);
    // Open from before it runs until after: only what it runs counts, 10..60 and 80..90.
    phone.calls(app, &[(5, 90, "frame", 0), (20, 30, "draw", 1), (50, 85, "draw", 1)]);
    phone.core(0, &[(40, 1.0), (100, 3.0)]);
    let ledger = phone.check(&[
        ("idle floor", "cpu", "core", 10.0 + 20.0 * 3.0),
        // 90..100, after the call
        ("app", "cpu", "core", 10.0 * 3.0),
        // 10..20, 30..40 at 1 W; 40..50 and 85..90 at 3 W
        ("app: frame", "cpu", "core", 10.0 + 10.0 + 10.0 * 3.0 + 5.0 * 3.0),
        // 20..30 at 1 W; 50..60 and 80..85 at 3 W
        ("app: frame > draw", "cpu", "core", 10.0 + 10.0 * 3.0 + 5.0 * 3.0),
    ]);
    let rows: Vec<_> = ledger
        .rows
        .paths
        .iter()
        .map(|p| (p.name.as_str(), p.calls, p.self_cpu.value() / 1000, p.wall.value() / 1000))
        .collect();
    assert_eq!(rows, [("", 0, 10, 0), ("frame", 1, 35, 85), ("draw", 2, 25, 45)]);
    assert_eq!(ledger.rows.threads[0].cpu, Nanos::new(70_000));
    assert_eq!(ledger.rows.cpus[0].busy, Some(Nanos::new(70_000)));
    // The number of the model for what idles, and one for each piece of code.
    let by_source: Vec<f64> = ledger.rows.cpus[0]
        .joules_by_source
        .iter()
        .map(|(_, joules)| (joules.value() * 1e9).round() / 1e3)
        .collect();
    assert_eq!(by_source, [70.0, 65.0, 55.0, 30.0]);
    assert_eq!(by_source.iter().sum::<f64>(), 220.0);
}

#[test]
fn hard_interrupts_come_out_of_soft_ones_and_both_out_of_the_thread() {
    let mut phone = Phone::new(1, 100);
    let app = phone.thread("app");
    phone.runs(0, &[(0, 100, app)]);
    phone.interrupt(0, InterruptKind::Soft, 10, 50, "NET_RX");
    phone.interrupt(0, InterruptKind::Hard, 20, 40, "wlan0");
    phone.interrupt(0, InterruptKind::Hard, 25, 30, "timer");
    phone.interrupt(0, InterruptKind::Hard, 60, 70, "timer");
    phone.core(0, &[(100, 2.0)]);
    let ledger = phone.check(&[
        ("app", "cpu", "core", 100.0),               // 0..10, 50..60, 70..100
        ("interrupts: NET_RX", "cpu", "core", 40.0), // 10..20, 40..50
        ("interrupts: wlan0", "cpu", "core", 30.0),  // 20..25, 30..40
        ("interrupts: timer", "cpu", "core", 30.0),  // 25..30, 60..70
    ]);
    assert_eq!(ledger.rows.threads[0].cpu, Nanos::new(50_000));
}

#[test]
fn a_wake_is_paid_by_the_first_task() {
    let mut phone = Phone::new(1, 100);
    let (app, other) = (phone.thread("app"), phone.thread("other"));
    phone.idles(0, &[(0, 1), (20, -1), (70, 0), (90, -1)]);
    phone.runs(0, &[(0, 40, IDLE), (40, 50, app), (50, 60, other), (60, 100, IDLE)]);
    phone.calls(app, &[(10, 80, "poll", 0)]);
    phone.interrupt(0, InterruptKind::Hard, 25, 30, "timer");
    phone.core(0, &[(100, 1.0)]);
    phone.check(&[
        // 20..25 and 30..40: the wake, less the interrupt in it
        ("app: poll", "cpu", "wake-transition", 15.0),
        ("app: poll", "cpu", "core", 10.0),
        ("other", "cpu", "core", 10.0),
        ("interrupts: timer", "cpu", "core", 5.0),
        // 0..20 idle, 60..70 on the way back to idle, 70..90 idle
        ("idle floor", "cpu", "core", 20.0 + 10.0 + 20.0),
        // 90..100: a wake that the recording does not see the end of
        ("unattributed", "cpu", "core", 10.0),
    ]);
}

#[test]
fn a_wake_without_a_task_is_paid_by_the_handler() {
    let mut phone = Phone::new(1, 100);
    phone.idles(0, &[(0, 1), (20, -1), (40, 1), (60, -1), (70, 0)]);
    phone.runs(0, &[(0, 100, IDLE)]);
    phone.interrupt(0, InterruptKind::Hard, 25, 30, "timer");
    phone.core(0, &[(100, 1.0)]);
    phone.check(&[
        ("interrupts: timer", "cpu", "core", 5.0),
        ("interrupts: timer", "cpu", "wake-transition", 15.0),
        ("interrupts: wake without a task", "cpu", "wake-transition", 10.0),
        ("idle floor", "cpu", "core", 20.0 + 20.0 + 30.0),
    ]);
}

#[test]
fn without_idle_events_the_idle_task_is_the_idle_floor() {
    let mut phone = Phone::new(1, 30);
    let app = phone.thread("app");
    phone.runs(0, &[(0, 10, IDLE), (10, 20, app), (20, 30, IDLE)]);
    phone.core(0, &[(30, 1.0)]);
    phone.check(&[("idle floor", "cpu", "core", 20.0), ("app", "cpu", "core", 10.0)]);
}

#[test]
fn where_the_scheduler_is_silent_nobody_is_known() {
    let mut phone = Phone::new(2, 40);
    let app = phone.thread("app");
    phone.runs(0, &[(10, 20, app), (30, 40, app)]);
    phone.core(0, &[(40, 1.0)]).core(1, &[(40, 2.0)]).core(7, &[(40, 1.0)]);
    let ledger = phone.check(&[
        ("app", "cpu", "core", 20.0),
        ("unattributed", "cpu", "core", 20.0 + 80.0 + 40.0),
    ]);
    assert_eq!(ledger.rows.cpus.len(), 3);
    assert_eq!(ledger.rows.cpus[1].busy, None);
    assert!(ledger.quality.notes.iter().any(|note| note.code == "scheduler-gaps"));
}

#[test]
fn a_gap_inside_a_wake_leaves_its_cause_unknown() {
    let mut phone = Phone::new(1, 40);
    let app = phone.thread("app");
    phone.idles(0, &[(0, 1), (10, -1)]);
    phone.runs(0, &[(0, 20, IDLE), (30, 40, app)]);
    phone.core(0, &[(40, 1.0)]);
    phone.check(&[
        ("idle floor", "cpu", "core", 10.0),
        ("unattributed", "cpu", "core", 20.0),
        ("app", "cpu", "core", 10.0),
    ]);
}

/// Two cores: `a` runs 10..30 on the first, `b` 20..50 on the second; an interrupt 60..70 on the first.
fn two_cores() -> Phone {
    let mut phone = Phone::new(2, 100);
    let (a, b) = (phone.thread("a"), phone.thread("b"));
    phone.runs(0, &[(0, 10, IDLE), (10, 30, a), (30, 100, IDLE)]);
    phone.runs(1, &[(0, 20, IDLE), (20, 50, b), (50, 100, IDLE)]);
    phone.interrupt(0, InterruptKind::Hard, 60, 70, "timer");
    phone.calls(b, &[(0, 40, "load", 0)]);
    phone.cores(&[0, 1], &[(25, 2.0), (100, 4.0)]);
    phone
}

#[test]
fn shared_power_is_divided_among_busy_cores() {
    two_cores().check(&[
        // 10..20 alone at 2 W; 20..25 half of 2 W, 25..30 half of 4 W
        ("a", "cpu", "shared", 20.0 + 5.0 + 10.0),
        // 20..30 the other halves, 30..40 alone at 4 W
        ("b: load", "cpu", "shared", 5.0 + 10.0 + 40.0),
        ("b", "cpu", "shared", 40.0),
        ("interrupts: timer", "cpu", "shared", 40.0),
        // 0..10 at 2 W, 50..60 and 70..100 at 4 W
        ("idle floor", "cpu", "shared", 20.0 + 40.0 + 120.0),
    ]);
}

#[test]
fn shared_power_of_the_first_waker() {
    two_cores().check_with(
        &policy(SharedPolicy::FirstWaker),
        &[
            // busy first, until it is idle at 30: 10..25 at 2 W, 25..30 at 4 W
            ("a", "cpu", "shared", 30.0 + 20.0),
            // then the one that is left
            ("b: load", "cpu", "shared", 40.0),
            ("b", "cpu", "shared", 40.0),
            ("interrupts: timer", "cpu", "shared", 40.0),
            ("idle floor", "cpu", "shared", 180.0),
        ],
    );
}

#[test]
fn shared_power_of_nobody() {
    two_cores().check_with(
        &policy(SharedPolicy::None),
        &[
            ("unattributed", "cpu", "shared", 35.0 + 55.0 + 40.0 + 40.0),
            ("idle floor", "cpu", "shared", 180.0),
        ],
    );
}

#[test]
fn shared_power_with_a_core_of_which_nothing_is_known() {
    let mut phone = Phone::new(2, 30);
    let app = phone.thread("app");
    phone.runs(0, &[(0, 10, IDLE), (10, 20, app), (20, 30, IDLE)]);
    phone.runs(1, &[(0, 5, IDLE), (25, 30, IDLE)]);
    phone.cores(&[0, 1, 9], &[(30, 1.0)]);
    // Core 9 does not exist in the recording: nothing is known of it at any time.
    phone.check(&[("app", "cpu", "shared", 10.0), ("unattributed", "cpu", "shared", 20.0)]);
    let mut phone_of_two = Phone::new(2, 30);
    phone_of_two.timeline = phone.timeline.clone();
    phone_of_two.cores(&[0, 1], &[(30, 1.0)]);
    phone_of_two.check(&[
        ("app", "cpu", "shared", 10.0),
        ("unattributed", "cpu", "shared", 10.0), // 5..10 and 20..25
        ("idle floor", "cpu", "shared", 10.0),
    ]);
}

#[test]
fn a_wake_does_not_count_as_busy() {
    let mut phone = Phone::new(1, 30);
    let app = phone.thread("app");
    phone.idles(0, &[(0, 1), (10, -1)]);
    phone.runs(0, &[(0, 20, IDLE), (20, 30, app)]);
    phone.cores(&[0], &[(30, 1.0)]);
    phone.check(&[("idle floor", "cpu", "shared", 20.0), ("app", "cpu", "shared", 10.0)]);
}

#[test]
fn in_suspend_no_thread_pays() {
    let mut phone = Phone::new(1, 60);
    let app = phone.thread("app");
    phone.runs(0, &[(0, 60, app)]);
    phone.timeline.suspend.suspended.push(at(20), true);
    phone.timeline.suspend.suspended.push(at(50), false);
    phone.core(0, &[(60, 1.0)]).cores(&[0], &[(60, 2.0)]);
    phone.draws("memory", Scope::Suspended, &[(60, 3.0)]);
    let ledger = phone.check(&[
        ("app", "cpu", "core", 30.0),
        ("app", "cpu", "shared", 60.0),
        ("idle floor", "cpu", "core", 30.0),
        ("idle floor", "cpu", "shared", 60.0),
        ("idle floor", "memory", "device", 180.0),
    ]);
    assert_eq!(ledger.rows.threads[0].cpu, Nanos::new(30_000));
}

#[test]
fn an_offline_core_is_not_unknown() {
    let mut phone = Phone::new(1, 30);
    let app = phone.thread("app");
    phone.runs(0, &[(0, 10, app)]);
    phone.timeline.cpus[0].online.push(at(10), false);
    phone.timeline.cpus[0].online.push(at(20), true);
    phone.core(0, &[(10, 1.0), (20, 0.0), (30, 1.0)]).cores(&[0], &[(30, 1.0)]);
    phone.check(&[
        ("app", "cpu", "core", 10.0),
        ("app", "cpu", "shared", 10.0),
        ("idle floor", "cpu", "core", 0.0),
        ("idle floor", "cpu", "shared", 10.0),
        ("unattributed", "cpu", "core", 10.0),
        ("unattributed", "cpu", "shared", 10.0),
    ]);
}

#[test]
fn apps_with_work_share_the_gpu() {
    let mut phone = Phone::new(0, 100);
    // Two periods of one app at once count once.
    phone.gpu_work(0, &[(10, 40, 10001), (20, 30, 10001), (30, 60, 10002), (60, 60, 10003)]);
    phone.draws("gpu", Scope::Gpu(0), &[(100, 2.0)]);
    phone.draws("gpu", Scope::Gpu(1), &[(100, 1.0)]);
    phone.check(&[
        ("uid 10001", "gpu", "device", 40.0 + 10.0),
        ("uid 10002", "gpu", "device", 10.0 + 40.0),
        ("unattributed", "gpu", "device", 20.0 + 80.0 + 100.0),
    ]);
}

#[test]
fn power_without_a_cause_is_unattributed() {
    let mut phone = Phone::new(0, 100);
    phone.draws("display", Scope::Device, &[(100, 2.0)]);
    phone.draws("wifi", Scope::Unexplained, &[(50, 1.0)]);
    phone.check(&[
        ("unattributed", "display", "device", 200.0),
        ("unattributed", "wifi", "device", 50.0),
    ]);
}

#[test]
fn the_tool_pays_for_itself() {
    let mut phone = Phone::new(1, 60);
    let (app, probes) = (phone.thread("app"), phone.thread("/system/bin/traced_probes"));
    phone.idles(0, &[(0, 1), (10, -1), (40, 1)]);
    phone.runs(0, &[(0, 20, IDLE), (20, 30, probes), (30, 40, app), (40, 60, IDLE)]);
    phone.core(0, &[(60, 1.0)]).cores(&[0], &[(60, 1.0)]);
    let ledger = phone.check(&[
        ("recorder /system/bin/traced_probes", "cpu", "core", 10.0),
        ("recorder /system/bin/traced_probes", "cpu", "shared", 10.0),
        ("recorder /system/bin/traced_probes", "cpu", "wake-transition", 10.0),
        ("app", "cpu", "core", 10.0),
        ("app", "cpu", "shared", 10.0),
        ("idle floor", "cpu", "core", 30.0),
        ("idle floor", "cpu", "shared", 40.0),
    ]);
    let overhead = |b: &wattle_ledger::Booking| {
        ledger.rows.accounts[b.account.0 as usize].class() == "profiling overhead"
    };
    let overhead = ledger.estimate_where(overhead).expect("overhead");
    assert!((overhead.joules.value() - 30e-6).abs() < 1e-15);
    // Its CPU time stays in sight.
    assert_eq!(ledger.rows.threads[1].cpu, Nanos::new(10_000));
    let mut options = AttributionOptions::default();
    options.recorders = vec!["app".to_owned()];
    let ledger = phone.attribute(&options);
    assert!(crate::common::lines(&ledger).keys().any(|line| line.0 == "/system/bin/traced_probes"));
    assert!(!crate::common::lines(&ledger).keys().any(|line| line.0 == "app"));
}

#[test]
fn without_a_model_cpu_time_is_still_told() {
    let mut phone = Phone::new(1, 60);
    let app = phone.thread("app");
    phone.runs(0, &[(0, 20, app), (20, 60, IDLE)]);
    phone.calls(app, &[(5, 10, "work", 0)]);
    let ledger = phone.check(&[]);
    assert_eq!(ledger.total(), None);
    assert_eq!(ledger.rows.threads[0].cpu, Nanos::new(20_000));
    assert_eq!(
        ledger.rows.paths.iter().map(|p| p.self_cpu.value()).collect::<Vec<_>>(),
        [15_000, 5_000]
    );
    assert!(ledger.recording.has_scheduler && ledger.rows.components.is_empty());
}

#[test]
fn only_the_window_counts() {
    let mut phone = Phone::new(1, 100);
    let app = phone.thread("app");
    phone.idles(0, &[(0, 1), (40, -1)]);
    phone.runs(0, &[(0, 60, IDLE), (60, 100, app)]);
    phone.calls(app, &[(20, 30, "before", 0), (70, 90, "inside", 0)]);
    phone.core(0, &[(100, 1.0)]);
    let mut options = AttributionOptions::default();
    options.window = Some(window(30, 50));
    // The task that the wake is for begins after the window.
    phone.check_with(
        &options,
        &[("idle floor", "cpu", "core", 10.0), ("app", "cpu", "wake-transition", 10.0)],
    );
    options.window = Some(window(80, 120));
    let ledger = phone.check_with(
        &options,
        &[("app: inside", "cpu", "core", 10.0), ("app", "cpu", "core", 10.0)],
    );
    let rows: Vec<_> = ledger.rows.paths.iter().map(|p| (p.calls, p.wall.value() / 1000)).collect();
    assert_eq!(rows, [(0, 0), (0, 10)]);
}

fn battery(drained: f64, accounted: f64) -> BatterySummary {
    let joules = Joules::new(drained * 1e-6);
    BatterySummary {
        by: DrainedBy::Battery,
        drained: Estimate {
            joules,
            interval: Interval { low: joules * 0.9, high: joules * 1.1 },
            provenance: Provenance::Measured,
        },
        accounted: Estimate {
            joules: Joules::new(accounted * 1e-6),
            interval: Interval::exact(Joules::new(accounted * 1e-6)),
            provenance: Provenance::Modelled,
        },
        discharging: Nanos::new(100_000),
        covered: Nanos::new(100_000),
        reading: String::new(),
    }
}

#[test]
fn what_only_the_battery_saw_is_unmetered() {
    let mut phone = Phone::new(0, 100);
    phone.draws("display", Scope::Device, &[(100, 2.0)]);
    phone.estimate.battery = Some(battery(500.0, 200.0));
    let ledger = phone.check(&[
        ("unattributed", "display", "device", 200.0),
        ("unmetered", "battery", "device", 300.0),
    ]);
    let unmetered = ledger.estimate_where(|b| b.component.0 == 1).expect("unmetered");
    assert_eq!(unmetered.provenance, Provenance::Measured);
    // 10 % of 500 µJ are a sixth of 300 µJ: the interval is log-normal with that width.
    let factor = (unmetered.interval.high / unmetered.joules).ln();
    assert!((factor - 1.0 / 6.0).abs() < 1e-9, "{factor}");

    phone.estimate.battery = Some(battery(150.0, 200.0));
    let ledger = phone.check(&[("unattributed", "display", "device", 200.0)]);
    assert!(ledger.quality.notes.iter().any(|note| note.code == "battery-disagrees"));

    // A power meter in its place is treated alike, and named.
    let by_meter = |drained, accounted| {
        Some(BatterySummary { by: DrainedBy::Meter, ..battery(drained, accounted) })
    };
    phone.estimate.battery = by_meter(500.0, 200.0);
    let ledger = phone.check(&[
        ("unattributed", "display", "device", 200.0),
        ("unmetered", "battery", "device", 300.0),
    ]);
    assert!(ledger.power.errors.sources.iter().any(|it| it.name.starts_with("power meter, less")));
    phone.estimate.battery = by_meter(150.0, 200.0);
    let ledger = phone.check(&[("unattributed", "display", "device", 200.0)]);
    assert!(ledger.quality.notes.iter().any(|note| note.code == "meter-disagrees"));

    // A part of the recording: the battery's figures are those of the whole.
    phone.estimate.battery = Some(battery(500.0, 200.0));
    let mut options = AttributionOptions::default();
    options.window = Some(window(0, 50));
    let ledger = phone.check_with(&options, &[("unattributed", "display", "device", 100.0)]);
    assert!(ledger.quality.notes.iter().any(|note| note.code == "battery-covers-more"));

    // It was charging.
    let mut charging = battery(500.0, 200.0);
    charging.discharging = Nanos::ZERO;
    phone.estimate.battery = Some(charging);
    phone.check(&[("unattributed", "display", "device", 200.0)]);
}

#[test]
fn impossible_power_is_an_error_and_not_a_ledger() {
    let mut phone = Phone::new(0, 100);
    phone.draws("display", Scope::Device, &[(50, 2.0), (100, f64::NAN)]);
    let found = attribute(&phone.timeline, &phone.estimate, &AttributionOptions::default());
    assert!(matches!(found, Err(LedgerError::DoesNotClose { .. })), "{found:?}");
}

#[test]
fn power_over_time_is_binned_by_component() {
    let mut phone = Phone::new(0, 100);
    phone.draws("display", Scope::Device, &[(25, 2.0), (100, 4.0)]);
    phone.draws("display", Scope::Unexplained, &[(50, 1.0)]);
    let mut options = AttributionOptions::default();
    options.bins = 3;
    let ledger = phone.attribute(&options);
    // 100 µs in 3 bins are 33.334 µs each, the last 33.332 µs.
    assert_eq!((ledger.over_time.bins.width, ledger.over_time.bins.count), (Nanos::new(33_334), 3));
    let mean = [(25.0 * 2.0 + 8.334 * 4.0) / 33.334 + 1.0, 4.0 + (50.0 - 33.334) / 33.334, 4.0];
    assert_eq!(ledger.over_time.series.len(), 1);
    for (found, expected) in ledger.over_time.series[0].power.iter().zip(mean) {
        assert!((*found - Watts::new(expected)).abs() < Watts::new(1e-12), "{found} {expected}");
    }
}
