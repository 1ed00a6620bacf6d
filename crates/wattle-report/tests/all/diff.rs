//! Two ledgers side by side: what is matched with what, what differs, what that is known to.

use crate::support;
use proptest::prelude::*;
use wattle_ledger::{Account, Charge, FrameClass, FrameEntry, Ledger, PathId};
use wattle_power::SourceId;
use wattle_report::{
    Compared, DiffReport, FlameBy, FlameGraph, FlameKind, FlameNode, FlameOptions, MergedNodes,
    ObjectionWeight, Per, PerError, Verdict, folded_diff,
};
use wattle_units::{Joules, Nanos};

use self::support::{BIG, Builder, CPU_COMPONENT, DISPLAY, DISPLAY_COMPONENT, LITTLE, STATIC};

fn diff_as(before: &Ledger, after: &Ledger, per: &Per, options: &FlameOptions) -> DiffReport {
    let runs = [("before", before), ("after", after)];
    DiffReport::new(runs, per, options, MergedNodes::default()).expect("a comparison")
}

fn diff(before: &Ledger, after: &Ledger) -> DiffReport {
    diff_as(before, after, &Per::Run, &FlameOptions::default())
}

/// The names from the outermost node to this one.
fn stack(graph: &FlameGraph, node: &FlameNode) -> String {
    let mut names = vec![node.name.as_str()];
    let mut parent = node.parent;
    while let Some(at) = parent.filter(|at| *at > 0) {
        names.push(&graph.nodes[at].name);
        parent = graph.nodes[at].parent;
    }
    names.reverse();
    names.join(";")
}

#[track_caller]
fn node<'a>(report: &'a DiffReport, wanted: &str) -> &'a FlameNode {
    let of = |node: &&FlameNode| stack(&report.graph, node) == wanted;
    let found = report.graph.nodes.iter().find(of);
    found.unwrap_or_else(|| {
        let all: Vec<_> = report.graph.nodes.iter().map(|n| stack(&report.graph, n)).collect();
        panic!("no {wanted} in {all:#?}")
    })
}

/// Energy before, after, and what the difference says; no data is NaN.
#[track_caller]
fn check(found: &Compared, before: f64, after: f64, verdict: Verdict) {
    let near = |figure: wattle_report::Figure, expected: f64| match figure.joules() {
        None => expected.is_nan(),
        Some(joules) => (joules.value() - expected).abs() < 1e-9,
    };
    assert!(near(found.before, before) && near(found.after, after), "{found:?}");
    let or_0 = |value: f64| if value.is_nan() { 0.0 } else { value };
    let change = found.change.expect("a change");
    let difference = or_0(after) - or_0(before);
    assert!((change.joules.value() - difference).abs() < 1e-9, "{change:?}");
    assert!(change.interval.contains(change.joules), "{change:?}");
    assert_eq!(found.verdict(), Some(verdict), "{change:?}");
}

/// An app whose `load` draws so much, on threads of a pool whose numbers differ from run to run.
fn app(pid: u32, load: [f64; 2], also: &str) -> Ledger {
    let mut b = Builder::new(10.0);
    b.pixel();
    let app = b.process(pid, "com.example.app", Some("com.example.app"), 10_000 + pid);
    for (nth, joules) in (0..).zip(load) {
        let name = format!("pool-{}-thread-{}", pid % 7, nth + 1);
        let thread = b.thread(app, pid + nth, &name, 100);
        let root = b.path(thread, None, "", 1, [10, 0]);
        b.pay(root, Charge::Core, BIG, 0.1);
        let load = b.path(thread, Some(root), "load", 3, [40, 60]);
        b.pay(load, Charge::Core, BIG, joules);
        let inner = b.path(thread, Some(load), "load", 1, [40, 60]);
        b.pay(inner, Charge::Shared, STATIC, 0.5);
        let also = b.path(thread, Some(load), also, 2, [5, 5]);
        b.pay(also, Charge::Core, LITTLE, 0.25);
    }
    let other = b.process(1, "init", None, 0);
    let thread = b.thread(other, 1, "init", 1);
    let root = b.path(thread, None, "", 1, [1, 0]);
    b.pay(root, Charge::Core, LITTLE, 0.05);
    let idle = b.account(Account::IdleFloor);
    b.book(idle, CPU_COMPONENT, Charge::Shared, STATIC, 2.0);
    let nobody = b.account(Account::Unattributed);
    b.book(nobody, DISPLAY_COMPONENT, Charge::Device, DISPLAY, 3.0);
    b.ledger
}

