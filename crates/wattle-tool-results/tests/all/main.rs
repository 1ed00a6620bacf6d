//! Results of other tools, as their writers here make them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;
use wattle_recording::{ArtifactKind, Recording};
use wattle_tool_results::{ImportError, ImportPlan, Tool};

fn write(folder: &Path, name: &str, content: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(&path, content).expect("written");
    path
}

/// Imports, and gives the plan with what is in the folders.
fn import(path: &Path) -> (ImportPlan, TempDir, Vec<PathBuf>) {
    let plan = ImportPlan::read(path).expect("a plan");
    let target = tempfile::tempdir().expect("a folder");
    let written = plan.write(target.path()).expect("written");
    (plan, target, written)
}

fn refused(path: &Path) -> String {
    ImportPlan::read(path).expect_err("a refusal").to_string()
}

fn recording(folder: &Path) -> Recording {
    wattle_recording::load(folder).expect("a recording")
}

/// A file as AndroidX Benchmark 1.3 writes it, with the tests given.
fn benchmark_data(tests: &[Value]) -> String {
    json!({
        "context": {
            "build": {
                "brand": "google",
                "device": "shiba",
                "fingerprint": "google/shiba/shiba:15/AP4A.250105.002/12701944:user/release-keys",
                "id": "AP4A.250105.002",
                "model": "Pixel 8",
                "type": "user",
                "version": { "codename": "REL", "sdk": 35 }
            },
            "cpuCoreCount": 9,
            "cpuLocked": false,
            "cpuMaxFreqHz": 2_914_000_000_u64,
            "memTotalBytes": 7_900_000_000_u64,
            "sustainedPerformanceModeEnabled": false,
            "artMainlineVersion": 351_110_180,
            "osCodenameAbbreviated": "A",
            "compilationMode": "speed-profile",
            "payload": {}
        },
        "benchmarks": tests,
    })
    .to_string()
}

fn startup(outputs: &Value) -> Value {
    json!({
        "name": "startup",
        "params": {},
        "className": "com.example.StartupBenchmark",
        "totalRunTimeNs": 12_000_000_000_u64,
        "metrics": { "timeToInitialDisplayMs": {
            "minimum": 301.5, "maximum": 322.25, "median": 311.0, "runs": [322.25, 301.5] },
            "broken": { "runs": "none" }, "odd": 3 },
        "sampledMetrics": {},
        "warmupIterations": 0,
        "repeatIterations": 2,
        "thermalThrottleSleepSeconds": 0,
        "profilerOutputs": outputs,
    })
}

fn trace(number: u32) -> String {
    format!("StartupBenchmark_startup_iter{number:03}_2025-11-29-14-18-36.perfetto-trace")
}

#[test]
fn macrobenchmarks_become_series() {
    let folder = tempfile::tempdir().expect("a folder");
    let outputs: Vec<Value> = (0..2)
        .map(|number| {
            write(folder.path(), &trace(number), &format!("trace {number}"));
            json!({ "type": "PerfettoTrace", "label": format!("Trace Iteration {number}"), "filename": trace(number) })
        })
        .collect();
    let data = benchmark_data(&[startup(&outputs.into())]);
    let file = write(folder.path(), "com.example-benchmarkData.json", &data);
    for path in [file.as_path(), folder.path()] {
        let (plan, _target, written) = import(path);
        assert_eq!((plan.tool, plan.notes.len()), (Tool::Macrobenchmark, 0), "{:?}", plan.notes);
        let [series] = written.as_slice() else { panic!("{written:?}") };
        assert!(series.ends_with("StartupBenchmark-startup"));
        for number in 0..2_u32 {
            let run = series.join(number.to_string());
            let recording = recording(&run);
            let device = recording.device.expect("a device");
            assert_eq!(device.product.model.as_deref(), Some("Pixel 8"));
            assert_eq!((device.sdk, device.cpus.len()), (Some(35), 9));
            let [artifact] = recording.artifacts.as_slice() else { panic!("one file") };
            assert_eq!(artifact.kind, Some(ArtifactKind::Perfetto));
            let content = std::fs::read_to_string(run.join(&artifact.file)).expect("the trace");
            assert_eq!(content, format!("trace {number}"));
            let value = ["322.25", "301.5"][number as usize];
            assert!(recording.notes[0].contains(&format!("timeToInitialDisplayMs {value}")));
        }
    }
}

/// Benchmark 1.1 names no files: those beside it count by their names.
#[test]
fn traces_of_old_macrobenchmarks_are_found_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    for number in 0..2 {
        write(folder.path(), &trace(number), "trace");
    }
    write(folder.path(), "OtherBenchmark_startup_iter000_2025.perfetto-trace", "trace");
    let mut test = startup(&Value::Null);
    test["name"] = "startup[mode=COLD]".into();
    let file = write(folder.path(), "x-benchmarkData.json", &benchmark_data(&[test]));
    let plan = ImportPlan::read(&file).expect("a plan");
    assert_eq!(plan.series.len(), 1);
    assert_eq!(plan.series[0].runs.len(), 2);
    assert_eq!(plan.series[0].name, "StartupBenchmark-startup-mode-COLD");
}

#[test]
fn names_in_results_lead_nowhere_else() {
    let outside = tempfile::tempdir().expect("a folder");
    let secret = write(outside.path(), "secret", "secret");
    let folder = outside.path().join("results");
    std::fs::create_dir(&folder).expect("a folder");
    let names = [
        "../secret".to_owned(),
        secret.display().to_string(),
        "link".to_owned(),
        ".".to_owned(),
        String::new(),
    ];
    #[cfg(unix)]
    std::os::unix::fs::symlink(&secret, folder.join("link")).expect("a link");
    let outputs: Vec<Value> = names
        .iter()
        .map(|name| json!({ "type": "PerfettoTrace", "label": name, "filename": name }))
        .collect();
    let file = write(&folder, "x-benchmarkData.json", &benchmark_data(&[startup(&outputs.into())]));
    let said = refused(&file);
    assert!(said.contains("is missing") && said.contains("no trace; left out"), "{said}");
}

