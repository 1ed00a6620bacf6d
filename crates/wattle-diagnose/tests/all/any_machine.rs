//! Whatever threads do, a diagnosis is what a plain count gives.

use crate::built::{Machine, invariants, look_with_energy, window};
use proptest::prelude::*;
use wattle_diagnose::{DiagnoseOptions, IdleChoice};
use wattle_timeline::{DiskKind, DiskOperation, Timeline};

/// By thread, stretches as (silence before, length, whether it sleeps then) in microseconds.
type Plan = Vec<Vec<(i64, i64, bool)>>;

fn plan() -> impl Strategy<Value = Plan> {
    let burst = (prop_oneof![4 => 1_i64..3000, 1 => 1_i64..200_000], 1_i64..4000, any::<bool>());
    let long = (1_i64..50_000, 50_000_i64..400_000, any::<bool>());
    let stretch = prop_oneof![30 => burst, 1 => long];
    proptest::collection::vec(proptest::collection::vec(stretch, 0..150), 1..5)
}

fn timeline(plan: &Plan, disk: &[(u8, i64)]) -> Timeline {
    let mut machine = Machine::new(3000);
    let process = machine.process(1, "app");
    let mut threads = Vec::new();
    for (number, stretches) in (0..).zip(plan) {
        let process = (number % 3 != 2).then_some(process);
        let thread = machine.thread(process, 10 + number, "worker");
        let mut now = 0;
        for (silence, length, sleeps) in stretches {
            let start = now + silence;
            now = start + length;
            if now > 3_000_000 {
                break;
            }
            if *sleeps {
                machine.run(thread, start, *length);
            } else {
                machine.run_on(thread, start, *length);
            }
        }
        threads.push(thread);
    }
    for (thread, begin) in disk {
        machine.timeline.hardware.disk.push(DiskOperation {
            kind: DiskKind::Write,
            window: window(*begin, begin + 300),
            begin_seen: begin % 5 != 0,
            end_seen: true,
            thread: threads[usize::from(*thread) % threads.len()],
            disk: None,
            offset: None,
            bytes: Some(4096),
            service: None,
            file: None,
        });
    }
    machine.timeline.hardware.disk.sort_by_key(|it| it.window.start);
    machine.finish()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn figures_are_those_of_a_plain_count(
        plan in plan(),
        disk in proptest::collection::vec((any::<u8>(), 0_i64..2_900_000), 0..60),
        given in proptest::option::of((0_i64..2_000_000, 0_i64..2_000_000)),
    ) {
        let timeline = timeline(&plan, &disk);
        let mut options = DiagnoseOptions::default();
        if let Some((start, length)) = given {
            options.idle = IdleChoice::Given(vec![window(start, start + length), window(2_950_000, 2_990_000)]);
        }
        let found = look_with_energy(&timeline, &options);
        invariants::check("any", &timeline, &found);
    }
}