#[test]
fn nodes_meet_by_names_without_numbers() {
    let report = diff(&app(100, [1.0, 1.0], "parse"), &app(201, [1.5, 1.0], "decode"));
    let pool = "com.example.app;pool-*-thread-*";
    check(&node(&report, pool).own, 0.2, 0.2, Verdict::Equal);
    let load = node(&report, &format!("{pool};load"));
    check(&load.own, 2.0, 2.5, Verdict::Higher);
    check(&load.total, 3.5, 4.0, Verdict::Higher);
    assert_eq!(load.before.map(|run| run.calls), Some(6));
    assert_eq!(load.after.map(|run| run.cpu), Some(Nanos::new(80_000_000)));
    let gone = node(&report, &format!("{pool};load;parse"));
    check(&gone.own, 0.5, f64::NAN, Verdict::Lower);
    assert!(gone.after.is_none());
    let new = node(&report, &format!("{pool};load;decode"));
    check(&new.own, f64::NAN, 0.5, Verdict::Higher);
    check(&node(&report, "idle floor;cpu").own, 2.0, 2.0, Verdict::Equal);
    check(&report.total, 8.75, 9.25, Verdict::Higher);
    assert!(report.objections.is_empty(), "{:?}", report.objections);
}

#[test]
fn methods_count_once_where_they_call_themselves() {
    let report = diff(&app(100, [1.0, 1.0], "parse"), &app(201, [1.5, 1.0], "decode"));
    let method = |name: &str| report.methods.iter().find(|row| row.name == name).expect("a row");
    check(&method("load").own, 3.0, 3.5, Verdict::Higher);
    check(&method("load").total, 3.5, 4.0, Verdict::Higher);
    assert_eq!(method("load").process, "com.example.app");
    check(&method("parse").total, 0.5, f64::NAN, Verdict::Lower);
    assert_eq!(method("decode").after.map(|run| run.calls), Some(4));
    assert_eq!(report.methods.len(), 3);
}

#[test]
fn threads_of_a_process_can_be_one() {
    let mut options = FlameOptions::default();
    options.by = FlameBy::Process;
    let report =
        diff_as(&app(100, [1.0, 1.0], "a"), &app(201, [2.0, 1.0], "a"), &Per::Run, &options);
    check(&node(&report, "com.example.app;load").own, 2.0, 3.0, Verdict::Higher);
    assert!(report.graph.nodes.iter().all(|node| node.kind != FlameKind::Thread));
}

#[test]
fn processes_of_other_apps_are_one_node() {
    let mut options = FlameOptions::default();
    options.apps = vec!["com.example.app".into()];
    let report =
        diff_as(&app(100, [1.0, 1.0], "a"), &app(201, [2.0, 1.0], "a"), &Per::Run, &options);
    check(&node(&report, "other processes").own, 0.05, 0.05, Verdict::Equal);
    check(&report.total, 8.75, 9.75, Verdict::Higher);
    assert!(report.after.missing_apps.is_empty());
    options.apps = vec!["com.absent".into()];
    let report =
        diff_as(&app(100, [1.0, 1.0], "a"), &app(201, [2.0, 1.0], "a"), &Per::Run, &options);
    assert_eq!(report.after.missing_apps, ["com.absent"]);
}