fn android_runner() -> TempDir {
    let root = tempfile::tempdir().expect("a folder");
    let folder = root.path();
    write(folder, "config.json", "{}");
    for (number, second) in ["100001", "100101", "100201"].iter().enumerate() {
        let subject = "data/nexus5x/com-example-app";
        let at = format!("2025.11.29_{second}");
        write(
            folder,
            &format!("{subject}/batterystats/systrace_01af_{at}.html"),
            &format!("trace {number}"),
        );
        write(folder, &format!("{subject}/batterystats/logcat_01af_{at}.txt"), "log");
        write(
            folder,
            &format!("{subject}/batterystats/Joule_results_01af_{at}.csv"),
            "Joule_calculated\n1\n",
        );
        write(folder, &format!("{subject}/android/01af_{at}.csv"), "cpu\n");
    }
    // One of the histories was lost.
    for second in ["100001", "100201"] {
        let name = format!(
            "data/nexus5x/com-example-app/batterystats/batterystats_history_01af_2025.11.29_{second}.txt"
        );
        write(folder, &name, "history");
    }
    write(
        folder,
        "data/nexus5x/https-example-org/chrome/perfetto/2025_11_29T10_00_01_000001.perfetto_trace",
        "trace",
    );
    write(folder, "data/nexus5x/other/monsoon/monsoon_2025.11.29_100001.csv", "energy\n");
    root
}

#[test]
fn runs_of_android_runner_become_series() {
    let root = android_runner();
    let data = root.path().join("data");
    for path in [root.path(), &data] {
        let (plan, target, written) = import(path);
        assert_eq!(plan.tool, Tool::AndroidRunner);
        let names: Vec<&Path> =
            written.iter().map(|path| path.strip_prefix(target.path()).expect("below")).collect();
        let expected = ["nexus5x-com-example-app", "nexus5x-https-example-org-chrome"];
        assert_eq!(names, expected.map(Path::new));
        let second = written[0].join("1");
        let recording = recording(&second);
        let files: Vec<(&str, Option<ArtifactKind>)> = recording
            .artifacts
            .iter()
            .map(|artifact| (artifact.file.as_str(), artifact.kind))
            .collect();
        assert_eq!(
            files,
            [
                ("systrace_01af_2025.11.29_100101.html", Some(ArtifactKind::Ftrace)),
                ("logcat_01af_2025.11.29_100101.txt", Some(ArtifactKind::Logcat)),
            ]
        );
        assert!(written[1].join("recording.json").is_file(), "a single run is the folder itself");
        let notes = plan.notes.join("\n");
        assert!(notes.contains("2 files of batterystats_history for 3 runs"), "{notes}");
    }
}

#[test]
fn traces_on_their_own_become_recordings() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = write(folder.path(), "cpu-perfetto-20251129T101112.trace", "trace");
    write(folder.path(), "cpu-art-20251129T101300.trace", "trace");
    write(folder.path(), "notes.txt", "text");
    let (plan, _target, written) = import(folder.path());
    assert_eq!((plan.tool, written.len()), (Tool::Traces, 2));
    let (_, _target, written) = import(&trace);
    let [recorded] = written.as_slice() else { panic!("{written:?}") };
    let recording = recording(recorded);
    assert_eq!(recording.artifacts[0].file, "cpu-perfetto-20251129T101112.trace");
    assert_eq!(recording.artifacts[0].kind, None);
}

#[test]
fn what_cannot_become_a_recording_is_refused_with_its_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let measure = json!({ "cpu": { "perName": { "UI Thread": 12.5 }, "perCore": {} }, "fps": 60, "ram": 200, "time": 500 });
    let flashlight = json!({
        "name": "start", "status": "SUCCESS",
        "iterations": [{ "time": 500, "status": "SUCCESS", "measures": [measure] }],
    });
    let cases = [
        ("results.json", flashlight.to_string(), "Flashlight"),
        ("many.json", json!([flashlight]).to_string(), "wattle record PACKAGE -- flashlight test"),
        ("other.json", "{\"a\": 1}".to_owned(), "no results of"),
        ("empty.trace", String::new(), "an empty file"),
        ("app.apk", "PK".to_owned(), "no results of"),
        ("blank.json", " ".repeat(100_000), "no results of"),
        ("cut-benchmarkData.json", "{\"context\": {".to_owned(), "no results of"),
        (
            "bad-benchmarkData.json",
            json!({ "context": { "build": {} }, "benchmarks": [1] }).to_string(),
            "invalid type",
        ),
        ("none-benchmarkData.json", benchmark_data(&[startup(&json!([]))]), "no trace; left out"),
    ];
    for (name, content, expected) in cases {
        let file = write(folder.path(), name, &content);
        let said = refused(&file);
        assert!(said.contains(expected), "{name}: {said}");
    }
    let empty = tempfile::tempdir().expect("a folder");
    assert!(matches!(ImportPlan::read(empty.path()), Err(ImportError::Unknown { .. })));
    assert!(matches!(ImportPlan::read(&empty.path().join("none")), Err(ImportError::Io { .. })));
}

#[test]
fn folders_in_use_are_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = write(folder.path(), "a.trace", "trace");
    let plan = ImportPlan::read(&trace).expect("a plan");
    let before = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert!(matches!(plan.write(folder.path()), Err(ImportError::NotEmpty { .. })));
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), before);
}
