//! Method traces that a real Android 11 runtime writes of a program whose calls are counted by hand, in every way that it can.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::art::ArtHost;
use crate::corpus::tools;
use crate::dmtracedump;
use crate::events;
use crate::events::{Event, Profile, calls_of, profile};
use crate::plain;
use wattle_testdata::requires;
use wattle_timeline::{SliceScope, Timeline};

/// dmtracedump has room for threads below this number.
const THREADS: u32 = 32_768;

struct Bench {
    art: ArtHost,
    folder: PathBuf,
    dex: PathBuf,
}

impl Bench {
    fn make() -> Self {
        let art = ArtHost::new();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("method_trace");
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traced/Known.java");
        let dex = folder.join("known.dex");
        tools::java(&[source], &folder, &dex);
        Self { art, folder, dex }
    }

    /// The trace that a run leaves, and the file that it is in.
    fn trace(&self, name: &str, options: &[&str], arguments: &[&str]) -> (PathBuf, Timeline) {
        let file = self.folder.join(name);
        let of = format!("-Xmethod-trace-file:{}", file.display());
        let mut command = self.art.command(&["-cp", &self.dex.display().to_string()]);
        command.args(["-Xmethod-trace", &of]).args(options).arg("Known").args(arguments);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let timeline = wattle_ingest::read_paths(std::slice::from_ref(&file)).unwrap();
        (file, timeline)
    }
}

fn noted(timeline: &Timeline, code: &str) -> bool {
    timeline.quality.artifacts[0].notes.iter().any(|note| note.code == code)
}

/// Checks the program's known behaviour, whatever clock is read: calls of each method, threads, times that add up.
#[track_caller]
fn check_known(timeline: &Timeline, is_cpu: bool) {
    let found = profile(calls_of(timeline, is_cpu).values());
    let calls = |method: &str| found[&format!("Known.{method}")].calls;
    assert_eq!(calls("twice ()V"), 10 + 7);
    assert_eq!(calls("leaf ()V"), 2 * 17 + 5);
    assert_eq!(calls("spin (I)V"), 2 * 17 + 5);
    assert_eq!(calls("recurse (I)I"), 51);
    assert_eq!((calls("thrower ()V"), calls("catcher ()V")), (5, 5));
    assert_eq!((calls("worker ()V"), calls("main ([Ljava/lang/String;)V")), (1, 1));
    let unrolled = timeline.quality.artifacts[0].events["method unroll"];
    assert!(unrolled >= 5, "{unrolled}");
    let leaf = found["Known.leaf ()V"];
    assert!(found["Known.spin (I)V"].inclusive + leaf.exclusive == leaf.inclusive);
    let main = found["Known.main ([Ljava/lang/String;)V"];
    assert!(main.inclusive > found["Known.catcher ()V"].inclusive && leaf.inclusive > 0);
    let names: BTreeSet<&str> = timeline
        .code
        .slices
        .tracks
        .iter()
        .filter_map(|track| match track.scope {
            SliceScope::Thread(thread) => timeline.tasks.threads[thread.index()].name,
            _ => None,
        })
        .map(|name| timeline.names.get(name))
        .collect();
    assert!(names.contains("main") && names.contains("known worker"), "{names:?}");
    let worker = |thread: &&wattle_timeline::Thread| {
        thread.name.is_some_and(|name| timeline.names.get(name) == "known worker")
    };
    let worker = timeline.tasks.threads.iter().find(worker).unwrap();
    let process = timeline.tasks.processes[worker.process.unwrap().index()].pid.0;
    assert!(worker.tid.0 != process);
    let place =
        timeline.code.sites.sites.iter().find(|site| timeline.names.get(site.method) == "twice");
    let file = place.and_then(|site| site.file).map(|file| timeline.names.get(file));
    assert_eq!(file, Some("Known.java"));
}