/// The same in twice the time, and with twice the calls, is half as much of each.
#[test]
fn figures_can_be_of_a_second_or_a_call() {
    let before = app(100, [1.0, 1.0], "a");
    let mut after = app(201, [2.0, 2.0], "a");
    after.recording.window.end = after.recording.window.start + Nanos::from_seconds(20.0);
    for path in after.rows.paths.iter_mut().filter(|path| path.name == "load") {
        path.calls *= 2;
    }
    let of = |per: &Per| diff_as(&before, &after, per, &FlameOptions::default());
    let load = "com.example.app;pool-*-thread-*;load";
    check(&node(&of(&Per::Run), load).own, 2.0, 4.0, Verdict::Higher);
    assert!(of(&Per::Run).objections.iter().any(|objection| objection.code == "length-differs"));
    let second = of(&Per::Second);
    check(&node(&second, load).own, 0.2, 0.2, Verdict::Equal);
    assert_eq!((second.per.before, second.per.after), (10.0, 20.0));
    assert!(second.objections.is_empty());
    // 8 calls, then 16.
    let call = of(&Per::Call("load".into()));
    check(&node(&call, load).own, 0.25, 0.25, Verdict::Equal);
    let none = Per::Call("absent".into()).of([&before, &after]);
    assert!(matches!(none, Err(PerError::NoCalls { run: "the first run", .. })), "{none:?}");
    let empty = Ledger::empty(wattle_timeline::Window::default());
    let none = Per::Second.of([&before, &empty]);
    assert!(matches!(none, Err(PerError::NoTime { run: "the second run" })), "{none:?}");
}

/// Of a curve that both runs rest on only the difference is unsure; of two curves both are.
#[test]
fn errors_of_one_model_are_common() {
    let (before, after) = (app(100, [5.0, 5.0], "a"), app(201, [5.2, 5.2], "a"));
    let load = "com.example.app;pool-*-thread-*;load";
    let report = diff(&before, &after);
    assert!(report.has_common_errors);
    check(&node(&report, load).own, 10.0, 10.4, Verdict::Higher);
    let width = |report: &DiffReport| {
        node(report, load).own.change.expect("a change").interval.half_width().value()
    };
    // 0.4 J wrong by √(0.05² + 0.01²) and Student's 1.645.
    assert!((width(&report) - 0.4 * 0.0026_f64.sqrt() * 1.644_853_6).abs() < 1e-4);
    let mut other = after.clone();
    other.power.model.as_mut().expect("a model").source = "own measurements".into();
    let report = diff(&before, &other);
    assert!(!report.has_common_errors);
    check(&node(&report, load).own, 10.0, 10.4, Verdict::Inconclusive);
    let alone = 0.0026_f64.sqrt() * 10.0_f64.hypot(10.4) * 1.644_853_6;
    assert!((width(&report) - alone).abs() < 1e-6);
}

#[test]
fn what_is_not_comparable_is_refused() {
    #[track_caller]
    fn check(code: &str, weight: ObjectionWeight, change: impl Fn(&mut Ledger)) {
        let before = app(100, [1.0, 1.0], "a");
        let mut after = before.clone();
        change(&mut after);
        for report in [diff(&before, &after), diff(&after, &before)] {
            let found: Vec<_> = report.objections.iter().map(|o| (o.code, o.weight)).collect();
            assert!(found.contains(&(code, weight)), "{code}: {:?}", report.objections);
        }
    }
    use ObjectionWeight::Refusal;
    check("model-differs", Refusal, |l| l.power.model.as_mut().expect("one").name = "other".into());
    check("model-differs", Refusal, |l| {
        l.power.model.as_mut().expect("one").kind = "profile".into();
    });
    check("model-differs", Refusal, |l| l.power.model = None);
    check("model-version-differs", Refusal, |l| l.power.model.as_mut().expect("one").version = 2);
    check("policy-differs", Refusal, |l| l.power.shared_policy = "none".into());
    check("device-differs", Refusal, |l| l.recording.device.model = Some("Pixel 9".into()));
    check("scheduler-differs", Refusal, |l| l.recording.has_scheduler = false);
}

/// A model whose numbers were changed under its name and version.
#[test]
fn numbers_of_one_name_may_be_others() {
    let before = app(100, [1.0, 1.0], "a");
    let mut after = before.clone();
    after.power.errors.groups[1].shared = 0.07;
    let report = diff(&before, &after);
    let [objection] = report.objections.as_slice() else { panic!("{:?}", report.objections) };
    assert_eq!(
        (objection.code, objection.weight),
        ("model-numbers-differ", ObjectionWeight::Warning)
    );
    assert!(objection.text.contains("policy 6") && !objection.text.contains("policy 0"));
    assert!(!report.has_common_errors);
    // The numbers of policy 0 are the same, those of policy 6 are not.
    let width = |of: &str| node(&report, of).own.change.expect("a change").interval.half_width();
    assert_eq!(width("idle floor;cpu"), Joules::ZERO);
    assert!(width("com.example.app;pool-*-thread-*;load") > Joules::ZERO);
}

