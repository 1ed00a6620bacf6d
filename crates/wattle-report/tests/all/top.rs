//! Call trees that are opened node by node.

use crate::support;
use proptest::prelude::*;
use support::{BIG, Builder, CPU_COMPONENT, GPU, GPU_COMPONENT, STATIC};
use wattle_ledger::{Account, Charge, ComponentId, FrameClass, FrameEntry, Ledger, PathId};
use wattle_power::SourceId;
use wattle_report::{
    EnergyForest, EnergyPaths, ForestColumn, ForestKind, ForestNode, ForestRowKind, ForestView,
    ReportOptions, TopOptions, TopReport, top_terminal,
};

const VIEWS: [ForestView; 3] = [ForestView::Calls, ForestView::Callers, ForestView::Functions];

/// One app of two threads, 10 J:
///
/// | path | self |
/// |---|---|
/// | main | 1 |
/// | main; draw | 2, and 0.5 by the GPU |
/// | main; draw; layout | 1.5 |
/// | main; draw; layout; layout | 1 |
/// | worker; layout | 2.5 |
/// | idle floor | 1.5 |
fn ledger() -> Ledger {
    let mut b = Builder::new(10.0);
    b.pixel();
    let app = b.process(10, "com.app", Some("com.app"), 10_001);
    let main = b.thread(app, 10, "main", 60);
    let root = b.path(main, None, "", 0, [10, 0]);
    let draw = b.path(main, Some(root), "draw", 3, [20, 30]);
    let layout = b.path(main, Some(draw), "layout", 4, [10, 10]);
    let nested = b.path(main, Some(layout), "layout", 5, [10, 10]);
    let worker = b.thread(app, 11, "worker", 60);
    let other = b.path(worker, None, "", 0, [0, 0]);
    let elsewhere = b.path(worker, Some(other), "layout", 6, [30, 30]);
    for (path, joules) in [(root, 1.0), (draw, 2.0), (layout, 1.5), (nested, 1.0), (elsewhere, 2.5)]
    {
        b.pay(path, Charge::Core, BIG, joules);
    }
    let account = b.account(Account::Path { path: draw });
    b.book(account, GPU_COMPONENT, Charge::Device, GPU, 0.5);
    let idle = b.account(Account::IdleFloor);
    b.book(idle, CPU_COMPONENT, Charge::Shared, STATIC, 1.5);
    b.ledger
}

/// The whole forest as lines: depth, name, total, own.
fn lines(ledger: &Ledger, view: ForestView, app_only: bool) -> Vec<String> {
    let paths = EnergyPaths::new(ledger, &["com.app".to_owned()]);
    let mut forest = EnergyForest::new(&paths, view, app_only);
    let mut lines = Vec::new();
    walk(&mut forest, &paths, |forest, node| {
        let indent = "  ".repeat(forest.depth(node) as usize);
        let (total, own) = (forest.total(&paths, node, None), forest.own(&paths, node, None));
        lines.push(format!("{indent}{} {total} {own}", forest.label(&paths, node)));
    });
    lines
}

fn walk(
    forest: &mut EnergyForest,
    paths: &EnergyPaths<'_>,
    mut visit: impl FnMut(&mut EnergyForest, ForestNode),
) {
    let mut open: Vec<ForestNode> = forest.roots().iter().rev().copied().collect();
    while let Some(node) = open.pop() {
        visit(forest, node);
        open.extend(forest.children(paths, node).iter().rev());
    }
}

#[test]
fn calls_from_process_to_callee() {
    assert_eq!(
        lines(&ledger(), ForestView::Calls, false),
        [
            "com.app (10) 8.5 0",
            "  main [10] 6 1",
            "    draw 5 2.5",
            "      layout 2.5 1.5",
            "        layout 1 1",
            "  worker [11] 2.5 0",
            "    layout 2.5 2.5",
            "<idle floor> 1.5 1.5",
        ]
    );
    assert_eq!(lines(&ledger(), ForestView::Calls, true).len(), 7);
}

#[test]
fn callers_from_callee_to_thread() {
    assert_eq!(
        lines(&ledger(), ForestView::Callers, true),
        [
            "layout 5 0",
            "  worker [11] 2.5 2.5",
            "  draw 1.5 0",
            "    main [10] 1.5 1.5",
            "  layout 1 0",
            "    draw 1 0",
            "      main [10] 1 1",
            "draw 2.5 0",
            "  main [10] 2.5 2.5",
            "main [10] 1 1",
        ]
    );
}

#[test]
fn functions_count_recursion_once() {
    assert_eq!(
        lines(&ledger(), ForestView::Functions, false),
        ["draw 5 2.5", "layout 5 5", "<idle floor> 1.5 1.5", "main [10] 1 1"]
    );
}

