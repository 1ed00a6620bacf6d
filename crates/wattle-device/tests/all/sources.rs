//! Sources that are only there on request, and the files of probes.

use std::path::Path;
use std::time::Duration;

use crate::recorded::{Fault, Phone, TestEnvironment, build};
use wattle_device::session::{Session, SessionPlan};
use wattle_device::source::{CounterOptions, MeterFile, SourceChoice, SourceName};
use wattle_device::{Cancel, Quiet};
use wattle_recording::{Artifact, ArtifactKind, Recording};

fn record(
    folder: &Path,
    change: impl FnOnce(&mut SessionPlan, &Phone, &Cancel, &mut TestEnvironment),
) -> (Recording, Phone) {
    let cancel = Cancel::new();
    let phone = Phone::new(&cancel);
    let mut environment = TestEnvironment::new();
    let mut plan = SessionPlan::new(folder, "wattle test", build("A"));
    plan.come_back = Duration::ZERO;
    change(&mut plan, &phone, &cancel, &mut environment);
    // How it ended is in the recording, too.
    let _ = Session {
        plan: &plan,
        device: &phone,
        cancel: &cancel,
        environment: &mut environment,
        progress: &Quiet,
    }
    .run();
    (wattle_recording::load(folder).expect("a recording"), phone)
}

fn of(recording: &Recording, kind: ArtifactKind) -> Vec<&Artifact> {
    recording.artifacts.iter().filter(|artifact| artifact.kind == Some(kind)).collect()
}

fn reason(recording: &Recording, name: SourceName) -> Option<String> {
    let of = |source: &&wattle_recording::SourceFacts| source.name == name.as_str();
    recording.sources.iter().find(of).expect("a source").reason.clone()
}

#[track_caller]
fn check_clean(phone: &Phone) {
    assert_eq!(phone.left_over(), Vec::<String>::new());
}

#[test]
fn files_of_probes_are_pulled_and_those_of_an_earlier_run_are_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let (recording, phone) = record(folder.path(), |plan, phone, _, environment| {
        plan.sources.choice = SourceChoice::Only([SourceName::Probes].into());
        environment.sink = Some("file");
        let file = |name: &str| format!("/data/user/0/com.foo/{name}");
        let mut state = phone.state();
        state.files.insert(file("files/notes.txt"), b"private".to_vec());
        state.files.insert(file("files/wattle-7-1600000000000.probes"), b"old".to_vec());
        state.probes_write = vec![
            (file("files/wattle-70-1700000000001.probes"), b"first".to_vec()),
            (file("cache/wattle-71-1700000000002.probes"), b"second".to_vec()),
        ];
    });
    assert_eq!(recording.interrupted, None);
    let mut files: Vec<&str> =
        of(&recording, ArtifactKind::Probes).iter().map(|a| a.file.as_str()).collect();
    files.sort_unstable();
    assert_eq!(
        files,
        ["probes/wattle-70-1700000000001.probes", "probes/wattle-71-1700000000002.probes"]
    );
    let pulled = std::fs::read(folder.path().join(files[1])).expect("bytes");
    assert_eq!(pulled, b"second");
    check_clean(&phone);
    assert!(phone.state().files.contains_key("/data/user/0/com.foo/files/notes.txt"));
}

#[test]
fn probes_of_an_app_that_nobody_may_look_into() {
    let folder = tempfile::tempdir().expect("a folder");
    let (recording, phone) = record(folder.path(), |plan, phone, _, environment| {
        plan.sources.choice = SourceChoice::Without([SourceName::Perfetto].into());
        phone.state().debuggable = false;
        environment.sink = Some("file");
    });
    assert_eq!(recording.interrupted, None);
    let why = reason(&recording, SourceName::Probes).expect("a reason");
    assert!(why.contains("use a debuggable build or a rooted phone"), "{why}");
    assert_eq!(reason(&recording, SourceName::Perfetto).as_deref(), Some("not chosen"));
    check_clean(&phone);
}

