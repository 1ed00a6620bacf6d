//! Rules on the simulated phone, through real trace bytes.

use wattle_diagnose::{DiagnoseOptions, Diagnosis, Finding, IdleChoice, Input};
use wattle_ingest::read_bytes;
use wattle_ledger::{AttributionOptions, Booking, StretchDetail, attribute};
use wattle_power::{DeviceModel, PowerOptions, estimate};
use wattle_sim::{Action, AppSpec, PhoneSpec, Simulation, ThreadSpec, Workload};
use wattle_units::{Estimate, Joules, Nanos};

use super::scene::Scene;

/// An app that waits for a push message and ticks once a second, beside a system that does what systems do at idle, and one more
/// thread of the app.
fn scene(extra: Option<ThreadSpec>) -> Scene {
    let every = |name: &str, millis: f64, cycles: f64| {
        ThreadSpec::new(name, vec![Action::next_period(millis), Action::compute(cycles)])
    };
    let main = every("m.example.quiet", 1000.0, 0.5);
    let app = AppSpec {
        name: "com.example.quiet".into(),
        package: Some("com.example.quiet".into()),
        uid: 10_200,
        threads: [main].into_iter().chain(extra).collect(),
        recorder: false,
    };
    let system = AppSpec {
        name: "system_server".into(),
        package: None,
        uid: 1000,
        threads: vec![
            every("system_server", 500.0, 1.0),
            every("android.bg", 1300.0, 3.0),
            every("binder:1", 700.0, 0.3),
        ],
        recorder: false,
    };
    let recorder = AppSpec {
        name: "/system/bin/traced_probes".into(),
        package: None,
        uid: 9999,
        // The recorder itself is busy: that is no defect of the app's.
        threads: vec![ThreadSpec::new(
            "traced_probes",
            vec![Action::next_period(5.0), Action::compute(0.5)],
        )],
        recorder: true,
    };
    let duration = Nanos::from_seconds(15.0);
    let workload = Workload { duration, apps: vec![app, system, recorder], ..Workload::default() };
    let simulated = Simulation::new(PhoneSpec::pixel_like(), workload, 11).unwrap().run().unwrap();
    let timeline = read_bytes("simulated", &simulated.trace).unwrap();
    let mut options = PowerOptions::default();
    options.device_models.push(DeviceModel::parse("phone.toml", &simulated.device_model).unwrap());
    let power = estimate(&timeline, &options).unwrap();
    Scene { timeline, power }
}

fn diagnose(extra: Option<ThreadSpec>) -> Diagnosis {
    let diagnosis = scene(extra).diagnose(&whole());
    super::properties::check(&diagnosis);
    diagnosis
}

/// All of a recording counts as idle.
fn whole() -> DiagnoseOptions {
    let mut options = DiagnoseOptions::default();
    options.idle = IdleChoice::Whole;
    options
}

/// The one finding that a thread of the app makes by a rule.
#[track_caller]
fn check(rule: &str, program: Vec<Action>) -> Finding {
    let diagnosis = diagnose(Some(ThreadSpec::new("worker", program)));
    let of_app =
        diagnosis.findings.iter().filter(|it| it.who.as_deref() == Some("com.example.quiet"));
    let found: Vec<&Finding> = of_app.filter(|it| it.rule.0 == rule).collect();
    let [finding] = found.as_slice() else { panic!("{rule}: {:#?}", diagnosis.findings) };
    assert!(
        finding.thread.as_deref().is_some_and(|name| name.starts_with("worker (")),
        "{finding:#?}"
    );
    assert!(finding.at_stake.is_some_and(|energy| energy.joules.value() > 0.0), "{finding:#?}");
    (*finding).clone()
}

#[test]
fn a_quiet_phone_has_no_defect() {
    assert_eq!(diagnose(None).findings, []);
}

