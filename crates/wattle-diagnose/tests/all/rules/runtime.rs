//! The rules about what the runtime takes.

use std::fmt::Write as _;

use wattle_diagnose::FindingSeverity::Warning;
use wattle_ingest::read_bytes;

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

/// A script of perf with a sample each 4 ms of one thread: stacks from the innermost frame, with their files.
fn sampled(stacks: &[&[(&str, &str)]]) -> Vec<wattle_diagnose::Finding> {
    let mut script = String::new();
    for (index, stack) in (0_u32..).zip(stacks.iter().cycle().take(200)) {
        let time = 10.0 + f64::from(index) * 0.004;
        writeln!(script, "Parser 700/701 [001] {time:.6}:    4000000 cpu-clock: ").unwrap();
        for (function, file) in *stack {
            writeln!(script, "\t    7f81ee50c5d7 {function} ({file})").unwrap();
        }
        script.push('\n');
    }
    let timeline = read_bytes("perf.txt", script.as_bytes()).unwrap();
    let scene = Scene { timeline, ..Scene::default() };
    scene.findings("jni-crossings", &[])
}

#[test]
fn jni_crossings() {
    const ART: &str = "/apex/com.android.art/lib64/libart.so";
    const OAT: &str = "/data/app/base.odex";
    const NATIVE: &str = "/data/app/libparser.so";
    const WORKS: &[(&str, &str)] = &[("parse", NATIVE), ("com.example.Parser.run", OAT)];
    // Three of ten samples are in JNIEnv and below it, called by `next`.
    const ASKS: &[(&str, &str)] = &[
        ("art::IndirectReferenceTable::Add(art::IRTSegmentState)", ART),
        ("art::JNI<false>::GetStringUTFChars(_JNIEnv*, _jstring*, unsigned char*)", ART),
        ("next", NATIVE),
        ("com.example.Parser.run", OAT),
    ];
    // Java code that native code called is no crossing.
    const CALLS: &[(&str, &str)] = &[
        ("nterp_op_invoke_virtual", ART),
        ("art::JNI<false>::CallVoidMethod(_JNIEnv*, _jobject*, _jmethodID*, ...)", ART),
        ("next", NATIVE),
        ("com.example.Parser.run", OAT),
    ];
    let mixed = |some: &'static [(&'static str, &'static str)],
                 count: usize|
     -> Vec<&'static [(&'static str, &'static str)]> {
        (0..10).map(|index| if index < count { some } else { WORKS }).collect()
    };
    let found = sampled(&mixed(ASKS, 3));
    let [finding] = found.as_slice() else { panic!("{found:#?}") };
    assert!(finding.title.contains("30 % of its CPU time"), "{finding:#?}");
    assert_eq!(finding.place.as_ref().map(|it| it.function.as_str()), Some("next"));
    let evidence = &finding.evidence[0].text;
    assert!(evidence.contains("GetStringUTFChars") && evidence.contains("from next"), "{evidence}");
    assert_eq!(sampled(&mixed(ASKS, 0)), []);
    assert_eq!(sampled(&mixed(CALLS, 10)), []);
}
