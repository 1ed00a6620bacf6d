//! Attribution of threads that are looked at through samples of their stacks.

use std::collections::BTreeMap;

use crate::common::{Phone, at, lines};
use proptest::prelude::*;
use wattle_ledger::{AttributionOptions, FrameClass, Ledger, PathEnergies, PathId, Stacks};
use wattle_timeline::{SliceOrigin, ThreadId};
use wattle_units::CompensatedSum;

fn options(stacks: Stacks) -> AttributionOptions {
    let mut options = AttributionOptions::default();
    options.stacks = stacks;
    options
}

/// One core at a watt, and what its only thread's paths draw, in microjoules.
#[track_caller]
fn check(runs: &[(i64, i64)], samples: &[(i64, &str)], expected: &[(&str, f64)]) -> Ledger {
    let end = runs.last().expect("runs").1;
    let mut phone = Phone::new(1, end);
    let app = phone.thread("app");
    phone.core(0, &[(end, 1.0)]);
    for (from, to) in runs {
        phone.runs(0, &[(*from, *to, app)]);
    }
    let samples: Vec<_> = samples.iter().map(|(time, stack)| (*time, app, *stack)).collect();
    phone.samples(&samples);
    let ledger = phone.attribute(&AttributionOptions::default());
    let mut found = lines(&ledger);
    found.retain(|(account, ..), _| account.starts_with("app"));
    let found: BTreeMap<&str, f64> = found.iter().map(|((it, ..), sum)| (&**it, *sum)).collect();
    let expected: BTreeMap<&str, f64> = expected.iter().copied().collect();
    let close = found.len() == expected.len()
        && found.iter().zip(&expected).all(|(one, other)| {
            one.0 == other.0 && (one.1 - other.1).abs() <= 1e-9 * other.1.abs()
        });
    assert!(close, "found {found:#?}\nexpected {expected:#?}");
    ledger
}

#[test]
fn a_sample_stands_for_the_time_before_it() {
    let samples = [(10, "main draw"), (30, "main load"), (50, "main draw")];
    check(
        &[(0, 60)],
        &samples,
        &[("app: main > draw", 10.0 + 20.0 + 10.0), ("app: main > load", 20.0)],
    );
    // Time off the CPU costs nothing, and divides nothing.
    check(
        &[(0, 15), (25, 60)],
        &samples,
        &[("app: main > draw", 10.0 + 20.0 + 10.0), ("app: main > load", 5.0 + 5.0)],
    );
    let ledger = check(
        &[(0, 60)],
        &[(30, "main"), (60, "main main")],
        &[("app: main", 30.0), ("app: main > main", 30.0)],
    );
    let samples: Vec<u64> = ledger.rows.paths.iter().map(|path| path.samples).collect();
    assert_eq!(samples, [0, 1, 1]);
}

#[test]
fn what_samples_do_not_tell_has_paths_of_its_own() {
    let ledger = check(
        &[(0, 50)],
        &[
            (10, "...draw blend"),
            (20, "main ?/system/lib64/libhwui.so ?/system/lib64/libhwui.so"),
            (30, ""),
            (40, "main +inner"),
            (50, "main ?[kernel.kallsyms]"),
        ],
        &[
            ("app: [truncated] > draw > blend", 10.0),
            ("app: main > [unknown] libhwui.so", 10.0),
            ("app: [truncated]", 10.0),
            ("app: main > inner", 10.0),
            ("app: main > [unknown] [kernel.kallsyms]", 10.0),
        ],
    );
    let classes: BTreeMap<&str, (FrameClass, bool)> = ledger
        .rows
        .paths
        .iter()
        .filter_map(|path| {
            let frame = &ledger.rows.frames[path.frame? as usize];
            Some((&*path.name, (frame.class, frame.inlined)))
        })
        .collect();
    assert_eq!(classes["[truncated]"], (FrameClass::Truncated, false));
    assert_eq!(classes["inner"], (FrameClass::Native, true));
    assert_eq!(classes["[unknown] libhwui.so"], (FrameClass::Unknown, false));
    let sampling = ledger.sheets.sampling.expect("samples");
    assert_eq!((sampling.samples, sampling.truncated, sampling.without_stack), (5, 1, 1));
    assert_eq!((&*sampling.event, sampling.is_schedule_inferred), ("cpu-clock", false));
}