#[test]
fn rows_are_ordered_by_any_column() {
    let ledger = ledger();
    let paths = EnergyPaths::new(&ledger, &[]);
    let mut forest = EnergyForest::new(&paths, ForestView::Functions, false);
    for (column, descending, first) in [
        (ForestColumn::Total, true, "draw"),
        (ForestColumn::Total, false, "main [10]"),
        (ForestColumn::Own, true, "layout"),
        (ForestColumn::Name, false, "<idle floor>"),
        (ForestColumn::Name, true, "main [10]"),
        (ForestColumn::Cpu, true, "layout"),
        (ForestColumn::Calls, true, "layout"),
        (ForestColumn::Component(ComponentId(2)), true, "draw"),
    ] {
        forest.sort(&paths, column, descending);
        let found = forest.label(&paths, forest.roots()[0]);
        assert_eq!(found, first, "{column:?} {descending}");
    }
}

#[test]
fn details_say_where_code_is() {
    let mut ledger = ledger();
    ledger.rows.frames.push(FrameEntry {
        class: FrameClass::Native,
        function: Some("draw".into()),
        mapping: Some("/apex/libhwui.so".into()),
        inlined: true,
        file: Some("draw.cpp".into()),
        line: Some(12),
    });
    ledger.rows.paths[1].frame = Some(0);
    let paths = EnergyPaths::new(&ledger, &[]);
    let mut forest = EnergyForest::new(&paths, ForestView::Calls, false);
    let process = forest.roots()[0];
    let thread = forest.children(&paths, process)[0];
    let draw = forest.children(&paths, thread)[0];
    let details = forest.details(&paths, draw);
    for (what, text) in [
        ("self", "2.50 J"),
        ("components", "cpu 4.50 J (self 2.00 J), gpu 500 mJ (self 500 mJ)"),
        ("frame", "sampled, native, inlined"),
        ("file", "draw.cpp:12"),
        ("mapping", "/apex/libhwui.so"),
        ("threads", "main [10]"),
    ] {
        let found = details.iter().find(|it| it.what == what).expect(what);
        assert_eq!(found.text, text);
    }
}

#[test]
fn as_text() {
    let ledger = ledger();
    let paths = EnergyPaths::new(&ledger, &[]);
    let mut options = TopOptions::default();
    insta::assert_snapshot!(
        "calls",
        top_terminal(&TopReport::new(&paths, &options), &ReportOptions::default())
    );
    options.depth = 2;
    options.least_share = 0.3;
    insta::assert_snapshot!(
        "cut",
        top_terminal(&TopReport::new(&paths, &options), &ReportOptions::default())
    );
    options.view = ForestView::Functions;
    insta::assert_snapshot!(
        "functions",
        top_terminal(&TopReport::new(&paths, &options), &ReportOptions::default())
    );
}

#[test]
fn json_is_what_its_schema_says() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema/top-1.schema.json");
    let schema =
        serde_json::from_str(&std::fs::read_to_string(folder).expect("schema")).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    for ledger in [ledger(), support::phone(), support::no_energy()] {
        let paths = EnergyPaths::new(&ledger, &[]);
        for view in VIEWS {
            let mut options = TopOptions::default();
            options.view = view;
            options.least_share = 0.2;
            let value = serde_json::to_value(TopReport::new(&paths, &options)).expect("JSON");
            let errors: Vec<_> = validator.iter_errors(&value).map(|it| it.to_string()).collect();
            assert!(errors.is_empty(), "{errors:?}");
        }
    }
}

#[test]
fn without_energy_by_cpu_time() {
    let ledger = support::no_energy();
    let paths = EnergyPaths::new(&ledger, &[]);
    let forest = EnergyForest::new(&paths, ForestView::Calls, false);
    assert_eq!(forest.order(), (ForestColumn::Cpu, true));
    let times: Vec<_> =
        forest.roots().iter().map(|root| forest.value(&paths, *root, ForestColumn::Cpu)).collect();
    assert!(times.is_sorted_by(|a, b| a >= b) && times[0] > Some(0.0), "{times:?}");
    assert_eq!(forest.value(&paths, forest.roots()[0], ForestColumn::Total), None);
    let text =
        top_terminal(&TopReport::new(&paths, &TopOptions::default()), &ReportOptions::default());
    assert!(!text.contains(" J"), "no data is not 0 J:\n{text}");
}

