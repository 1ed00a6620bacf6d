//! The rule about the runtime's tax.

use wattle_diagnose::FindingSeverity::Warning;

use super::scene::{Expected, Scene, check};

#[test]
fn jit_gc_tax() {
    let runtime = |millis: f64| {
        let collects =
            [(0.0, millis, "Background concurrent copying GC", 0), (1000.0, 2000.0, "work", 0)];
        Scene::new(10_000.0)
            .runs([(0.0, millis, 1, true), (1000.0, 2000.0, 1, true)])
            .slices(1, &collects)
            .core(1.0)
    };
    let expected = Expected {
        severity: Warning,
        who: Some("com.example.app"),
        says: "33 % of its CPU time",
        when: Some((0.0, 10_000.0)),
        place: None,
        joules: Some(0.5),
    };
    check("jit-gc-tax", &runtime(500.0), &runtime(100.0), ("least-share", 0.4), expected);
}