#[test]
fn everything_on_request() {
    let folder = tempfile::tempdir().expect("a folder");
    let meter = folder.path().join("samples.csv");
    std::fs::write(&meter, "0,1\n").expect("written");
    let run = folder.path().join("run");
    let (recording, phone) = record(&run, |plan, _, _, _| {
        plan.sources.choice =
            SourceChoice::With([SourceName::ArtTrace, SourceName::Simpleperf].into());
        plan.sources.art_trace.sampling = Some(Duration::from_micros(500));
        plan.sources.meter =
            Some(MeterFile { path: meter.clone(), clock: "host wall clock".to_owned() });
        // So that the process is there for a while.
        plan.builds[0].scenario =
            wattle_device::scenario::Scenario::Host(wattle_device::scenario::HostProgram {
                program: "sleep".into(),
                arguments: vec!["0.6".into()],
                environment: Vec::new(),
            });
    });
    assert_eq!(recording.interrupted, None);
    // Without its process there is no method trace, and that is said.
    let why = reason(&recording, SourceName::ArtTrace).expect("a reason");
    assert!(why.contains("the app never ran"), "{why}");
    assert!(of(&recording, ArtifactKind::ArtTrace).is_empty());
    assert_eq!(of(&recording, ArtifactKind::PerfData)[0].file, "perf.data");
    assert_eq!(of(&recording, ArtifactKind::Meter)[0].file, "meter.csv");
    assert!(recording.notes.iter().any(|note| note.contains("host wall clock")));
    check_clean(&phone);
}

#[test]
fn methods_are_traced_as_soon_as_the_app_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let (recording, phone) = record(folder.path(), |plan, phone, _, _| {
        plan.sources.choice = SourceChoice::Only([SourceName::ArtTrace].into());
        plan.sources.art_trace.sampling = Some(Duration::from_micros(500));
        phone.state().processes.insert(77, "com.foo".to_owned());
        plan.builds[0].scenario =
            wattle_device::scenario::Scenario::Nothing(Duration::from_millis(400));
    });
    assert_eq!(recording.interrupted, None, "{recording:?}");
    let traces = of(&recording, ArtifactKind::ArtTrace);
    assert_eq!((traces.len(), traces[0].partial), (1, false), "{recording:?}");
    let commands = phone.state().commands.clone();
    let begun = "am profile start --sampling 500 77 /data/local/tmp/wattle/run/method.trace";
    assert!(commands.iter().any(|command| command == begun), "{commands:#?}");
    check_clean(&phone);
}

#[test]
fn a_log_that_ends_too_early_is_known_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let (recording, _) = record(folder.path(), |plan, phone, cancel, _| {
        plan.sources.choice = SourceChoice::Only([SourceName::Logcat].into());
        plan.builds[0].scenario =
            wattle_device::scenario::Scenario::Nothing(Duration::from_mins(1));
        // Whatever is asked after the log has begun.
        phone.inner.faults.plan(u64::MAX, Fault::Gone, cancel);
        let device = phone.clone();
        std::thread::spawn(move || {
            while !device.state().commands.iter().any(|command| command.contains("-T 1")) {
                std::thread::sleep(Duration::from_millis(5));
            }
            std::thread::sleep(Duration::from_millis(300));
            device.inner.faults.go_away();
        });
        let user = cancel.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(1500));
            user.cancel();
        });
    });
    assert!(recording.interrupted.is_some());
    let log = of(&recording, ArtifactKind::Logcat);
    assert!(log[0].partial && log[0].bytes > Some(0));
    let why = reason(&recording, SourceName::Logcat).expect("a reason");
    assert!(why.contains("cut off after") && why.contains("disconnected"), "{why}");
}

#[test]
fn a_period_out_of_bounds_is_refused() {
    for (ms, expected) in [(99, false), (100, true), (3000, true), (3001, false)] {
        let options = CounterOptions::every(Duration::from_millis(ms));
        assert_eq!(options.is_ok(), expected, "{ms}");
    }
}

#[test]
fn names_are_read_as_they_are_written() {
    for name in SourceName::ALL {
        assert_eq!(name.as_str().parse::<SourceName>().expect("a name"), name);
    }
    let error = "photos".parse::<SourceName>().expect_err("no source");
    assert!(error.to_string().contains("perfetto"), "{error}");
}