#[test]
fn no_stack_stands_for_what_nobody_saw() {
    // Samples each 10 µs reach 140 µs; then they were lost for 1,000 µs.
    let mut samples: Vec<(i64, &str)> = (1..=20).map(|tick| (tick * 10, "draw")).collect();
    samples.push((1_200, "load"));
    let ledger = check(
        &[(0, 2_000)],
        &samples,
        &[
            ("app: draw", 200.0),
            ("app: load", 140.0 + 140.0),
            ("app: [not sampled]", 860.0 + 660.0),
        ],
    );
    assert_eq!(ledger.sheets.sampling.expect("samples").unsampled.value(), 1_520_000);
}

#[test]
fn calls_that_were_recorded_are_better_than_samples() {
    let mut phone = Phone::new(1, 100);
    let (probed, traced, plain) = (phone.thread("a"), phone.thread("b"), phone.thread("c"));
    phone.core(0, &[(100, 1.0)]);
    phone.runs(0, &[(0, 20, probed), (20, 40, traced), (40, 60, plain)]);
    phone.made_by(probed, &[(0, 20, "draw", 0)], &[SliceOrigin::ProbedMethod]);
    phone.made_by(traced, &[(20, 40, "draw", 0)], &[SliceOrigin::MethodTrace]);
    phone.made_by(plain, &[(40, 60, "section", 0)], &[SliceOrigin::Recorded]);
    phone.samples(&[(20, probed, "s"), (40, traced, "s"), (60, plain, "s")]);
    let check = |stacks, expected: [&str; 3]| {
        let found = lines(&phone.attribute(&options(stacks)));
        let mut found: Vec<_> = found.into_keys().map(|(account, ..)| account).collect();
        found.retain(|account| account != "unattributed");
        assert_eq!(found, expected, "{stacks:?}");
    };
    check(Stacks::Auto, ["a: draw", "b: draw", "c: s"]);
    check(Stacks::Calls, ["a: draw", "b: draw", "c: section"]);
    check(Stacks::Samples, ["a: s", "b: s", "c: s"]);
}

const END: i64 = 300;
const STACKS: [&str; 7] =
    ["main draw", "main load", "main load ?lib.so", "main", "...poll", "", "main draw +blend"];

/// Two CPUs with three threads that are sometimes on both at once, as events that were lost make it look; samples at any time.
fn phone() -> impl Strategy<Value = (Phone, Vec<(i64, ThreadId, usize)>)> {
    let runs = || prop::collection::vec((0_i64..40, 0_u32..4, 0_u8..3), 0..20);
    let samples = prop::collection::vec((0..END, 1_u32..4, 0..STACKS.len()), 0..40);
    (runs(), runs(), samples).prop_map(|(one, other, mut samples)| {
        let mut phone = Phone::new(2, END);
        for name in ["app", "pool", "traced"] {
            phone.thread(name);
        }
        for (cpu, runs) in [one, other].into_iter().enumerate() {
            let mut now = 0;
            let mut power = Vec::new();
            for (length, thread, watts) in runs {
                let end = (now + length).min(END);
                phone.runs(cpu, &[(now, end, ThreadId(thread))]);
                power.push((end, f64::from(watts) * 0.3));
                now = end;
            }
            phone.core(cpu as u32, &power);
        }
        phone.cores(&[0, 1], &[(END / 2, 0.2), (END, 0.5)]);
        // One instant of a thread has one stack.
        samples.sort_unstable();
        samples.dedup_by_key(|(time, thread, _)| (*time, *thread));
        let samples: Vec<_> =
            samples.into_iter().map(|(time, tid, stack)| (time, ThreadId(tid), stack)).collect();
        let named: Vec<_> =
            samples.iter().map(|(time, tid, stack)| (*time, *tid, STACKS[*stack])).collect();
        phone.samples(&named);
        (phone, samples)
    })
}

/// Joules by thread.
fn by_thread(ledger: &Ledger) -> BTreeMap<u32, f64> {
    let energies = PathEnergies::new(ledger);
    let mut sums: BTreeMap<u32, CompensatedSum> = BTreeMap::new();
    for (index, path) in (0..).zip(&ledger.rows.paths) {
        let tid = ledger.rows.threads[path.thread as usize].tid;
        sums.entry(tid).or_default().add(energies.own(PathId(index)).value());
    }
    sums.into_iter().map(|(tid, sum)| (tid, sum.value())).filter(|it| it.1 != 0.0).collect()
}