#[requires(
    env = "WATTLE_ART",
    program = "javac",
    program = "java",
    program = "smali",
    program = "dexdump",
    program = "dmtracedump"
)]
#[test]
fn what_a_real_runtime_writes() {
    let bench = Bench::make();
    let (file, timeline) = bench.trace("dual.trace", &[], &[]);
    check_known(&timeline, true);
    check_known(&timeline, false);
    check_dmtracedump(&file, &timeline);
    // The worker slept for 50 ms, on no CPU.
    let (cpu, wall) = (calls_of(&timeline, true), calls_of(&timeline, false));
    let worker = |profile: Profile| profile["Known.worker ()V"].inclusive;
    let (cpu, wall) = (worker(profile(cpu.values())), worker(profile(wall.values())));
    assert!(wall >= cpu + 45_000, "{wall} {cpu}");

    let (file, timeline) = bench.trace("wall.trace", &["-Xprofile:wallclock"], &[]);
    check_known(&timeline, false);
    check_dmtracedump(&file, &timeline);
    assert!(timeline.code.slices.cpu.is_empty());
    let (file, timeline) = bench.trace("cpu.trace", &["-Xprofile:threadcpuclock"], &[]);
    check_known(&timeline, true);
    check_dmtracedump(&file, &timeline);
    assert!(noted(&timeline, "thread-clock-only"));

    let (file, timeline) = bench.trace("stream.trace", &["-Xmethod-trace-stream"], &[]);
    check_known(&timeline, true);
    check_known(&timeline, false);
    let listed = plain::events(&std::fs::read(&file).unwrap());
    for (is_cpu, clock) in
        [(true, (|event| event.cpu) as fn(&Event) -> u64), (false, |event: &Event| event.wall)]
    {
        let expected = profile(events::calls(&listed, clock).values());
        assert_eq!(profile(calls_of(&timeline, is_cpu).values()), expected);
    }

    // The buffer is too small; and nobody stopped the trace.
    let (_, timeline) = bench.trace("small.trace", &["-Xmethod-trace-file-size:9000"], &[]);
    assert!(noted(&timeline, "trace-overflow") && !timeline.code.slices.is_empty());
    let options = ["-Xmethod-trace-stream", "-Xmethod-trace-file-size:4000"];
    let (_, timeline) = bench.trace("halted.trace", &options, &["halt"]);
    assert!(noted(&timeline, "no-summary") || noted(&timeline, "truncated"));
    let calls = profile(calls_of(&timeline, true).values());
    assert!(calls["Known.twice ()V"].calls == 17 && calls["Known.recurse (I)I"].calls > 1000);
    check_report(&bench.folder.join("dual.trace"));
}

/// The same by Debian's dmtracedump.
#[track_caller]
fn check_dmtracedump(file: &Path, timeline: &Timeline) {
    // The runtime's threads are this machine's, which may have higher numbers: then only the rest of the test counts.
    if timeline.tasks.threads.iter().any(|thread| thread.tid.0 >= THREADS) {
        return;
    }
    let listed = dmtracedump::events(file);
    let is_cpu = !timeline.code.slices.cpu.is_empty();
    let expected = profile(events::calls(&listed, |event| event.cpu).values());
    let found = profile(calls_of(timeline, is_cpu).values());
    let mut seen = 0;
    for (method, row) in expected.iter().filter(|(method, _)| method.contains(" (")) {
        assert_eq!(found.get(method), Some(row), "{method}");
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
}

/// Checks the report that a person sees of it.
#[track_caller]
fn check_report(file: &Path) {
    let wattle = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wattle"));
        let output = command.arg("report").arg(file).args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let text = wattle(&["--by", "method", "--top", "2000"]);
    let row = text.lines().find(|line| line.contains("Known.catcher")).expect(&text);
    // Its threads' clocks give an energy on virtual CPUs.
    assert!(text.contains("assumed: ") && text.contains("energy first"), "{text}");
    assert!(row.contains('J'), "{row}");
    let json: serde_json::Value = serde_json::from_str(&wattle(&["--json", "-"])).unwrap();
    let rows = json["methods"].as_array().unwrap();
    let leaf = rows.iter().find(|row| row["name"] == "Known.leaf").unwrap();
    assert_eq!(leaf["calls"], 39);
    let joules = |key: &str| leaf[key].as_f64().unwrap();
    assert!(joules("total_joules") > 0.0 && joules("self_joules") > 0.0);
    let seconds = |key: &str| leaf[key].as_f64().unwrap();
    assert!(seconds("clock_cpu_s") > 0.0 && seconds("wall_s") > 0.0);
    assert!(seconds("self_clock_cpu_s") <= seconds("clock_cpu_s"));
}