#[test]
fn what_a_recording_does_not_say_of_its_device_is_no_other_device() {
    let before = app(100, [1.0, 1.0], "a");
    let mut after = before.clone();
    after.recording.device.codename = None;
    let codes =
        |after: &Ledger| diff(&before, after).objections.iter().map(|o| o.code).collect::<Vec<_>>();
    assert!(codes(&after).is_empty());
    after.recording.device = wattle_timeline::DeviceFacts::default();
    assert_eq!(codes(&after), ["device-unknown"]);
}

#[test]
fn systems_are_compared_where_both_are_known() {
    let mut before = app(100, [1.0, 1.0], "a");
    before.recording.device.fingerprint = Some("google/bluejay/bluejay:13/A".into());
    let mut after = before.clone();
    after.recording.device.fingerprint = Some("google/bluejay/bluejay:14/B".into());
    let codes: Vec<_> = diff(&before, &after).objections.iter().map(|o| o.code).collect();
    assert_eq!(codes, ["system-differs"]);
}

/// No data is not 0: a component of one run is shown and not compared.
#[test]
fn components_of_one_run_are_not_compared() {
    let before = app(100, [1.0, 1.0], "a");
    let mut after = before.clone();
    after.rows.components.truncate(1);
    after.bookings.retain(|booking| booking.component == CPU_COMPONENT);
    let report = diff(&before, &after);
    check(&report.total, 5.75, 5.75, Verdict::Equal);
    let row = |name: &str| {
        report.components.iter().find(|row| row.name.name() == name).expect("a row").energy
    };
    check(&row("cpu"), 5.75, 5.75, Verdict::Equal);
    assert_eq!(row("display").before.joules(), Some(Joules::new(3.0)));
    assert_eq!((row("display").after.joules(), row("display").change), (None, None));
    assert!(report.objections.iter().any(|objection| objection.code == "components-differ"));
    after.rows.components.clear();
    after.bookings.clear();
    assert!(!diff(&before, &after).has_energy());
}

#[test]
fn the_class_is_what_most_samples_found() {
    let ledger = |samples: [u64; 2]| {
        let mut ledger = app(100, [1.0, 1.0], "a");
        for class in [FrameClass::Java, FrameClass::Jit] {
            let frame = FrameEntry {
                class,
                function: Some("load".into()),
                mapping: None,
                inlined: false,
                file: None,
                line: None,
            };
            ledger.rows.frames.push(frame);
        }
        let load = ledger.rows.paths.iter_mut().filter(|path| path.name == "load");
        for (nth, path) in load.enumerate().filter(|(nth, _)| nth % 2 == 0) {
            path.frame = Some(nth as u32 / 2);
            path.samples = samples[nth / 2];
        }
        ledger
    };
    let options = FlameOptions::default();
    let class = |samples| {
        let graph = FlameGraph::new(&ledger(samples), &options, 1000);
        let load = graph.nodes.iter().find(|node| node.name == "load").expect("a node");
        (load.class, load.after.map(|run| run.samples))
    };
    assert_eq!(class([5, 3]), (Some(FrameClass::Java), Some(8)));
    assert_eq!(class([3, 5]), (Some(FrameClass::Jit), Some(8)));
}

/// Read as `flamegraph.pl` reads it: the last two words are numbers, the rest are frames.
fn read_folded(text: &str) -> Vec<(Vec<String>, [u64; 2])> {
    let line = |line: &str| {
        let (rest, after) = line.rsplit_once(' ').expect("a last word");
        let (stack, before) = rest.rsplit_once(' ').expect("a word before");
        let number = |word: &str| word.parse().expect("a number");
        let frames = stack.split(';').map(str::to_owned).collect();
        (frames, [number(before), number(after)])
    };
    text.lines().map(line).collect()
}