/// Microseconds on CPUs by thread and stack, a microsecond after the other: `None` for those that no sample stands for, as far as
/// the time on CPUs up to the sample reaches.
fn by_brute_force(
    phone: &Phone,
    samples: &[(i64, ThreadId, usize)],
) -> BTreeMap<(u32, Option<usize>), i64> {
    let on_cpu = |thread: ThreadId, time: i64| {
        let cpus = phone.timeline.cpus.iter();
        cpus.map(|cpu| {
            cpu.sched
                .iter()
                .filter(|it| it.thread == thread && it.window.contains(at(time)))
                .count() as i64
        })
        .sum::<i64>()
    };
    // No thread runs twice at once, whatever lost events make it look like.
    let between =
        |thread, from: i64, to: i64| (from..to).filter(|t| on_cpu(thread, *t) > 0).count() as i64;
    let of = |thread| samples.iter().filter(move |it| it.1 == thread).map(|it| (it.0, it.2));
    let mut gaps = Vec::new();
    for thread in (1..4).map(ThreadId) {
        let mut last = 0;
        for (time, _) in of(thread) {
            let gap = between(thread, last, time);
            gaps.extend((gap > 0).then_some(gap));
            last = time;
        }
    }
    gaps.sort_unstable();
    let reach = 14 * gaps.get(gaps.len() / 2).copied().unwrap_or(0);
    let mut sums = BTreeMap::new();
    for thread in (1..4).map(ThreadId) {
        for time in (0..END).filter(|time| on_cpu(thread, *time) > 0) {
            let next = of(thread).find(|(at, _)| *at > time);
            let last = of(thread).next_back();
            let stack = match (next, last) {
                (Some((at, stack)), _) => (between(thread, time, at) <= reach).then_some(stack),
                (None, Some((at, stack))) => {
                    (between(thread, at, time + 1) <= reach).then_some(stack)
                }
                (None, None) => continue,
            };
            *sums.entry((thread.0 + 100, stack)).or_default() += on_cpu(thread, time);
        }
    }
    sums
}

/// Name of a stack's path, `None` that of time without a sample.
fn path_of(stack: Option<usize>) -> String {
    let Some(stack) = stack else { return "[not sampled]".to_owned() };
    match STACKS[stack] {
        "" => "[truncated]".to_owned(),
        text => text
            .replace("...", "[truncated] ")
            .replace('?', "[unknown]_")
            .replace('+', "")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" > ")
            .replace('_', " "),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn stacks_and_others_are_the_threads((phone, _) in phone()) {
        let whole = phone.attribute(&options(Stacks::Calls));
        let split = phone.attribute(&options(Stacks::Samples));
        let (whole, split) = (by_thread(&whole), by_thread(&split));
        prop_assert_eq!(whole.len(), split.len());
        for ((tid, one), (other_tid, other)) in whole.iter().zip(&split) {
            prop_assert_eq!(tid, other_tid);
            prop_assert!((one - other).abs() <= 1e-12 * one.abs(), "{}: {} != {}", tid, one, other);
        }
    }

    #[test]
    fn stretches_are_what_paths_drew((phone, _) in phone()) {
        let mut options = options(Stacks::Samples);
        options.stretches = wattle_ledger::StretchDetail::All;
        let ledger = phone.attribute(&options);
        let energies = PathEnergies::new(&ledger);
        let mut sums = vec![CompensatedSum::default(); ledger.rows.paths.len()];
        for stretch in &ledger.over_time.stretches {
            prop_assert!(!stretch.window.is_empty());
            sums[stretch.path.0 as usize].add(stretch.joules.value());
        }
        for (index, sum) in (0..).zip(sums) {
            let own = energies.own(PathId(index)).value();
            prop_assert!((own - sum.value()).abs() <= 1e-15 + 1e-12 * own, "{}", index);
        }
        let text = serde_json::to_string(&ledger).expect("JSON");
        prop_assert_eq!(serde_json::from_str::<Ledger>(&text).expect("the same"), ledger);
    }

    #[test]
    fn time_goes_to_the_next_sample((phone, samples) in phone()) {
        let ledger = phone.attribute(&options(Stacks::Samples));
        let mut expected: BTreeMap<(u32, String), i64> = BTreeMap::new();
        for ((tid, stack), time) in by_brute_force(&phone, &samples) {
            *expected.entry((tid, path_of(stack))).or_default() += time;
        }
        let mut found: BTreeMap<(u32, String), i64> = BTreeMap::new();
        for path in ledger.rows.paths.iter().filter(|path| path.frame.is_some()) {
            let mut names = vec![&*path.name];
            let mut next = path.caller;
            while let Some(caller) = next.map(|it| &ledger.rows.paths[it.0 as usize]) {
                names.extend(caller.frame.map(|_| &*caller.name));
                next = caller.caller;
            }
            names.reverse();
            let tid = ledger.rows.threads[path.thread as usize].tid;
            *found.entry((tid, names.join(" > "))).or_default() += path.self_cpu.value() / 1000;
        }
        found.retain(|_, time| *time > 0);
        prop_assert_eq!(found, expected);
    }
}
