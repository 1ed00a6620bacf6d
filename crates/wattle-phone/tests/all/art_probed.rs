//! Code with probes on the runtime: what the probes say comes out of the rewritten code itself, through every sink.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::art_bench::{Bench, bench};
use wattle_phone::art::{
    ArtEntry, ArtEvent, ArtEventKind, ArtJob, ArtRun, TestMethod, test_methods,
};
use wattle_probe::{ClassPattern, CodeFile, Options, ShortMethods, Sink, instrument};
use wattle_testdata::requires;
use wattle_units::Nanos;

const PID: u32 = 6100;
const AHEAD: Nanos = Nanos::new(-1_000_000_000);

/// The programs with probes in all methods of the shop, as files of code.
fn probed(bench: &Bench, sink: Sink, folder: &Path) -> Vec<PathBuf> {
    let code = std::fs::read(&bench.code).unwrap();
    let file = CodeFile { name: "programs.dex".to_owned(), bytes: Cow::Owned(code) };
    let mut options = Options::default();
    options.sink = sink;
    options.scope.include = vec![ClassPattern::new("shop.**")];
    options.short_methods = ShortMethods::Probe;
    options.package = Some("com.example.shop".to_owned());
    let instrumented = instrument(&[file], &options).unwrap();
    let mut files: Vec<Vec<u8>> = instrumented.files.into_iter().map(|file| file.bytes).collect();
    files.push(instrumented.runtime);
    let paths = files.iter().enumerate().map(|(index, bytes)| {
        let path = folder.join(format!("{index}.dex"));
        std::fs::write(&path, bytes).unwrap();
        path
    });
    paths.collect()
}

/// Runs tests of the cart with probes.
fn cart(bench: &Bench, sink: Sink, folder: &Path) -> ArtRun {
    let packages = probed(bench, sink, folder);
    let tests: Vec<TestMethod> = test_methods(&packages[0], &[])
        .unwrap()
        .into_iter()
        .filter(|it| it.class == "shop.CartTest")
        .collect();
    assert_eq!(tests.len(), 3);
    let mut job = ArtJob::new(packages, ArtEntry::Tests(tests), PID, folder.to_owned());
    job.boot_ahead = AHEAD;
    job.properties.push(("wattle.dir".to_owned(), folder.display().to_string()));
    let run = bench.runtime.start(&job).unwrap().wait().unwrap();
    assert!(run.status.success(), "{}", run.output);
    assert_eq!(run.unread, 0);
    run
}

/// Counts the entries of each section of the shop's methods.
fn entered(events: &[ArtEvent]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for event in events {
        if let ArtEventKind::Begin(label) = &event.kind
            && let Some(at) = label.find("CartTest.")
        {
            let method = label[at..].split([' ', '(', '#']).next().unwrap_or_default();
            *counts.entry(method).or_default() += 1;
        }
    }
    counts
}

#[requires(env = "WATTLE_ART", program = "javac", program = "java")]
#[test]
fn sections_come_from_the_rewritten_code() {
    let bench = bench();
    let folder = tempfile::tempdir().unwrap();
    let run = cart(bench, Sink::Trace, folder.path());
    let counts = entered(&run.events);
    // The constructor, what stands around each of three tests, and the tests.
    assert_eq!(counts.get("CartTest.setUp"), Some(&3), "{counts:?}");
    assert_eq!(counts.get("CartTest.tearDown"), Some(&3), "{counts:?}");
    let begins = run.events.iter().filter(|it| matches!(it.kind, ArtEventKind::Begin(_)));
    let ends = run.events.iter().filter(|it| it.kind == ArtEventKind::End);
    assert_eq!(begins.count(), ends.count());
}

#[requires(env = "WATTLE_ART", program = "javac", program = "java")]
#[test]
fn records_of_probes_are_written_where_they_are_asked_for() {
    let bench = bench();
    let folder = tempfile::tempdir().unwrap();
    cart(bench, Sink::File, folder.path());
    let names: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".probes"))
        .collect();
    let [name] = names.as_slice() else { unreachable!("{names:?}") };
    // The number is the simulated process's, not the host's.
    assert!(name.starts_with(&format!("wattle-{PID}-")), "{name}");
    assert!(std::fs::metadata(folder.path().join(name)).unwrap().len() > 0);
}

#[requires(env = "WATTLE_ART", program = "javac", program = "java")]
#[test]
fn lines_of_probes_are_in_the_log() {
    let bench = bench();
    let folder = tempfile::tempdir().unwrap();
    let run = cart(bench, Sink::Logcat, folder.path());
    let lines = run.events.iter().filter(
        |event| matches!(&event.kind, ArtEventKind::Log { tag, .. } if tag.starts_with("wattle")),
    );
    assert!(lines.count() > 0, "{:?}", run.events);
}