#[test]
fn collapsed_stacks_have_both_runs() {
    let (before, after) = (app(100, [1.0, 1.0], "a;b\nc"), app(201, [1.5, 1.0], "decode"));
    let per = Per::Run.of([&before, &after]).expect("a unit");
    let text = folded_diff([&before, &after], &per, &FlameOptions::default());
    let lines = read_folded(&text);
    let of = |wanted: &str| {
        let line = lines.iter().find(|(frames, _)| frames.join(";") == wanted);
        line.unwrap_or_else(|| panic!("no {wanted} in {text}")).1
    };
    let pool = "com.example.app;pool-*-thread-*";
    assert_eq!(of(&format!("{pool};load")), [2_000_000, 2_500_000]);
    assert_eq!(of(&format!("{pool};load;a:b\u{fffd}c")), [500_000, 0]);
    assert_eq!(of(&format!("{pool};load;decode")), [0, 500_000]);
    assert_eq!(of("[idle floor];[cpu]"), [2_000_000, 2_000_000]);
    let sum = |run: usize| lines.iter().map(|(_, units)| units[run]).sum::<u64>();
    assert_eq!([sum(0), sum(1)], [8_750_000, 9_250_000]);
}

/// Who pays a booking: a call below one of the earlier paths, or an account that is no thread's.
#[derive(Clone, Debug)]
enum Payer {
    Call { thread: usize, caller: usize, name: u8 },
    Other(u8),
}

type Line = (Payer, usize, u16, f64);

fn lines() -> impl Strategy<Value = Vec<Line>> {
    let payer = prop_oneof![
        4 => (0..4_usize, any::<usize>(), 0..4_u8)
            .prop_map(|(thread, caller, name)| Payer::Call { thread, caller, name }),
        1 => (0..6_u8).prop_map(Payer::Other),
    ];
    prop::collection::vec((payer, 0..5_usize, 0..5_u16, 1e-9..10.0_f64), 1..60)
}

fn ledger(lines: &[Line]) -> Ledger {
    let mut b = Builder::new(5.0);
    b.pixel();
    let app = b.process(10, "app", Some("app"), 10_001);
    let other = b.process(20, "other", Some("other"), 10_002);
    let process = |nth| if nth < 2 { app } else { other };
    let threads: Vec<_> =
        (0..4).map(|nth| b.thread(process(nth), 10 + nth, &format!("t-{}", nth % 3), 7)).collect();
    let mut paths: Vec<Vec<PathId>> =
        threads.iter().map(|thread| vec![b.path(*thread, None, "", 1, [0, 0])]).collect();
    for (payer, charge, source, joules) in lines {
        let account = match payer {
            Payer::Call { thread, caller, name } => {
                let caller = paths[*thread][caller % paths[*thread].len()];
                let name = ["a", "b", "c", "d"][usize::from(*name)];
                let path = b.path(threads[*thread], Some(caller), name, 1, [1, 1]);
                paths[*thread].push(path);
                Account::Path { path }
            }
            Payer::Other(0) => Account::App { uid: 10_001 },
            Payer::Other(1) => Account::Interrupts { handler: "irq".into() },
            Payer::Other(2) => Account::IdleFloor,
            Payer::Other(3) => Account::ProfilingOverhead { path: paths[0].last().copied() },
            Payer::Other(4) => Account::Unmetered,
            Payer::Other(_) => Account::Unattributed,
        };
        let account = b.account(account);
        let component =
            [CPU_COMPONENT, DISPLAY_COMPONENT, support::GPU_COMPONENT][usize::from(source / 2)];
        b.book(account, component, Charge::ALL[*charge], SourceId(*source), *joules);
    }
    b.ledger
}

fn total(lines: &[Line]) -> f64 {
    lines.iter().map(|(.., joules)| joules).sum()
}

