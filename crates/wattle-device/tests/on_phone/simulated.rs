//! This client, Debian's own adb server and the simulated phone.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::bench::{Bench, LIMIT, Test};
use wattle_device::adb::{DeviceState, InstallCause};
use wattle_device::keeper::{DeviceKeeper, KeeperOptions};
use wattle_device::scenario::Scenario;
use wattle_device::session::{Build, Session, SessionPlan};
use wattle_device::source::CounterOptions;
use wattle_device::{Cancel, Device as _, DeviceError, InstallOptions, Quiet, ShellEvent};
use wattle_phone::{Event, Fault, PhoneOptions};

pub const TESTS: &[Test] = &[
    ("commands_give_outputs_and_status", commands_give_outputs_and_status),
    ("a_dropped_stream_ends_its_command", a_dropped_stream_ends_its_command),
    ("files_go_there_and_back", files_go_there_and_back),
    ("a_refused_package_has_a_cause", a_refused_package_has_a_cause),
    (
        "a_phone_that_goes_away_is_told_and_found_again",
        a_phone_that_goes_away_is_told_and_found_again,
    ),
    ("a_session_records_what_the_phone_has", a_session_records_what_the_phone_has),
];

fn commands_give_outputs_and_status() {
    let bench = Bench::new(PhoneOptions::default());
    let device = bench.device();
    assert!(device.features().shell_v2() && device.features().cmd(), "{:?}", device.features());
    assert_eq!(device.state().expect("a state"), DeviceState::Device);
    for (command, stdout, stderr, status) in [
        ("echo a; echo b >&2; exit 3", "a\n", "b\n", 3),
        ("getprop ro.build.version.sdk", "34\n", "", 0),
        ("false", "", "", 1),
    ] {
        let output = device.shell(command, LIMIT).expect(command);
        let stderr_found = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            (output.text().as_ref(), stderr_found.as_str(), output.status),
            (stdout, stderr, Some(status)),
            "{command}"
        );
    }
    let words = b"some words".repeat(100_000);
    let output = device.shell_with_input("cat", &mut words.as_slice(), LIMIT).expect("cat");
    assert!(output.stdout == words, "{} bytes came back", output.stdout.len());
}

