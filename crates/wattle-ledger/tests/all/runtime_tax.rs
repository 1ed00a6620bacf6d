//! The runtime tax: which call path is of which class.

use proptest::prelude::*;
use wattle_ledger::{
    FrameClass, FrameEntry, Ledger, PathEntry, PathId, ProcessEntry, RuntimeClass, RuntimeEvidence,
    RuntimeRule, RuntimeRuleKind, RuntimeTax, ThreadEntry,
};
use wattle_timeline::Window;
use wattle_units::{BootNanos, Nanos};

use RuntimeClass::{AppStart, ClassLoading, GarbageCollection, JitCompilation};

fn ledger(thread: &str) -> Ledger {
    let mut ledger = Ledger::empty(Window::new(BootNanos::new(0), BootNanos::new(1_000)));
    ledger.rows.processes.push(ProcessEntry {
        pid: Some(1),
        name: "com.app".to_owned(),
        uid: None,
        package: None,
    });
    let name = thread.to_owned();
    ledger.rows.threads.push(ThreadEntry { process: 0, tid: 1, name, cpu: Nanos::ZERO });
    push(&mut ledger, None, "", None);
    ledger
}

fn push(ledger: &mut Ledger, caller: Option<u32>, name: &str, frame: Option<FrameClass>) {
    let frame = frame.map(|class| {
        ledger.rows.frames.push(FrameEntry {
            class,
            function: Some(name.to_owned()),
            mapping: None,
            inlined: false,
            file: None,
            line: None,
        });
        ledger.rows.frames.len() as u32 - 1
    });
    ledger.rows.paths.push(PathEntry {
        thread: 0,
        caller: caller.map(PathId),
        name: name.to_owned(),
        calls: 0,
        self_cpu: Nanos::ZERO,
        probe_cpu: Nanos::ZERO,
        wall: Nanos::ZERO,
        site: None,
        from_lines: Vec::new(),
        frame,
        samples: 0,
        clock_cpu: None,
    });
}

/// Calls, each inside the one before, must be of these classes.
#[track_caller]
fn check(thread: &str, calls: &[(&str, Option<RuntimeClass>)]) {
    for frame in [None, Some(FrameClass::Native)] {
        let mut ledger = ledger(thread);
        for (at, (name, _)) in (0..).zip(calls) {
            push(&mut ledger, Some(at), name, frame);
        }
        let tax = RuntimeTax::from_ledger(&ledger);
        let found: Vec<_> = tax.classes()[1..].to_vec();
        let expected: Vec<_> = calls.iter().map(|(_, class)| *class).collect();
        assert_eq!(found, expected, "{calls:?} on {thread}, frames {frame:?}");
    }
}

#[track_caller]
fn check_thread(thread: &str, class: Option<RuntimeClass>) {
    let ledger = ledger(thread);
    assert_eq!(RuntimeTax::from_ledger(&ledger).class_of(PathId(0)), class, "{thread}");
}

#[test]
fn threads_of_the_runtime() {
    check_thread("HeapTaskDaemon", Some(GarbageCollection));
    check_thread("FinalizerDaemon", Some(GarbageCollection));
    // As the kernel keeps them: 15 bytes.
    check_thread("FinalizerWatchd", Some(GarbageCollection));
    check_thread("ReferenceQueueD", Some(GarbageCollection));
    check_thread("Heap thread poo", Some(GarbageCollection));
    check_thread("Heap thread pool worker thread 3", Some(GarbageCollection));
    check_thread("Jit thread pool", Some(JitCompilation));
    check_thread("Jit thread pool worker thread 0", Some(JitCompilation));
    check_thread("Profile Saver", Some(JitCompilation));
    check_thread("Verification th", Some(ClassLoading));
    check_thread("main", None);
    check_thread("RenderThread", None);
    // Shorter than what the kernel keeps, so it was never cut.
    check_thread("Heap", None);
    check_thread("", None);
}

#[test]
fn sections_and_functions() {
    for (name, class) in [
        ("Background concurrent copying GC", GarbageCollection),
        ("Alloc young concurrent mark compact GC", GarbageCollection),
        ("art::gc::collector::ConcurrentCopying::RunPhases()", GarbageCollection),
        ("void art::ReadBarrier::Barrier<true>(int)", GarbageCollection),
        ("art_quick_read_barrier_mark_reg01", GarbageCollection),
        ("JIT compiling void com.app.Main.run() (kind=Baseline)", JitCompilation),
        ("void art::ProfileSaver::FetchAndCacheResolvedClassesAndMethods(bool)", JitCompilation),
        ("art::jit::Jit::CompileMethod(art::ArtMethod*)", JitCompilation),
        ("VerifyClass com.app.Main", ClassLoading),
        ("OpenDexFilesFromOat(/data/app/base.apk)", ClassLoading),
        ("art::verifier::MethodVerifier::Verify()", ClassLoading),
        ("bool art::ClassLinker::InitializeClass(art::Thread*)", ClassLoading),
        ("dalvik.system.BaseDexClassLoader.findClass", ClassLoading),
        ("java.lang.Class.forName (Ljava/lang/String;)Ljava/lang/Class;", ClassLoading),
        ("bindApplication", AppStart),
        ("activityStart", AppStart),
        ("ActivityThreadMain", AppStart),
        ("performCreate:com.app.Main", AppStart),
        ("android.app.ActivityThread.handleBindApplication", AppStart),
    ] {
        check("main", &[(name, Some(class)), ("com.app.Main.run", Some(class))]);
    }
    for name in [
        "run",
        "GC",
        "activityStartup",
        "VerifyClass",
        "com.app.art::gc::collector::Fake",
        "art::gc::Heap::AllocObjectWithAllocator",
        "android.app.ActivityThread.main",
        "dalvik.system.VMRuntime.newUnpaddedArray",
        "com.app.Main.<clinit>",
        "Compiling shaders",
    ] {
        check("main", &[(name, None), ("com.app.Main.run", None)]);
    }
}