fn options(by_process: bool, app: bool) -> FlameOptions {
    let mut options = FlameOptions::default();
    options.by = if by_process { FlameBy::Process } else { FlameBy::Thread };
    options.apps = if app { vec!["app".into()] } else { Vec::new() };
    options
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The sum of all nodes' differences is the difference of the totals, however many nodes were left out.
    #[test]
    fn differences_close(
        before in lines(), after in lines(),
        by_process in any::<bool>(), app in any::<bool>(), most in 1..60_usize,
    ) {
        let ledgers = [("a", &ledger(&before)), ("b", &ledger(&after))];
        let options = options(by_process, app);
        let report = DiffReport::new(ledgers, &Per::Run, &options, MergedNodes(most)).expect("one");
        let expected = [total(&before), total(&after)];
        let scale = expected[0] + expected[1];
        let near = |found: f64, expected: f64| (found - expected).abs() <= 1e-9 * scale;
        let nodes = &report.graph.nodes;
        let sum = |of: &dyn Fn(&FlameNode) -> Option<Joules>| -> f64 {
            nodes.iter().filter_map(of).map(Joules::value).sum()
        };
        prop_assert!(near(sum(&|n| n.own.before.joules()), expected[0]));
        prop_assert!(near(sum(&|n| n.own.after.joules()), expected[1]));
        prop_assert!(near(sum(&|n| Some(n.own.joules())), expected[1] - expected[0]));
        prop_assert!(near(report.total.joules().value(), expected[1] - expected[0]));
        let components: f64 = report.components.iter().map(|c| c.energy.joules().value()).sum();
        prop_assert!(near(components, expected[1] - expected[0]));
        for (at, node) in nodes.iter().enumerate() {
            prop_assert!(node.parent.is_none_or(|parent| parent < at));
            let below = nodes.iter().filter(|child| child.parent == Some(at));
            let below: f64 = below.map(|child| child.total.joules().value()).sum();
            prop_assert!(near(node.total.joules().value(), node.own.joules().value() + below));
            let parts: f64 = node.components.iter().map(|c| c.total.joules().value()).sum();
            prop_assert!(near(node.total.joules().value(), parts));
            for compared in [&node.own, &node.total] {
                if let Some(change) = compared.change {
                    prop_assert!(change.interval.low <= change.joules && change.joules <= change.interval.high);
                }
            }
        }
        prop_assert!(nodes.iter().filter(|node| node.kind != FlameKind::Rest).count() <= most.max(1));
    }

    #[test]
    fn a_ledger_differs_from_itself_by_nothing(of in lines()) {
        let ledger = ledger(&of);
        let report = diff(&ledger, &ledger);
        for node in &report.graph.nodes {
            for compared in [&node.own, &node.total].into_iter().chain(node.components.iter().map(|c| &c.total)) {
                prop_assert_eq!(compared.joules(), Joules::ZERO);
                prop_assert!(compared.verdict().is_none_or(|v| v == Verdict::Equal));
            }
        }
        prop_assert!(report.methods.iter().all(|row| row.own.joules() == Joules::ZERO));
        prop_assert!(report.objections.is_empty());
    }

    #[test]
    fn swapped_runs_negate(before in lines(), after in lines()) {
        let (before, after) = (ledger(&before), ledger(&after));
        let (there, back) = (diff(&before, &after), diff(&after, &before));
        let scale = there.total.before.joules().unwrap_or_default() + there.total.after.joules().unwrap_or_default();
        let near = |a: Joules, b: Joules| (a + b).value().abs() <= 1e-9 * scale.value();
        prop_assert_eq!(there.graph.nodes.len(), back.graph.nodes.len());
        for node in &there.graph.nodes {
            let wanted = stack(&there.graph, node);
            let kind = node.kind;
            let other = back.graph.nodes.iter().find(|n| n.kind == kind && stack(&back.graph, n) == wanted);
            let other = other.expect("the same node");
            prop_assert_eq!(node.before, other.after);
            for (a, b) in [(&node.own, &other.own), (&node.total, &other.total)] {
                prop_assert!(near(a.joules(), b.joules()));
                if let (Some(a), Some(b)) = (a.change, b.change) {
                    prop_assert!(near(a.interval.low, b.interval.high), "{:?} {:?}", a, b);
                    prop_assert!(near(a.interval.high, b.interval.low));
                }
            }
        }
    }

    #[test]
    fn collapsed_stacks_keep_both_sums(before in lines(), after in lines(), app in any::<bool>()) {
        let ledgers = [&ledger(&before), &ledger(&after)];
        let per = Per::Run.of(ledgers).expect("a unit");
        let read = read_folded(&folded_diff(ledgers, &per, &options(false, app)));
        for (run, lines) in [before, after].iter().enumerate() {
            let sum: u64 = read.iter().map(|(_, units)| units[run]).sum();
            prop_assert!((sum as f64 - total(lines) * 1e6).abs() <= 1.0);
        }
    }
}