/// Paths of three threads, each below one of the earlier, and links that no ledger of ours has.
fn any_ledger() -> impl Strategy<Value = Ledger> {
    let call =
        (0..3_u32, any::<prop::sample::Index>(), 0..4_u8, 0..5_u16, 1e-6..10.0_f64, any::<bool>());
    prop::collection::vec(call, 1..60).prop_map(|calls| {
        let mut b = Builder::new(5.0);
        b.pixel();
        let app = b.process(10, "com.app", Some("com.app"), 10_001);
        let other = b.process(20, "other", None, 10_002);
        for (nth, process) in [app, other, app].into_iter().enumerate() {
            let thread = b.thread(process, 10 + nth as u32, "t", 7);
            b.path(thread, None, "", 1, [0, 0]);
        }
        for (thread, caller, name, source, joules, is_idle) in calls {
            let name = ["a", "b", "c", "d"][usize::from(name)];
            // Also itself, onwards and on other threads.
            let caller = PathId(caller.index(b.ledger.rows.paths.len() + 1) as u32);
            let path = b.path(thread, Some(caller), name, 1, [1, 1]);
            let account = if is_idle { Account::IdleFloor } else { Account::Path { path } };
            let account = b.account(account);
            b.book(account, ComponentId(source / 2), Charge::Core, SourceId(source), joules);
        }
        b.ledger
    })
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * expected.abs().max(1.0)
}

proptest! {
    #[test]
    fn every_node_is_itself_and_its_children(ledger in any_ledger(), app_only in any::<bool>()) {
        let paths = EnergyPaths::new(&ledger, &["com.app".to_owned()]);
        let booked: f64 = ledger.bookings.iter().map(|it| it.joules.value()).sum();
        for view in [ForestView::Calls, ForestView::Callers] {
            let mut forest = EnergyForest::new(&paths, view, app_only);
            let roots: f64 = forest.roots().iter().map(|it| forest.total(&paths, *it, None)).sum();
            prop_assert!(app_only || near(roots, booked), "{roots} {booked}");
            let mut nodes = Vec::new();
            walk(&mut forest, &paths, |_, node| nodes.push(node));
            for node in nodes {
                let children = forest.known_children(node).to_vec();
                for through in [None, Some(ComponentId(0)), Some(ComponentId(2))] {
                    let total = forest.total(&paths, node, through);
                    let below: f64 =
                        children.iter().map(|it| forest.total(&paths, *it, through)).sum();
                    let own = forest.own(&paths, node, through);
                    prop_assert!(near(own + below, total), "{view:?}: {own} + {below} = {total}");
                }
                let figure = forest.figure(&paths, node);
                let (figure, total) = (figure.joules(), forest.total(&paths, node, None));
                prop_assert!(near(figure.map_or(0.0, wattle_units::Joules::value), total));
                prop_assert_eq!(forest.has_children(&paths, node), !children.is_empty());
            }
        }
    }

    /// Functions: what they drew themselves is everything, and none has more than everything.
    #[test]
    fn functions_overlap_and_their_own_energies_do_not(ledger in any_ledger()) {
        let paths = EnergyPaths::new(&ledger, &[]);
        let forest = EnergyForest::new(&paths, ForestView::Functions, false);
        let booked: f64 = ledger.bookings.iter().map(|it| it.joules.value()).sum();
        let own: f64 = forest.roots().iter().map(|it| forest.own(&paths, *it, None)).sum();
        prop_assert!(near(own, booked), "{own} {booked}");
        for node in forest.roots() {
            let (own, total) = (forest.own(&paths, *node, None), forest.total(&paths, *node, None));
            prop_assert!(own <= total + 1e-9 && total <= booked + 1e-9);
            if let ForestKind::Function(_) = forest.kind(*node) {
                let figure = forest.figure(&paths, *node).joules().map_or(0.0, wattle_units::Joules::value);
                prop_assert!(near(figure, total), "{figure} {total}");
            }
        }
    }

    /// Nodes too small to be listed are in the sum all the same.
    #[test]
    fn rows_sum_up_to_the_row_above(ledger in any_ledger(), least_share in 0.0..0.3_f64) {
        let paths = EnergyPaths::new(&ledger, &[]);
        let mut options = TopOptions::default();
        options.least_share = least_share;
        options.depth = 100;
        for view in [ForestView::Calls, ForestView::Callers] {
            options.view = view;
            let report = TopReport::new(&paths, &options);
            let joules = |row: &wattle_report::ForestRow| row.energy.joules().map_or(0.0, wattle_units::Joules::value);
            let below = |parent: Option<usize>| -> f64 {
                report.rows.iter().filter(|row| row.parent == parent).map(joules).sum()
            };
            let booked: f64 = ledger.bookings.iter().map(|it| it.joules.value()).sum();
            prop_assert!(near(below(None), booked));
            for (at, row) in report.rows.iter().enumerate() {
                if row.kind == ForestRowKind::Rest || !report.rows.iter().any(|it| it.parent == Some(at)) {
                    continue;
                }
                let own = row.self_joules.map_or(0.0, wattle_units::Joules::value);
                prop_assert!(near(own + below(Some(at)), joules(row)), "{:?}", row);
            }
        }
    }
}
