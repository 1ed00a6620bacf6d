//! Jobs of the real program. Its path is in `WATTLE_PROGRAM`.

use wattle_jobs::{
    AnalysisOptions, JobKind, JobState, NewJob, RunOptions, RunScenario, ServerLimits, StoredFile,
    WorkerSettings,
};
use wattle_store::RunFilter;
use wattle_testdata::requires;

use crate::server_place;
use crate::test_server::{TestPlace, new_job, new_upload, project, settings, wait, work};

/// A job of real files, done by the real program; its files by name.
fn done(files: &[&str], kind: JobKind) -> (TestPlace, Vec<(String, Vec<u8>)>) {
    let place = TestPlace::sqlite();
    let limits = ServerLimits { attempts: 1, ..server_place::limits() };
    let outputs = wait(async {
        let data = place.open_with(limits).await;
        let project = project(&data, "energy").await;
        let mut stored: Vec<StoredFile> = Vec::new();
        for name in files {
            let bytes = wattle_testdata::bytes(name);
            let new = new_upload(project, name, bytes.len());
            let upload = data.uploads().begin(&new).await.expect("begun");
            data.uploads().append(project, &upload.id, 0, &bytes).await.expect("written");
            stored.push(data.uploads().finish(project, &upload.id).await.expect("finished"));
        }
        let files = stored.iter().map(|file| file.id).collect();
        let new = NewJob { kind, files, ..new_job(&stored[0]) };
        let job = data.jobs().submit(&new).await.expect("submitted");
        let program = wattle_testdata::variable("WATTLE_PROGRAM");
        let real = WorkerSettings { program, confines: true, ..settings("w") };
        let state = work(&data, real).await;
        let known = data.jobs().job(project, job.id).await.expect("read");
        assert_eq!(state, Some(JobState::Done), "{:?}", known.reason);
        let mut outputs = Vec::new();
        for output in data.jobs().outputs(project, job.id).await.expect("listed") {
            let bytes = std::fs::read(data.jobs().output_path(project, &output)).expect("read");
            outputs.push((output.name, bytes));
        }
        outputs
    });
    (place, outputs)
}

fn names(outputs: &[(String, Vec<u8>)]) -> Vec<&str> {
    outputs.iter().map(|(name, _)| name.as_str()).collect()
}

#[requires(data, env = "WATTLE_PROGRAM")]
#[test]
fn a_real_trace_becomes_a_run_with_the_figures_of_a_report() {
    let file = "perfetto/api32_startup_warm_pixel6a.perfetto-trace";
    let options =
        AnalysisOptions { html: true, branch: Some("-x".into()), ..AnalysisOptions::default() };
    let (place, outputs) = done(&[file], JobKind::Analyse(options));
    assert_eq!(
        names(&outputs),
        ["page-data.txt", "report.html", "report.json", "run.ledger.json.zst"]
    );
    let program = wattle_testdata::variable("WATTLE_PROGRAM");
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path().join("here.json");
    let mut report = std::process::Command::new(program);
    report.args(["report", "--quiet", "--no-keep", "--json"]).arg(&here);
    let report = report.arg(wattle_testdata::path(file)).output().expect("the program runs");
    assert!(report.status.success(), "{}", String::from_utf8_lossy(&report.stderr));
    let read = |bytes: &[u8]| -> serde_json::Value { serde_json::from_slice(bytes).expect("JSON") };
    let (ours, theirs) = (read(&outputs[2].1), read(&std::fs::read(here).expect("read")));
    assert!(theirs["components"].as_array().is_some_and(|it| !it.is_empty()), "{theirs}");
    for key in ["components", "processes", "threads"] {
        assert_eq!(ours[key], theirs[key], "{key}");
    }
    wait(async {
        let data = place.open().await;
        let project = data.projects().named("energy").await.expect("the project").id;
        let mut history = data.history(project).await.expect("opened");
        let runs = history.runs(&RunFilter::default()).await.expect("runs");
        assert_eq!(runs.len(), 1);
        assert_eq!(runs[0].facts.code.branch.as_deref(), Some("-x"));
    });
}

#[requires(data, env = "WATTLE_PROGRAM")]
#[test]
fn a_real_package_is_checked_and_gets_probes() {
    let (_, outputs) = done(&["apk/androguard-a2dp.Vol_137.apk"], JobKind::Package);
    let package = "probed/androguard-a2dp.Vol_137.traced.apk";
    let map = "probed/androguard-a2dp.Vol_137.traced.probes.jsonl";
    let expected = ["instrument.json", package, map, "verify-probed.json", "verify.json"];
    assert_eq!(names(&outputs), expected);
    let content = |name: &str| &outputs.iter().find(|it| it.0 == name).expect("an output").1;
    let read =
        |name: &str| -> serde_json::Value { serde_json::from_slice(content(name)).expect("JSON") };
    let summary = read("instrument.json");
    assert_eq!(summary["dry_run"], false);
    assert!(summary["methods_probed"].as_u64().is_some_and(|it| it > 0), "{summary}");
    assert_eq!(read("verify-probed.json")["clean"], true);
    assert!(content(package).starts_with(b"PK"), "a package is an archive");
}

#[requires(data, program = "adb", env = "WATTLE_PROGRAM")]
#[test]
fn a_real_package_runs_on_a_simulated_phone() {
    let run = RunOptions {
        scenario: RunScenario::Start { seconds: 3 },
        simulate: Some("pixel".into()),
        analysis: AnalysisOptions::default(),
    };
    let (_, outputs) = done(&["apk/androguard-a2dp.Vol_137.apk"], JobKind::Run(run));
    let names = names(&outputs);
    assert!(
        names.contains(&"report.json") && names.contains(&"recording/recording.json"),
        "{names:?}"
    );
}