/// As many paths as a long run on a busy phone has.
#[test]
fn large_trees_are_cut_and_keep_their_sums() {
    let before = support::busy(2000, 50_000);
    let report = diff(&before, &support::busy(2000, 60_000));
    assert!(report.graph.nodes.len() < 50_000, "{}", report.graph.nodes.len());
    assert!(report.graph.left_out > 10_000);
    let sum: Joules = report.graph.nodes.iter().map(|node| node.own.joules()).sum();
    assert!((sum - report.total.joules()).value().abs() < 1e-9);
    let rest = report.graph.nodes.iter().find(|node| node.kind == FlameKind::Rest);
    assert!(rest.is_some_and(|rest| rest.total.change.is_some()));
}

/// The JSON form of a comparison follows its schema.
#[test]
fn comparisons_follow_their_schema() {
    #[track_caller]
    fn check(report: &DiffReport) {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../docs/schema/diff-1.schema.json");
        let text = std::fs::read_to_string(file).expect("the schema is in the repository");
        let schema = serde_json::from_str(&text).expect("the schema is JSON");
        let validator = jsonschema::draft202012::new(&schema).expect("the schema is a schema");
        let value = serde_json::to_value(report).expect("JSON");
        let errors: Vec<_> = validator
            .iter_errors(&value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
    let empty = Ledger::empty(wattle_timeline::Window::default());
    let phone = support::phone();
    check(&diff(&phone, &support::recorded_phone()));
    check(&diff(&phone, &empty));
    check(&diff(&empty, &empty));
    check(&diff(&app(100, [1.0, 1.0], "a"), &app(201, [1.5, 1.0], "b")));
    let options = options(true, true);
    check(&diff_as(&support::busy(50, 900), &support::busy(40, 800), &Per::Second, &options));
    check(&diff_as(&phone, &phone, &Per::Call("layout".into()), &options));
}

/// Energy that probes took from a path is uncertain there and at the probes, but not in sum.
#[test]
fn probes_leave_their_doubt() {
    let with = |joules: f64| {
        let mut ledger = support::recorded_phone();
        let probes = |ledger: &Ledger, account: usize| {
            matches!(ledger.rows.accounts[account], Account::ProfilingOverhead { path: Some(_) })
        };
        let of: Vec<bool> =
            ledger.bookings.iter().map(|b| probes(&ledger, b.account.0 as usize)).collect();
        assert!(of.contains(&true));
        for (booking, _) in ledger.bookings.iter_mut().zip(of).filter(|(_, is_probes)| *is_probes) {
            booking.joules = Joules::new(joules);
        }
        ledger
    };
    // The same energy of everything; what was taken off for probes is unsure in each run on its own.
    let (small, large) = (diff(&with(1e-9), &with(1e-9)), diff(&with(0.5), &with(0.5)));
    let width = |report: &DiffReport, of: &str| {
        node(report, of).total.change.expect("a change").interval.half_width().value()
    };
    assert!(width(&small, "com.example.app") < 1e-6);
    assert!(width(&large, "com.example.app") > 1e-3);
    assert!(width(&large, "profiling overhead") > 1e-3);
    assert_eq!(large.total.change.map(|change| change.interval.half_width()), Some(Joules::ZERO));
}

/// Text of the terminal view, no line of which is wider than the terminal.
#[test]
fn a_terminal_shows_what_changed() {
    #[track_caller]
    fn check(report: &DiffReport, columns: usize, words: &[&str]) -> String {
        let mut options = wattle_report::ReportOptions::default();
        options.width = Some(columns);
        options.top = 2;
        let text = wattle_report::diff_terminal(report, &options);
        for line in text.lines() {
            assert!(unicode_width::UnicodeWidthStr::width(line) <= columns, "{line:?} in\n{text}");
        }
        for word in words {
            assert!(text.contains(word), "no {word:?} in\n{text}");
        }
        text
    }
    let report = diff(&app(100, [1.0, 1.0], "parse"), &app(201, [1.5, 1.0], "decode"));
    let text = check(
        &report,
        100,
        &[
            "before  before: 10.0 s, Pixel 6a, model Tensor",
            "+500 mJ",
            "Largest change of self energy (com.example.app)",
            "New methods (com.example.app)",
            "decode",
            "Removed methods (com.example.app)",
            "parse",
            "higher",
            "lower",
            "its error cancels",
        ],
    );
    // Row and columns as a reader finds them: 3 J before, 3.5 J after.
    let load: Vec<&str> = text
        .lines()
        .find(|line| line.contains("load"))
        .expect("a row")
        .split_whitespace()
        .collect();
    assert_eq!(load[..7], ["load", "3.00", "J", "3.50", "J", "+500", "mJ"]);
    check(&report, 80, &["+500 mJ"]);

    // Names of others do not reach the terminal as they are.
    let report = diff(&support::phone(), &support::recorded_phone());
    let text = check(&report, 100, &["profiling"; 0]);
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));

    let second = diff_as(
        &app(100, [1.0, 1.0], "a"),
        &app(201, [2.0, 1.0], "a"),
        &Per::Second,
        &FlameOptions::default(),
    );
    check(&second, 100, &["figures are of a second, as watts", "+100 mW"]);
    let mut other = app(201, [2.0, 1.0], "a");
    other.recording.device.model = Some("Pixel 9".into());
    let refused = diff(&app(100, [1.0, 1.0], "a"), &other);
    check(&refused, 100, &["not comparable: the devices differ", "Pixel 6a before"]);
}

