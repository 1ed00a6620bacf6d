//! Records of the sinks `file` and `logcat`, read back from a real run.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::Duration;

use crate::art::ArtHost;
use crate::runtime_device;
use crate::runtime_driver::{
    DEEP, driver, early_events, main_events, nosy, talkative_log, worker_events,
};
use crate::runtime_reader::{Reading, read_file, read_log};
use wattle_probe::{MapId, ProbeEvent, Runtime, Sink};
use wattle_testdata::requires;

struct Run {
    art: ArtHost,
    sink: Sink,
    folder: tempfile::TempDir,
    class_path: Vec<PathBuf>,
    map: MapId,
}

impl Run {
    #[track_caller]
    fn new(sink: Sink) -> Self {
        let art = ArtHost::new();
        let folder = tempfile::tempdir().unwrap();
        let map = MapId::from_bytes(b"the map of this test");
        let runtime =
            Runtime { sink, map, package: Some("com.example".to_owned()), calibration: true };
        let class_path = [("main.dex", driver(sink)), ("probe.dex", runtime.write(38).unwrap())]
            .map(|(name, bytes)| {
                let path = folder.path().join(name);
                std::fs::write(&path, bytes).unwrap();
                path
            });
        Self { art, sink, folder, class_path: class_path.to_vec(), map }
    }

    /// The option that makes files go to a folder of this test.
    fn option(&self) -> String {
        format!("-Dwattle.dir={}", self.output().display())
    }

    fn output(&self) -> PathBuf {
        self.folder.path().join("made").join("by the runtime")
    }

    fn run(&self, arguments: [u32; 5], vm_options: &[&str]) -> Output {
        let option = self.option();
        let options: Vec<_> = [option.as_str()].iter().chain(vm_options).copied().collect();
        let output =
            self.art.run(&self.class_path, "Main", &arguments.map(|it| it.to_string()), &options);
        assert!(output.status.success(), "{output:?}");
        output
    }

