//! Whatever a recording says, rules end, and what they say is in order.

use proptest::prelude::*;
use wattle_diagnose::{DiagnoseOptions, Diagnosis, rule};
use wattle_ingest::read_bytes;
use wattle_power::{PowerOptions, estimate};
use wattle_testdata::requires;
use wattle_timeline::{
    DeviceWake, Quantity, SchedSlice, StateKind, TaskState, ThreadId, Timeline, Uid, Usage,
    WakeCause, Window,
};
use wattle_units::BootNanos;

use super::scene::Scene;

/// Checks the properties of every diagnosis.
pub fn check(diagnosis: &Diagnosis) {
    let findings = &diagnosis.findings;
    for finding in findings {
        assert!(rule(&finding.rule.0).is_some(), "{finding:#?}");
        assert!(
            !finding.title.is_empty() && !finding.remedy.is_empty() && !finding.evidence.is_empty(),
            "{finding:#?}"
        );
        if let Some(energy) = finding.at_stake {
            let (low, joules, high) = (energy.interval.low, energy.joules, energy.interval.high);
            assert!(low <= joules && joules <= high, "{finding:#?}");
        }
    }
    assert!(findings.is_sorted_by(|one, other| one.severity >= other.severity));
    for same in findings.chunk_by(|one, other| one.severity == other.severity) {
        let joules = |it: &wattle_diagnose::Finding| {
            it.at_stake.map_or(f64::NEG_INFINITY, |energy| energy.joules.value())
        };
        assert!(same.is_sorted_by(|one, other| joules(one) >= joules(other)));
    }
}

fn diagnose(timeline: Timeline) -> Diagnosis {
    let power = estimate(&timeline, &PowerOptions::default()).unwrap();
    Scene { timeline, power }.diagnose(&DiagnoseOptions::default())
}

/// Instants anywhere, and near to each other.
fn instant() -> impl Strategy<Value = i64> {
    prop_oneof![
        4 => 0_i64..10_000_000_000,
        1 => -(1_i64 << 60)..1 << 60,
        1 => Just(0),
        1 => Just(1 << 60),
        1 => Just(-(1 << 60)),
    ]
}

fn kind() -> impl Strategy<Value = StateKind> {
    use StateKind as K;
    prop::sample::select(vec![
        K::Screen,
        K::Wakelock,
        K::Gnss,
        K::Camera,
        K::Sensor,
        K::Audio,
        K::Flashlight,
        K::BluetoothScan,
        K::WifiScan,
        K::WifiLock,
        K::CellRadio,
        K::Job,
        K::Sync,
        K::TopApp,
    ])
}

fn quantity() -> impl Strategy<Value = Quantity> {
    use Quantity as Q;
    prop::sample::select(vec![
        Q::OnBattery,
        Q::Wakelock,
        Q::WakelockCount,
        Q::Gnss,
        Q::Camera,
        Q::Sensor(1),
        Q::Audio,
        Q::Job,
        Q::AlarmWakeups,
        Q::CellActive,
        Q::CellReceivedBytes,
        Q::Foreground,
        Q::ProcessState(0),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_timeline(
        ends in (instant(), instant()),
        runs in prop::collection::vec((instant(), 0_i64..50_000_000, 0_u32..4, 0_u16..2), 0..80),
        states in prop::collection::vec((kind(), prop::option::of(9_999_u32..10_079), "[*a-zA-Z./@#]{0,12}", prop::collection::vec((instant(), 0_u32..3), 0..6)), 0..12),
        totals in prop::collection::vec((quantity(), prop::option::of(9_999_u32..10_079), instant(), instant(), prop_oneof![0.0..1e6_f64, Just(f64::MAX), Just(0.0)]), 0..12),
        slices in prop::collection::vec((0.0..9e6_f64, "(Choreographer#doFrame|deliverInputEvent|android.hardware.Camera.open|android.hardware.Camera.release)"), 0..20),
        writes in prop::collection::vec((0.0..9e6_f64, any::<u64>()), 0..20),
        wakes in prop::collection::vec((0.0..9e6_f64, 0_u32..9), 0..40),
    ) {
        let mut scene = Scene::new(0.0);
        scene.timeline.window = Window::new(BootNanos::new(ends.0), BootNanos::new(ends.1));
        for (start, length, thread, state) in runs {
            let window = Window::new(BootNanos::new(start), BootNanos::new(start.saturating_add(length)));
            let end_state = Some(TaskState(state));
            // What begins before the last one's end is dropped or cut.
            scene.timeline.cpus[0].sched.push(SchedSlice { window, thread: ThreadId(thread % 3), end_state });
        }
        for (kind, uid, tag, changes) in states {
            let changes: Vec<_> = changes.iter().map(|(time, level)| (*time as f64 / 1e6, *level)).collect();
            scene = scene.state(kind, uid.map(Uid), &tag, &changes);
        }
        for (quantity, uid, start, end, value) in totals {
            let window = Window::new(BootNanos::new(start), BootNanos::new(end));
            scene.timeline.system.usage.push(Usage { quantity, uid: uid.map(Uid), tag: None, window, value });
        }
        let mut slices: Vec<(f64, f64, &str, u16)> = slices.iter().map(|(start, name)| (*start, start + 0.5, name.as_str(), 0)).collect();
        slices.sort_by(|one, other| one.0.total_cmp(&other.0));
        scene = scene.slices(1, &slices);
        for (time, bytes) in &writes {
            scene = scene.writes([*time], *bytes).packets("rmnet0", [*time], *bytes);
        }
        scene.timeline.hardware.disk.sort_by_key(|it| it.window.start);
        scene.timeline.hardware.packets.sort_by_key(|it| it.time);
        scene.timeline.suspend.wakes = writes.iter().map(|(time, _)| DeviceWake {
            time: super::scene::at(*time), cause: WakeCause::App, uid: Some(Uid(10_077)), text: None,
        }).collect();
        let scene = scene.wakes(wakes);
        // Thresholds at 0 let everything through.
        let mut options = DiagnoseOptions::default();
        let all = wattle_diagnose::rules().iter();
        let zero = all.flat_map(|rule| rule.thresholds.iter().map(|it| (format!("{}.{}", rule.id, it.name), 0.0)));
        check(&scene.diagnose(&options));
        options.rules.thresholds = zero.collect();
        check(&scene.diagnose(&options));
    }
}

#[requires(data)]
#[test]
fn damaged_statistics() {
    let bytes = wattle_testdata::bytes("batterystats/emanafa-energy_saving.log");
    let mut random = wattle_sim::SplitMix64::new(7);
    for case in 0..40 {
        let mut bytes = bytes.clone();
        for _ in 0..=case {
            let at = random.below(bytes.len() as u64) as usize;
            bytes[at] = random.below(256) as u8;
        }
        bytes.truncate(random.below(bytes.len() as u64) as usize + 1);
        if let Ok(timeline) = read_bytes("damaged", &bytes) {
            check(&diagnose(timeline));
        }
    }
}

#[test]
fn random_phones() {
    for seed in 0..8 {
        let phone = wattle_sim::PhoneSpec::random(seed);
        let workload =
            wattle_sim::scenario::random(&phone, wattle_units::Nanos::from_seconds(1.0), seed);
        let simulated = wattle_sim::Simulation::new(phone, workload, seed).unwrap().run().unwrap();
        check(&diagnose(read_bytes("random", &simulated.trace).unwrap()));
        let half = simulated.trace.get(..simulated.trace.len() / 2).unwrap();
        if let Ok(timeline) = read_bytes("half", half) {
            check(&diagnose(timeline));
        }
    }
}