fn a_dropped_stream_ends_its_command() {
    let bench = Bench::new(PhoneOptions::default());
    let device = bench.device();
    device.shell("log -t wattle words", LIMIT).expect("logged");
    for command in ["echo $$; exec logcat", "sh -c 'echo $$; exec sleep 1000'; true"] {
        let mut stream = device.stream(command).expect("a stream");
        let mut line = Vec::new();
        while !line.contains(&b'\n') {
            match stream.next(LIMIT).expect("goes on") {
                Some(ShellEvent::Stdout(bytes)) => line.extend(bytes),
                other => panic!("{command}: {other:?}"),
            }
        }
        let pid = String::from_utf8_lossy(&line).lines().next().unwrap_or_default().to_owned();
        let pid: u32 = pid.parse().expect("a number");
        let runs = || bench.phone.is_running(pid);
        assert!(runs(), "{command}: {pid}");
        drop(stream);
        let end = Instant::now() + LIMIT;
        while runs() {
            assert!(Instant::now() < end, "{command} goes on");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

fn files_go_there_and_back() {
    let bench = Bench::new(PhoneOptions::default());
    let device = bench.device();
    let content: Vec<u8> =
        (0..3_000_017_u32).map(|index| (index.wrapping_mul(7) >> 3) as u8).collect();
    let path = "/data/local/tmp/file";
    device.push(&mut content.as_slice(), path, 0o644).expect("pushed");
    // Past adb: the phone's folders are folders of this machine.
    assert!(std::fs::read(bench.phone.host_path(path)).expect("it is there") == content);
    let mut back = Vec::new();
    device.pull(path, &mut back).expect("pulled");
    assert!(back == content, "{} bytes came back", back.len());
    let facts = device.stat(path).expect("facts").expect("it is there");
    assert_eq!((facts.name.as_str(), facts.bytes, facts.is_folder()), ("file", 3_000_017, false));
    let listed = device.list("/data/local/tmp").expect("a list");
    assert!(listed.contains(&facts), "{listed:?}");
    assert_eq!(device.stat("/data/local/tmp/none").expect("an answer"), None);
    let missing = device.pull("/data/local/tmp/none", &mut std::io::sink());
    assert!(matches!(missing, Err(DeviceError::Refused { .. })), "{missing:?}");
}

fn a_refused_package_has_a_cause() {
    let bench = Bench::new(PhoneOptions::default());
    bench
        .phone
        .inject(Fault::RefuseInstall { reason: "INSTALL_FAILED_USER_RESTRICTED".to_owned() });
    let package = bench.home.path().join("a.apk");
    std::fs::write(&package, vec![7; 1_000_000]).expect("a package");
    let packages: Vec<PathBuf> = vec![package];
    match bench.device().install(&packages, &InstallOptions::default()) {
        Err(DeviceError::NotInstalled { refusal, .. }) => {
            assert_eq!(refusal.cause, InstallCause::UserRestricted, "{refusal:?}");
        }
        other => panic!("{other:?}"),
    }
}

fn a_phone_that_goes_away_is_told_and_found_again() {
    let bench = Bench::new(PhoneOptions::default());
    let device = bench.device();
    let content = vec![7; 4_000_000];
    let path = "/data/local/tmp/file";
    device.push(&mut content.as_slice(), path, 0o644).expect("pushed");
    let delay = Duration::ZERO;
    bench.phone.inject(Fault::DisconnectAt { event: Event::PullStarted, delay, away: None });
    let gone = device.pull(path, &mut std::io::sink());
    assert!(matches!(gone, Err(DeviceError::Disconnected { .. })), "{gone:?}");
    bench.phone.repair();
    bench.phone.reconnect();
    bench.connect();
    assert_eq!(device.shell("echo on", LIMIT).expect("it is back").text(), "on\n");
}

/// All that a session needs, together: the keeper's preparation, the sources and the restoration, on a phone without an app.
fn a_session_records_what_the_phone_has() {
    let bench = Bench::new(PhoneOptions::default());
    let device = bench.device();
    let folder = bench.home.path().join("run");
    let before = bench.phone.battery();
    let build = Build {
        app: None,
        packages: Vec::new(),
        scenario: Scenario::Nothing(Duration::from_secs(2)),
    };
    let mut plan = SessionPlan::new(&folder, "wattle test", build);
    plan.sources.counters = CounterOptions::every(Duration::from_millis(200)).expect("a period");
    let mut keeper = DeviceKeeper::new(KeeperOptions::new(bench.home.path().join("keeper")));
    let report = Session {
        plan: &plan,
        device: &device,
        cancel: &Cancel::new(),
        environment: &mut keeper,
        progress: &Quiet,
    }
    .run()
    .expect("a recording");
    let recording = report.recording;
    let whole = |artifact: &wattle_recording::Artifact| {
        assert!(!artifact.partial && artifact.bytes > Some(0), "{artifact:?}");
        artifact.file.clone()
    };
    let files: Vec<String> = recording.artifacts.iter().map(whole).collect();
    let expected = [
        "power_profile.xml",
        "logcat.txt",
        "batterystats.txt",
        "batterystats.checkin.txt",
        "batterystats.pb",
        "trace.perfetto-trace",
        "counters.txt",
    ];
    assert_eq!(files, expected);
    assert!(!recording.clocks_start.is_empty() && !recording.clocks_end.is_empty());
    let counters = std::fs::read_to_string(folder.join("counters.txt")).expect("text");
    // Two seconds, and the machine may be slow; with it the samples are further apart, never fewer than these.
    let samples = counters.matches("\n> ").count();
    assert!(samples >= 3, "{counters}");
    let frequencies = "< /sys/devices/system/cpu/cpu7/cpufreq/stats/time_in_state\n";
    assert_eq!(counters.matches(frequencies).count(), samples, "{counters}");
    let log = std::fs::read_to_string(folder.join("logcat.txt")).expect("text");
    assert!(log.contains("wattle-recorder: end-"), "{log}");

    // Nothing of it is left.
    let after = bench.phone.battery();
    assert_eq!((after.charging, &after.faked), (before.charging, &before.faked));
    assert!(after.charge_uah < before.charge_uah, "the phone has drawn something");
    // The last command's process ends a moment after its output has.
    let deadline = Instant::now() + Duration::from_secs(10);
    while !bench.phone.recorders().is_empty() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(bench.phone.recorders().is_empty(), "{:?}", bench.phone.recorders());
    for path in ["/data/local/tmp/wattle", "/data/misc/perfetto-traces"] {
        let left = device.list(path).expect("a list");
        assert!(left.is_empty(), "{left:?}");
    }
}