    /// Starts a program that goes on until it is killed.
    fn spawn(&self, mut command: Command) -> Child {
        let class_path: Vec<_> =
            self.class_path.iter().map(|it| it.display().to_string()).collect();
        command.arg("-cp").arg(class_path.join(":")).arg("Main");
        command.args(["2", "2000000", "0", "0", "0"]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Waits until the file is as it should be; what is there a minute later is looked at as it is.
    fn wait_for(&self, ready: impl Fn(&[u8]) -> bool) {
        for _ in 0..600 {
            std::thread::sleep(Duration::from_millis(100));
            if std::fs::read_dir(self.output()).is_ok_and(|mut files| files.next().is_some()) {
                let bytes = std::fs::read(the_file(&self.output())).unwrap();
                if bytes.len() > 1_000 && ready(&bytes) {
                    return;
                }
            }
        }
    }

    fn read(&self, output: &Output) -> Reading {
        let log = String::from_utf8_lossy(&output.stderr);
        let reading = if self.sink == Sink::File {
            assert_eq!(log, "");
            let reading = read_file(&std::fs::read(the_file(&self.output())).unwrap());
            assert_eq!(reading.package, "com.example");
            reading
        } else {
            assert!(!self.output().exists());
            read_log(&log)
        };
        assert_eq!(reading.map, self.map.to_string());
        assert!(reading.process.ends_with("artrun"), "{}", reading.process);
        reading
    }
}

/// The one file of probes in a folder.
fn the_file(folder: &Path) -> PathBuf {
    let files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [file] = files.as_slice() else { panic!("{files:?}") };
    let name = file.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("wattle-") && name.ends_with(".probes"), "{name}");
    file.clone()
}

/// Every event of every thread, once, in order.
#[track_caller]
fn check(reading: &Reading, threads: u32, rounds: u32) {
    assert_eq!((reading.rest, reading.missing.len()), (0, 0));
    assert_eq!(reading.threads.len() as u32, threads + 2);
    assert_eq!(reading.calibrated().name, "main", "the first thread with a probe");
    let mut tids = std::collections::BTreeSet::new();
    for thread in reading.threads.values() {
        let expected = match thread.name.as_str() {
            "main" => {
                assert_eq!(thread.tid, reading.pid, "the first thread has the process's number");
                main_events(rounds)
            }
            "early" => early_events(),
            worker => worker_events(worker.parse().unwrap(), rounds),
        };
        let first = thread.events.iter().zip(&expected).position(|(found, it)| found != it);
        assert_eq!(first, None, "{}", thread.name);
        assert_eq!(thread.events.len(), expected.len(), "{}", thread.name);
        assert_eq!(thread.lost, 0);
        assert!(thread.drains.iter().all(|(begin, end)| begin < end));
        tids.insert(thread.tid);
    }
    // Numbers of ended threads may come again, those of threads that live together may not.
    assert!(tids.len() as u32 >= 2);
    for clocks in &reading.clocks {
        assert!(clocks.before <= clocks.after && clocks.after - clocks.before < 1_000_000_000);
        assert!(clocks.wall_ms > 1_600_000_000_000);
    }
}

#[requires(env = "WATTLE_ART")]
#[test]
fn many_events_of_many_threads() {
    for sink in [Sink::File, Sink::Logcat] {
        let run = Run::new(sink);
        let (threads, rounds) = (4, 3_000);
        let reading = run.read(&run.run([threads, rounds, 0, 1, 0], &[]));
        check(&reading, threads, rounds);
        // 36,000 events each do not fit into a buffer between two rounds of the timer.
        let drains: usize = reading.threads.values().map(|thread| thread.drains.len()).sum();
        assert!(drains > 20, "{drains} drains");
        let events: usize = reading.threads.values().map(|thread| thread.events.len()).sum();
        assert_eq!(events, 5 * 36_000 + 4);
    }
}

#[requires(env = "WATTLE_ART")]
#[test]
fn thousands_of_short_threads_in_a_small_heap() {
    for sink in [Sink::File, Sink::Logcat] {
        let run = Run::new(sink);
        let (threads, rounds) = (3_000, 2);
        // Their buffers, 24 KiB each, would take 72 MB, and the program keeps its ended threads.
        let reading = run.read(&run.run([threads, rounds, 1, 1, 0], &["-Xmx16m"]));
        check(&reading, threads, rounds);
    }
}

#[requires(env = "WATTLE_ART")]
#[test]
fn a_killed_process_leaves_a_readable_file() {
    let run = Run::new(Sink::File);
    let mut process = run.spawn(run.art.command(&[&run.option()]));
    run.wait_for(|bytes| bytes.len() > 300_000);
    // Long enough for the clocks to be read again.
    std::thread::sleep(Duration::from_secs(2));
    process.kill().unwrap();
    process.wait().unwrap();
    let bytes = std::fs::read(the_file(&run.output())).unwrap();
    // As it was left, and cut anywhere.
    for cut in [0, 1, 5, 11, 12, 13, 100, 1_000, 10_000] {
        let reading = read_file(&bytes[..bytes.len() - cut]);
        assert_eq!(reading.threads.len(), 4, "main, early and two more");
        assert_eq!(reading.calibrated().name, "main");
        for thread in reading.threads.values() {
            let rounds = thread.events.len() as u32 / 12 + 1;
            let expected = match thread.name.as_str() {
                "main" => main_events(rounds),
                "early" => early_events(),
                worker => worker_events(worker.parse().unwrap(), rounds),
            };
            assert!(expected.starts_with(&thread.events), "{}", thread.name);
            assert!(thread.name == "early" || thread.events.len() > 1_000, "{}", thread.name);
        }
        assert!(reading.clocks.len() >= 2, "the clocks are read again each second");
    }
}

#[requires(env = "WATTLE_ART")]
#[test]
fn a_device_is_asked_for_its_numbers_and_clocks() {
    for sink in [Sink::File, Sink::Logcat] {
        let mut run = Run::new(sink);
        run.art = run.art.with_framework(&runtime_device::device());
        let mut output = run.run([2, 1_000, 0, 1, 0], &[]);
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        let count = |text| log.lines().filter(|&line| line == text).count();
        let relaxed = count(runtime_device::RELAXED);
        assert_eq!(relaxed, count(runtime_device::RESTORED), "{log}");
        let kept = log.lines().filter(|line| line.starts_with("I/wattle: ")).collect::<Vec<_>>();
        output.stderr = kept.join("\n").into_bytes();
        let reading = run.read(&output);
        assert_eq!(reading.pid, runtime_device::PID);
        for clocks in &reading.clocks {
            assert_eq!(clocks.boot, runtime_device::BOOT);
        }
        let mut drains = 0;
        for (serial, thread) in &reading.threads {
            if thread.name == "main" {
                assert_eq!((*serial, thread.tid), (0, runtime_device::FIRST_TID + 1));
            }
            assert!(thread.tid > runtime_device::FIRST_TID);
            drains += thread.drains.len();
        }
        assert!(drains > 0 && relaxed == drains, "{drains} {relaxed}");
    }
}

#[requires(env = "WATTLE_ART")]
#[test]
fn the_end_of_the_stack_ends_no_recording() {
    check_end_of_stack(Sink::File);
}

#[ignore = "an error of the stack inside the writing of a line can damage that line"]
#[test]
fn the_end_of_the_stack_damages_no_line() {
    check_end_of_stack(Sink::Logcat);
}

#[track_caller]
fn check_end_of_stack(sink: Sink) {
    let run = Run::new(sink);
    let rounds = 1_000;
    let mut reading = run.read(&run.run([2, rounds, 0, 1, 10], &[]));
    let main = reading.threads.values_mut().find(|thread| thread.name == "main").unwrap();
    // A record that the stack had no room for is the program's own error; what is there is in order.
    let deep = (ProbeEvent::Enter, DEEP);
    let before = main.events.len();
    main.events.retain(|event| *event != deep);
    assert!(before - main.events.len() > 10_000, "{before}");
    main.lost = 0;
    // A line that was begun there never came.
    reading.missing.clear();
    check(&reading, 2, rounds);
}

#[requires(env = "WATTLE_ART")]
#[test]
fn probes_inside_a_drain_are_counted_and_end_there() {
    let mut run = Run::new(Sink::Logcat);
    run.art = run.art.with_framework(&talkative_log());
    let times = 5_000;
    std::fs::write(&run.class_path[0], nosy(Sink::Logcat, times)).unwrap();
    let reading = run.read(&run.run([0; 5], &[]));
    let main = reading.threads.values().find(|thread| thread.name == "main").unwrap();
    let expected = [(ProbeEvent::Enter, 1), (ProbeEvent::Exit, 1)].repeat(times as usize);
    let own: Vec<_> = main.events.iter().copied().filter(|event| event.1 == 1).collect();
    assert!(own == expected, "{} of {}", own.len(), expected.len());
    assert!(main.lost >= times as u32, "{} lost", main.lost);
}

#[requires(env = "WATTLE_ART")]
#[test]
fn a_full_disk_loses_records_and_says_so() {
    let run = Run::new(Sink::File);
    // No more than 100 KiB a file, in units of 512 bytes; what is beyond fails instead of ending the process.
    let mut command = run.art.command_after("trap '' XFSZ; ulimit -f 200;", &[&run.option()]);
    let class_path: Vec<_> = run.class_path.iter().map(|it| it.display().to_string()).collect();
    command.arg("-cp").arg(class_path.join(":")).arg("Main").args(["2", "3000", "0", "1", "0"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let bytes = std::fs::read(the_file(&run.output())).unwrap();
    assert!(bytes.len() > 80_000 && bytes.len() <= 102_400, "{}", bytes.len());
    let reading = read_file(&bytes);
    for thread in reading.threads.values().filter(|thread| thread.name != "early") {
        let expected = match thread.name.as_str() {
            "main" => main_events(3_000),
            worker => worker_events(worker.parse().unwrap(), 3_000),
        };
        assert!(thread.events.len() < expected.len());
        assert!(thread.events.len() + thread.lost as usize <= expected.len() + 2 * 100);
        assert!(thread.lost > 0 || expected.starts_with(&thread.events), "{}", thread.name);
    }
}

#[requires(env = "WATTLE_ART")]
#[test]
fn recording_goes_on_when_the_disk_has_room_again() {
    let run = Run::new(Sink::File);
    let shell = "trap '' XFSZ; ulimit -S -f 200;";
    let mut process = run.spawn(run.art.command_after(shell, &[&run.option()]));
    run.wait_for(|bytes| bytes.len() == 102_400);
    let mut raise = Command::new("prlimit");
    raise.args(["--pid", &process.id().to_string(), "--fsize=unlimited"]);
    let raised = raise.status();
    if raised.as_ref().is_ok_and(ExitStatus::success) {
        run.wait_for(|bytes| bytes.len() > 400_000);
    }
    process.kill().unwrap();
    process.wait().unwrap();
    assert!(raised.unwrap().success());
    let reading = read_file(&std::fs::read(the_file(&run.output())).unwrap());
    assert!(reading.threads.values().any(|thread| thread.lost > 0), "what was lost is told");
}

#[requires(env = "WATTLE_ART")]
#[test]
fn without_a_folder_nothing_is_recorded_and_nothing_fails() {
    let run = Run::new(Sink::File);
    let runtime = Runtime { sink: Sink::File, map: run.map, package: None, calibration: true };
    std::fs::write(&run.class_path[1], runtime.write(35).unwrap()).unwrap();
    let option = "-Dwattle.dir=/proc/none";
    let arguments = ["2", "1000", "0", "1", "0"];
    let output =
        run.art.run(&run.class_path, "Main", &arguments, &[option, "-Djava.io.tmpdir=/proc/none"]);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");

    let temporary = run.folder.path().join("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let second = format!("-Djava.io.tmpdir={}", temporary.display());
    let output = run.art.run(&run.class_path, "Main", &arguments, &[option, &second]);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let reading = read_file(&std::fs::read(the_file(&temporary)).unwrap());
    assert_eq!(reading.package, "");
    check(&reading, 2, 1_000);
}

#[requires(env = "WATTLE_ART")]
#[test]
fn lost_lines_are_noticed() {
    let run = Run::new(Sink::Logcat);
    let output = run.run([1, 500, 0, 1, 0], &[]);
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    let lines: Vec<_> = log.lines().collect();
    assert_eq!(read_log(&log).missing.len(), 0);
    for gone in 0..lines.len() - 1 {
        let kept: Vec<_> =
            lines.iter().enumerate().filter(|(at, _)| *at != gone).map(|(_, line)| *line).collect();
        let missing = read_log(&kept.join("\n")).missing;
        assert_eq!(missing, [gone as i64].into(), "line {gone}");
    }
}