#[test]
fn the_strongest_class_wins_whoever_calls_whom() {
    check(
        "main",
        &[
            ("bindApplication", Some(AppStart)),
            ("com.app.App.onCreate", Some(AppStart)),
            ("VerifyClass com.app.Main", Some(ClassLoading)),
            ("activityStart", Some(ClassLoading)),
            ("JIT compiling com.app.Main.run", Some(JitCompilation)),
            ("VerifyClass com.app.Other", Some(JitCompilation)),
            ("Alloc concurrent copying GC", Some(GarbageCollection)),
            ("bindApplication", Some(GarbageCollection)),
        ],
    );
    check("HeapTaskDaemon", &[("VerifyClass x", Some(GarbageCollection))]);
    check("Jit thread pool", &[("Background concurrent copying GC", Some(GarbageCollection))]);
    check("Jit thread pool", &[("ScopedCodeCacheWrite", Some(JitCompilation))]);
}

#[test]
fn static_initializers_are_the_apps_own() {
    check(
        "main",
        &[
            ("android.app.ActivityThread.handleBindApplication", Some(AppStart)),
            ("art::ClassLinker::InitializeClass", Some(ClassLoading)),
            ("com.app.Main.<clinit>", Some(AppStart)),
            ("com.app.Main.table", Some(AppStart)),
            ("art::ClassLinker::FindClass", Some(ClassLoading)),
        ],
    );
    check("Verification th", &[("com.app.Main.<clinit>", Some(ClassLoading))]);
}

#[test]
fn what_is_known_of_a_process() {
    let mut known = ledger("main");
    let evidence = |ledger: &Ledger| RuntimeTax::from_ledger(ledger).evidence(0);
    assert!(!evidence(&known).is_some());
    push(&mut known, Some(0), "[not sampled]", Some(FrameClass::Unsampled));
    assert!(!evidence(&known).is_some());
    push(&mut known, Some(0), "draw", None);
    assert_eq!(evidence(&known), RuntimeEvidence { calls: true, samples: false });
    push(&mut known, Some(0), "draw", Some(FrameClass::Java));
    assert_eq!(evidence(&known), RuntimeEvidence { calls: true, samples: true });
}

#[test]
fn every_rule_says_where_it_is_from_and_has_one_star_at_most() {
    for rule in RuntimeRule::all() {
        let is_path = rule.source.contains('/');
        assert!(is_path && rule.pattern.matches('*').count() <= 1, "{rule:?}");
        let equal = |other: &&RuntimeRule| (other.kind, other.pattern) == (rule.kind, rule.pattern);
        assert_eq!(RuntimeRule::all().iter().filter(equal).count(), 1, "{rule:?}");
        // Each rule means a name of its own pattern.
        assert!(rule.matches(&rule.pattern.replace('*', "x")), "{rule:?}");
        let _: RuntimeRuleKind = rule.kind;
    }
}

/// Names of which some are in rules.
fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "",
        "draw",
        "bindApplication",
        "VerifyClass x",
        "JIT compiling x",
        "x mark sweep GC",
        "a.B.<clinit>",
        "art::jit::Jit::Compile(int)",
    ])
}

proptest! {
    /// Whatever the links say: a class for each path at most, and never a weaker one inside a stronger, but for initializers.
    #[test]
    fn inside_of_a_class_only_stronger_ones(
        paths in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), name()), 1..60),
        thread in prop::sample::select(vec!["main", "HeapTaskDaemon", "Jit thread pool"]),
    ) {
        let mut ledger = ledger(thread);
        for (caller, is_linked, name) in &paths {
            // Also links that no ledger of ours has: to itself and onwards.
            let caller = caller.index(ledger.rows.paths.len() + 2) as u32;
            push(&mut ledger, is_linked.then_some(caller), name, None);
        }
        let tax = RuntimeTax::from_ledger(&ledger);
        prop_assert_eq!(tax.classes().len(), ledger.rows.paths.len());
        for (at, path) in ledger.rows.paths.iter().enumerate() {
            let Some(caller) = path.caller.filter(|caller| (caller.0 as usize) < at) else { continue };
            let (outer, inner) = (tax.class_of(caller), tax.classes()[at]);
            if outer.is_some() && !(outer == Some(ClassLoading) && path.name.contains("<clinit>")) {
                prop_assert!(inner.is_some() && inner <= outer, "{outer:?} > {inner:?}");
            }
        }
    }
}
