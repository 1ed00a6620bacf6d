//! The truth's own accounts: they close, and they do not depend on anything but the seed.

use proptest::prelude::*;
use wattle_sim::{CurveErrors, PhoneSpec, Simulated, Simulation, scenario};
use wattle_units::{Joules, Nanos};

fn random_run(seed: u64, seconds: f64) -> Simulated {
    let phone = PhoneSpec::random(seed);
    let workload = scenario::random(&phone, Nanos::from_seconds(seconds), seed);
    let errors = CurveErrors { shared_sd: 0.1, own_sd: 0.05, specimens: 2 };
    Simulation::with_errors(phone, workload, errors, seed).unwrap().run().unwrap()
}

#[track_caller]
fn check_closes(simulated: &Simulated) {
    let truth = &simulated.truth;
    let equal = |what: &str, a: Joules, b: Joules| {
        let error = (a - b).abs().value();
        assert!(error <= 1e-9 * b.abs().value().max(1e-9), "{what}: {a:?} and {b:?}");
    };
    assert!(truth.total > Joules::ZERO);
    equal("accounts and hardware", truth.booked(), truth.total);
    equal(
        "methods and threads",
        truth.methods.iter().map(|method| method.self_joules).sum(),
        truth.threads.iter().map(|thread| thread.charges.total()).sum(),
    );
    // A root's total is its thread's.
    for thread in &truth.threads {
        let root = truth.methods.iter().find(|m| m.tid == thread.tid && m.path.is_empty()).unwrap();
        equal("root and thread", root.total_joules, thread.charges.total());
        let cpu: Nanos =
            truth.methods.iter().filter(|m| m.tid == thread.tid).map(|m| m.self_cpu).sum();
        assert_eq!(cpu, thread.cpu);
    }
    assert!(truth.methods.iter().all(|method| method.self_joules >= Joules::ZERO));
    assert!(truth.methods.iter().all(|method| method.total_joules >= method.self_joules));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_phones_close(seed in any::<u64>()) {
        check_closes(&random_run(seed, 0.4));
    }
}

#[test]
fn the_demo_closes_and_everything_happens_in_it() {
    let simulated = scenario::demo(1).unwrap().run().unwrap();
    check_closes(&simulated);
    let truth = &simulated.truth;
    let zero = Joules::ZERO;
    assert!(truth.idle_floor.core > zero && truth.idle_floor.shared > zero);
    assert!(truth.wake_transitions() > zero && truth.interrupts_total() > zero);
    assert!(truth.profiling_overhead() > zero);
    let by_method = truth.self_joules_by_method();
    for method in ["com.example.news.FeedLoader.parse", "com.example.news.ImageDecoder.decode"] {
        assert!(by_method[method] > truth.total * 0.01, "{method}: {:?}", by_method[method]);
    }
    // All clusters have work, so that every curve matters.
    assert!(truth.clusters.iter().all(|cluster| cluster.total() > truth.total * 0.02));
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_does_not() {
    let first = random_run(11, 0.3);
    assert_eq!(first, random_run(11, 0.3));
    assert_ne!(first.trace, random_run(12, 0.3).trace);
    let phone = |seed| Simulation::new(PhoneSpec::small(), news(), seed).unwrap().run().unwrap();
    assert_eq!(phone(3), phone(3));
    assert_ne!(phone(3).trace, phone(4).trace);
}

#[test]
fn the_errors_of_a_phone_change_its_energy_and_not_its_schedule() {
    let exact = Simulation::new(PhoneSpec::small(), news(), 5).unwrap().run().unwrap();
    let errors = CurveErrors { shared_sd: 0.2, own_sd: 0.1, specimens: 0 };
    let other = Simulation::with_errors(PhoneSpec::small(), news(), errors, 5).unwrap();
    let other = other.run().unwrap();
    assert_eq!(exact.trace, other.trace);
    assert_ne!(exact.truth.total, other.truth.total);
    assert_eq!(exact.device_model, other.device_model);
}

fn news() -> wattle_sim::Workload {
    scenario::news_app(Nanos::from_seconds(0.5))
}