/// The comparison in 25 lines: the verdict first, what explains it, whether the runs are comparable.
#[test]
fn a_summary_answers_first() {
    #[track_caller]
    fn check(report: &DiffReport, columns: usize, first: &str, words: &[&str]) {
        let mut options = wattle_report::ReportOptions::default();
        options.width = Some(columns);
        let next = ["wattle diff … --full".to_owned()];
        let text = wattle_report::diff_summary(report, &next, &options);
        assert!(text.starts_with(first), "{text}");
        assert!(text.lines().count() <= 25, "{text}");
        for line in text.lines() {
            assert!(unicode_width::UnicodeWidthStr::width(line) <= columns, "{line:?} in\n{text}");
        }
        for word in words {
            assert!(text.contains(word), "no {word:?} in\n{text}");
        }
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
    }
    let recorded = |pid: u32, load: [f64; 2], also: &str| {
        let mut ledger = app(pid, load, also);
        ledger.recording.apps = vec!["com.example.app".to_owned()];
        ledger
    };
    let report = diff(&recorded(100, [1.0, 1.0], "parse"), &recorded(201, [1.5, 1.0], "decode"));
    let words =
        ["+500 mJ  ", "threshold ", "↑ load", "↑ decode", "↓ parse", "! one run each", "--full"];
    for columns in [80, 100, 200] {
        check(&report, columns, "↑ HIGHER  com.example.app   3.70 J → 4.20 J", &words);
    }
    let same = recorded(100, [1.0, 1.0], "parse");
    check(&diff(&same, &same), 100, "≈ EQUAL  com.example.app", &["0 J", "same model"]);
    check(&diff(&support::phone(), &support::recorded_phone()), 100, "", &["Comparable?"]);
    let second =
        diff_as(&same, &recorded(201, [2.0, 1.0], "parse"), &Per::Second, &FlameOptions::default());
    check(&second, 100, "↑ HIGHER", &["+100 mW", "(mean)"]);
    let mut other = recorded(201, [2.0, 1.0], "a");
    other.recording.device.model = Some("Pixel 9".into());
    check(&diff(&same, &other), 100, "", &["× device differs", "Pixel 6a before"]);
    let none = Ledger::empty(wattle_timeline::Window::default());
    check(&diff(&none, &none), 100, "– NOT KNOWN IN BOTH", &[]);
}

/// An app's energy is what the report says: all its processes, and the hardware that it used as a whole.
#[test]
fn an_app_has_the_energy_of_its_report() {
    let mut ledger = support::phone();
    ledger.recording.apps = vec!["com.example.app".to_owned()];
    let mut options = wattle_report::ReportOptions::default();
    options.apps.clone_from(&ledger.recording.apps);
    let report = wattle_report::Report::new(&ledger, &options);
    let expected = report.software.app.expect("an app").energy.joules().expect("an energy");
    let diff = diff(&ledger, &ledger);
    let headline = &diff.headlines()[0];
    let found = headline.energy.before.joules().expect("an energy");
    assert!((found - expected).abs() < expected * 1e-9, "{found}, expected {expected}");
    let parts = headline.components.iter().filter_map(|(_, part)| part.before.joules());
    assert!((parts.sum::<Joules>() - expected).abs() < expected * 1e-9);
}
