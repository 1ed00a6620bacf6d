//! Events of the whole phone: suspend, hotplug, interrupts.

use wattle_sim::{
    Action, AppSpec, InterruptSpec, PhoneEvent, PhoneSpec, SimError, Simulation, ThreadSpec, Truth,
    Workload,
};
use wattle_units::{Nanos, Watts};

/// One thread that computes all the time on the little cluster.
fn hog(events: Vec<PhoneEvent>, interrupts: Vec<InterruptSpec>) -> Workload {
    let program = vec![Action::call("spin", vec![Action::compute(5.0)])];
    let threads = vec![ThreadSpec::new("hog", program).on_clusters(&[0])];
    Workload {
        duration: Nanos::from_seconds(1.0),
        apps: vec![AppSpec {
            name: "com.example.hog".into(),
            package: None,
            uid: 10_001,
            threads,
            recorder: false,
        }],
        interrupts,
        events,
    }
}

fn run(events: Vec<PhoneEvent>, interrupts: Vec<InterruptSpec>) -> Truth {
    let workload = hog(events, interrupts);
    Simulation::new(PhoneSpec::small(), workload, 2).unwrap().run().unwrap().truth
}

fn seconds(seconds: f64) -> Nanos {
    Nanos::from_seconds(seconds)
}

#[test]
fn a_core_that_never_sleeps_draws_its_curve() {
    // At the top of the curve all the time but for the first steps of the governor.
    let truth = run(vec![], vec![]);
    let spec = PhoneSpec::small();
    let top = spec.clusters[0].curve.last().unwrap();
    let expected: Watts = top.active + top.static_power;
    let found = truth.threads[0].charges.total() / seconds(1.0);
    assert!(found < expected && found > expected * 0.9, "{found} {expected}");
    // It does not run in the first milliseconds, and always after.
    assert!(truth.threads[0].cpu > seconds(0.99));
}

#[test]
fn suspend_costs_nothing_and_nobody_runs() {
    let events = vec![PhoneEvent::Suspend { after: seconds(0.3), length: seconds(0.5) }];
    let (with, without) = (run(events, vec![]), run(vec![], vec![]));
    let cpu = with.threads[0].cpu.seconds();
    assert!((0.48..0.5).contains(&cpu), "{cpu}");
    let ratio = with.total / without.total;
    assert!((0.44..0.52).contains(&ratio), "{ratio}");
}

#[test]
fn an_offline_core_draws_nothing_and_its_task_moves() {
    let mut workload = hog(
        vec![PhoneEvent::Offline { cpu: 3, after: seconds(0.1), length: seconds(0.8) }],
        vec![],
    );
    let threads = &mut workload.apps[0].threads;
    *threads = (0..2).map(|_| threads[0].clone().on_clusters(&[1])).collect();
    let run = |workload| Simulation::new(PhoneSpec::small(), workload, 2).unwrap().run().unwrap();
    let with = run(workload.clone()).truth;
    workload.events.clear();
    let without = run(workload).truth;
    // Both cores are busy all the time, but for the eight tenths in which both threads have one.
    let ratio = |core: usize| with.clusters[1].cores[core] / without.clusters[1].cores[core];
    assert!((0.98..1.02).contains(&ratio(0)), "{}", ratio(0));
    assert!((0.16..0.22).contains(&ratio(1)), "{}", ratio(1));
    let cpu = |truth: &Truth| truth.threads.iter().map(|t| t.cpu.seconds()).sum::<f64>();
    assert!((cpu(&without) - cpu(&with) - 0.8).abs() < 0.01);
}

#[test]
fn interrupts_are_taken_out_of_the_thread() {
    let source = InterruptSpec {
        name: "dma".into(),
        irq: 9,
        cpu: 0,
        mean_period: seconds(1e-3),
        hard: seconds(100e-6),
        soft: Some((6, seconds(100e-6))),
        wakes: None,
    };
    let (with, without) = (run(vec![], vec![source]), run(vec![], vec![]));
    let lost = (without.threads[0].cpu - with.threads[0].cpu).seconds();
    // A Poisson process of a thousand a second, of 200 µs each: 0.2 s, give or take 0.0063.
    assert!((0.17..0.22).contains(&lost), "{lost}");
    let ratio = with.interrupts_total() / with.threads[0].charges.total();
    assert!((0.17..0.28).contains(&ratio), "{ratio}");
}

#[track_caller]
fn refuses(phone: PhoneSpec, workload: Workload, because: &str) {
    let error: SimError = Simulation::new(phone, workload, 1).unwrap_err();
    let message = error.to_string();
    assert!(message.contains(because), "{message:?} does not say {because:?}");
}

#[test]
fn what_cannot_be_is_refused() {
    let phone = PhoneSpec::small;
    let mut none = phone();
    none.clusters.clear();
    refuses(none, hog(vec![], vec![]), "1 to 64 CPUs");
    let mut unsorted = phone();
    unsorted.clusters[0].curve.reverse();
    refuses(unsorted, hog(vec![], vec![]), "ascend");
    let offline = PhoneEvent::Offline { cpu: 0, after: seconds(0.1), length: seconds(0.1) };
    refuses(phone(), hog(vec![offline], vec![]), "not CPU 0");
    let mut timeless = hog(vec![], vec![]);
    timeless.apps[0].threads[0].program = vec![Action::call("nothing", vec![])];
    refuses(phone(), timeless, "computes or sleeps");
    let mut lost = hog(vec![], vec![]);
    lost.apps[0].threads[0].program.push(Action::Wake { thread: 7 });
    refuses(phone(), lost, "index of a thread");
    let mut endless = hog(vec![], vec![]);
    endless.duration = Nanos::ZERO;
    refuses(phone(), endless, "1 ms to 1e6 s");
}