#[test]
fn planted_defects_are_found() {
    let call = |name: &str, body| Action::call(name, body);
    let spins = call("com.example.quiet.Poller.spin", vec![Action::compute(3000.0)]);
    let spin = check("busy-wait", vec![Action::next_period(5000.0), spins]);
    assert_eq!(spin.place.map(|it| it.function).as_deref(), Some("com.example.quiet.Poller.spin"));
    let exactly =
        |millis: f64| Action::Sleep { length: Nanos::from_seconds(millis * 1e-3), spread: 0.0 };
    let nap = check("short-sleep", vec![exactly(5.0), Action::compute(0.1)]);
    assert!(nap.title.contains("every 5."), "{}", nap.title);
    let storm = check("wakeup-storm", vec![Action::sleep(4.0), Action::compute(0.05)]);
    assert!(
        storm.evidence.iter().any(|it| it.text.contains("a timer or another interrupt")),
        "{storm:#?}"
    );
}

#[test]
fn a_camera_that_is_not_closed() {
    let open = [
        Action::sleep(1000.0),
        Action::call(
            "com.example.quiet.Scanner.onCreate",
            vec![Action::call("android.hardware.Camera.open", vec![Action::compute(2.0)])],
        ),
    ];
    let run = |more: Vec<Action>| {
        let mut thread = ThreadSpec::new("worker", open.iter().cloned().chain(more).collect());
        thread.once = true;
        diagnose(Some(thread)).findings
    };
    let found = run(vec![Action::sleep(9000.0)]);
    let [finding] = found.as_slice() else { panic!("{found:#?}") };
    assert_eq!(finding.rule.0, "camera-left-on");
    let place = finding.place.as_ref().unwrap();
    assert_eq!(place.stack, ["com.example.quiet.Scanner.onCreate", "android.hardware.Camera.open"]);
    let close = Action::call("android.hardware.Camera.release", vec![Action::compute(1.0)]);
    assert_eq!(run(vec![Action::sleep(2000.0), close]), []);
}

#[test]
fn energies_of_processes_and_threads_have_the_intervals_of_the_ledger() {
    let Scene { timeline, power } = scene(None);
    let mut options = AttributionOptions::default();
    options.stretches = StretchDetail::All;
    let ledger = attribute(&timeline, &power, &options).unwrap();
    // Attribution adds sources of error; without them intervals would be too narrow.
    assert!(ledger.power.errors.sources.len() > power.errors.sources.len());
    let found = wattle_diagnose::diagnose(
        Input { timeline: &timeline, power: &power, ledger: &ledger },
        &whole(),
    )
    .unwrap();
    let thread_of = |booking: &Booking| {
        let path = ledger.rows.accounts.get(booking.account.0 as usize)?.path()?;
        let row = ledger.rows.paths.get(path.0 as usize)?.thread;
        ledger.rows.threads.get(row as usize)
    };
    let pid_of =
        |booking: &Booking| ledger.rows.processes.get(thread_of(booking)?.process as usize)?.pid;
    let mut compared = 0;
    let mut check = |shown: Option<Estimate>, of_ledger: Option<Estimate>| {
        let (Some(shown), Some(of_ledger)) = (shown, of_ledger) else { return };
        compared += 1;
        let ends = |it: Estimate| [it.joules, it.interval.low, it.interval.high].map(Joules::value);
        for (shown, expected) in ends(shown).into_iter().zip(ends(of_ledger)) {
            assert!((shown / expected - 1.0).abs() < 1e-6, "{shown} J, in the ledger {expected} J");
        }
    };
    for subject in &found.subjects {
        let of = ledger.estimate_where(|it| pid_of(it) == Some(subject.pid.0));
        check(subject.energy, of);
    }
    for thread in &found.threads {
        let of = ledger.estimate_where(|it| thread_of(it).is_some_and(|it| it.tid == thread.tid.0));
        check(thread.energy, of);
    }
    assert!(compared >= 4, "{compared} compared");
}
