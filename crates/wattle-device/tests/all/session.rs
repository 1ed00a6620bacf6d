//! Sessions on a scripted device: whole ones, and ones that something strikes at every place.

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use crate::recorded;
use crate::recorded::{Fault, Phone, TestEnvironment, build};
use wattle_device::session::{Session, SessionPlan, SessionReport};
use wattle_device::{Cancel, DeviceError, Quiet};
use wattle_recording::{ArtifactKind, Outcome, Recording};

struct Made {
    phone: Phone,
    environment: TestEnvironment,
    result: Result<SessionReport, DeviceError>,
    folder: tempfile::TempDir,
}

impl Made {
    fn recording(&self) -> Recording {
        wattle_recording::load(&self.folder.path().join("run")).expect("a recording")
    }
}

fn plan(folder: &Path) -> SessionPlan {
    let mut plan = SessionPlan::new(folder.join("run"), "wattle test", build("A"));
    plan.come_back = Duration::ZERO;
    plan
}

fn make(change: impl FnOnce(&mut SessionPlan, &Phone, &Cancel, &mut TestEnvironment)) -> Made {
    let folder = tempfile::tempdir().expect("a folder");
    make_in(folder, change)
}

fn make_in(
    folder: tempfile::TempDir,
    change: impl FnOnce(&mut SessionPlan, &Phone, &Cancel, &mut TestEnvironment),
) -> Made {
    let cancel = Cancel::new();
    let phone = Phone::new(&cancel);
    let mut environment = TestEnvironment::new();
    let mut plan = plan(folder.path());
    change(&mut plan, &phone, &cancel, &mut environment);
    let session = Session {
        plan: &plan,
        device: &phone,
        cancel: &cancel,
        environment: &mut environment,
        progress: &Quiet,
    };
    let result = session.run();
    Made { phone, environment, result, folder }
}

/// Every artifact that is listed is there, and has the size that is said.
#[track_caller]
fn check_files(folder: &Path, recording: &Recording) {
    for artifact in &recording.artifacts {
        let facts = folder.join(&artifact.file).metadata();
        let bytes = facts.unwrap_or_else(|error| panic!("{}: {error}", artifact.file)).len();
        assert_eq!(Some(bytes), artifact.bytes, "{}", artifact.file);
    }
    let unfinished = |entry: std::io::Result<std::fs::DirEntry>| {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        let unfinished = [".part", ".unfinished"].iter().any(|end| name.ends_with(end));
        unfinished.then_some(name)
    };
    let left: Vec<String> =
        std::fs::read_dir(folder).expect("a folder").filter_map(unfinished).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_whole_session_leaves_a_whole_recording_and_nothing_on_the_device() {
    let made = make(|_, _, _, _| {});
    let report = made.result.as_ref().expect("a report");
    assert_eq!((report.outcome, report.made, report.kept), (Outcome::Passed, 1, 0));
    assert_eq!(made.phone.left_over(), Vec::<String>::new());
    let recording = made.recording();
    assert_eq!(recording, report.recording);
    check_files(&made.folder.path().join("run"), &recording);
    let files: Vec<(&str, bool)> = recording
        .artifacts
        .iter()
        .map(|artifact| (artifact.file.as_str(), artifact.partial))
        .collect();
    assert_eq!(
        files,
        [
            ("power_profile.xml", false),
            ("scenario.txt", false),
            ("logcat.txt", false),
            ("batterystats.txt", false),
            ("batterystats.checkin.txt", false),
            ("batterystats.pb", false),
            ("trace.perfetto-trace", false),
            ("counters.txt", false),
        ]
    );
    assert_eq!(recording.interrupted, None);
    assert_eq!((recording.clocks_start.len(), recording.clocks_end.len()), (1, 1));
    let iteration = &recording.iterations[0];
    assert_eq!(iteration.tests.len(), 2);
    assert!(iteration.tests.iter().all(|test| test.outcome == Outcome::Passed));
    let in_order = |a: i64, b: i64| assert!(a <= b, "{iteration:?}");
    in_order(iteration.start_host_ns, iteration.tests[0].start_host_ns);
    in_order(iteration.tests[0].end_host_ns, iteration.tests[1].start_host_ns);
    in_order(iteration.tests[1].end_host_ns, iteration.end_host_ns);
    assert_eq!(recording.apps[0].uid, Some(10_123));
    let recorders: Vec<&str> =
        recording.recorders.iter().map(|recorder| recorder.what.as_str()).collect();
    assert_eq!(recorders, ["perfetto", "polls counters"]);
    assert_eq!(recording.steps[0].restored, Some(true));
    let stages: Vec<&str> = recording.stages.iter().map(|stage| stage.name.as_str()).collect();
    assert_eq!(stages, ["facts", "prepare", "install", "start", "scenario", "pull", "restore"]);
    let about = |name: &str| {
        recording.sources.iter().find(|source| source.name == name).expect("a source").clone()
    };
    assert!(about("perfetto").recorded);
    assert_eq!(about("probes").reason.as_deref(), Some("the app has no probes"));
    assert_eq!(about("simpleperf").reason.as_deref(), Some("only used on request"));
    // What could not be read on the device is known here.
    let counters = about("counters");
    assert!(counters.recorded);
    assert_eq!(counters.setup.as_deref(), Some("period 1000 ms"));
    assert!(counters.reason.expect("a reason").contains("/proc/diskstats cannot be read"));
}

#[test]
fn things_happen_in_their_order() {
    let made = make(|_, _, _, _| {});
    let commands = made.phone.state().commands.clone();
    let at = |part: &str| {
        let is_it = |command: &String| command.contains(part) && !command.starts_with("echo ");
        let found = commands.iter().position(is_it);
        found.unwrap_or_else(|| panic!("no {part} in {commands:#?}"))
    };
    let order = [
        "dumpsys battery unplug",
        "logcat -v threadtime -v year -v usec -v UTC -v uid -T 1",
        "perfetto --background-wait",
        "counters.sh /proc /sys",
        "am instrument -w -r com.foo.test/androidx.test.runner.AndroidJUnitRunner",
        "rm -f /data/local/tmp/wattle/run/counters.go",
        "kill -TERM 5",
        "log -t wattle-recorder",
        "dumpsys batterystats -c",
        "pull /data/misc/perfetto-traces/",
        "rm -f /data/misc/perfetto-traces/",
        "dumpsys battery reset",
    ];
    for pair in order.windows(2) {
        assert!(at(pair[0]) < at(pair[1]), "{pair:?}");
    }
}

#[test]
fn a_failed_test_is_a_failed_run_with_everything_recorded() {
    let made = make(|_, phone, _, _| {
        let output = recorded::TWO_TESTS.replacen(
            "INSTRUMENTATION_STATUS_CODE: 0",
            "INSTRUMENTATION_STATUS: stack=java.lang.AssertionError\n\tat com.foo.BarTest.one\nINSTRUMENTATION_STATUS_CODE: -2",
            1,
        );
        phone.state().instrument_output = output;
    });
    let report = made.result.as_ref().expect("a report");
    assert_eq!(report.outcome, Outcome::Failed);
    let recording = made.recording();
    assert_eq!(recording.interrupted, None);
    let test = &recording.iterations[0].tests[0];
    let message = test.message.as_deref();
    assert_eq!(message, Some("java.lang.AssertionError\n\tat com.foo.BarTest.one"));
    assert!(recording.artifacts.iter().any(|a| a.kind == Some(ArtifactKind::Perfetto)));
    assert_eq!(made.phone.left_over(), Vec::<String>::new());
}

#[test]
fn builds_take_turns_and_each_run_can_be_analysed_alone() {
    let made = make(|plan, _, _, _| {
        plan.builds.push(build("B"));
        plan.repeat = 2;
        plan.cool_down = Duration::from_millis(10);
    });
    let report = made.result.as_ref().expect("a report");
    assert_eq!((report.made, report.outcome), (4, Outcome::Passed));
    // One package in two builds: it is installed anew at every turn.
    assert_eq!(made.environment.installs, ["A", "B", "B", "A"]);
    let recording = made.recording();
    let turns: Vec<(u32, Option<&str>)> = recording
        .iterations
        .iter()
        .map(|iteration| (iteration.number, iteration.app.as_deref()))
        .collect();
    assert_eq!(turns, [(0, Some("A")), (1, Some("B")), (2, Some("B")), (3, Some("A"))]);
    check_files(&made.folder.path().join("run"), &recording);
    for number in 0..4_u32 {
        let folder = made.folder.path().join("run").join(number.to_string());
        let unit = wattle_recording::load(&folder).expect("a recording");
        check_files(&folder, &unit);
        assert_eq!(unit.interrupted, None);
        assert_eq!(unit.iterations, recording.iterations[number as usize..=number as usize]);
        let listed = |artifact: &&wattle_recording::Artifact| artifact.iteration == Some(number);
        assert_eq!(recording.artifacts.iter().filter(listed).count(), unit.artifacts.len());
        assert_eq!(unit.apps.len(), 1);
    }
    assert_eq!(recording.apps.len(), 2);
    let pauses = recording.stages.iter().filter(|stage| stage.name == "cool-down");
    assert_eq!(pauses.count(), 3, "not before the first");
    assert_eq!(made.phone.left_over(), Vec::<String>::new());
}

/// A run whose tests pass, on a phone where something happens to the app or to the trace.
#[track_caller]
fn check_fate(change: impl FnOnce(&Phone), outcome: Outcome, word: &str) {
    let made = make(|_, phone, _, _| change(phone));
    let report = made.result.as_ref().expect("a report");
    let iteration = &made.recording().iterations[0];
    assert_eq!((report.outcome, iteration.outcome), (outcome, outcome), "{iteration:?}");
    let message = iteration.message.clone().unwrap_or_default();
    assert!(message.contains(word), "{message}");
    assert_eq!(made.phone.left_over(), Vec::<String>::new());
}

#[test]
fn a_run_whose_app_died_or_whose_trace_is_empty_has_not_passed() {
    let logs = |line: &'static str| {
        move |phone: &Phone| phone.state().log.extend_from_slice(line.as_bytes())
    };
    check_fate(|_| {}, Outcome::Passed, "");
    check_fate(
        logs("2026-11-22 05:00:09.1 u0 12 12 E AndroidRuntime: Process: com.foo, PID: 12\n"),
        Outcome::Crashed,
        "com.foo crashed during the scenario",
    );
    check_fate(
        logs("2026-11-22 05:00:09.1 1000 1 1 E ActivityManager: ANR in com.foo\n"),
        Outcome::Crashed,
        "stopped responding",
    );
    check_fate(|phone| phone.state().uninstalled = true, Outcome::Failed, "was uninstalled");
    check_fate(
        |phone| phone.state().has_scheduler = false,
        Outcome::Failed,
        "no scheduler data: the trace has no scheduling events",
    );
    check_fate(
        |phone| phone.state().has_perfetto = false,
        Outcome::Failed,
        "no scheduler data: no trace was recorded",
    );
}

#[test]
fn an_app_that_is_left_alone_must_go_on() {
    use wattle_device::scenario::{Launch, Scenario, StartMode};
    let launch = |phone: &Phone, plan: &mut SessionPlan, runs: bool| {
        plan.builds[0].scenario = Scenario::Launch(Launch {
            package: "com.foo".into(),
            activity: Some(".Main".into()),
            mode: StartMode::Cold,
            length: Duration::from_millis(10),
        });
        phone.state().launches = runs;
    };
    let made = make(|plan, phone, _, _| launch(phone, plan, true));
    assert_eq!(made.result.expect("a report").outcome, Outcome::Passed);
    let made = make(|plan, phone, _, _| launch(phone, plan, false));
    assert_eq!(made.result.as_ref().expect("a report").outcome, Outcome::Failed);
    let message = made.recording().iterations[0].message.clone().expect("a message");
    assert!(message.contains("did not run any more at the end"), "{message}");
}

#[test]
fn the_scenario_is_marked_and_warming_up_does_not_count() {
    let made = make(|plan, _, _, _| (plan.repeat, plan.warm_up) = (2, 1));
    assert_eq!(made.result.as_ref().expect("a report").made, 3);
    let recording = made.recording();
    let warm_up: Vec<bool> = recording.iterations.iter().map(|it| it.warm_up).collect();
    assert_eq!(warm_up, [true, false, false]);
    for iteration in &recording.iterations {
        let marks = (iteration.start_boot_ns, iteration.end_boot_ns);
        // The scripted phone has one time: after its start it is not over before it.
        assert_eq!(marks, (Some(14_291_360_000_000), None));
    }
}

/// Notes of a run are the series' once, however many runs come after it.
#[test]
fn notes_of_a_series_do_not_multiply() {
    let made = make(|plan, phone, _, _| {
        plan.repeat = 8;
        phone.state().has_perfetto = false;
        plan.keep_going = true;
    });
    let notes = made.recording().notes;
    assert!(notes.iter().any(|note| note.starts_with("run 7: ")), "{notes:?}");
    let twice = notes.iter().find(|note| note.matches("run ").count() > 1);
    assert!(twice.is_none() && notes.len() < 8 * 10, "{} {twice:?}", notes.len());
}

#[test]
fn an_interrupted_series_is_resumed() {
    // The third of four runs is interrupted while its scenario runs.
    let whole = make(|plan, _, _, _| plan.repeat = 4);
    let commands = whole.phone.state().commands.clone();
    let mut scenarios = 0;
    let mut at = 0;
    // Commands and pieces of output are counted; pieces follow their command.
    let pieces = 1 + recorded::TWO_TESTS.len() as u64 / 200 + 1;
    for command in &commands {
        at += 1;
        if command.starts_with("am instrument") {
            scenarios += 1;
            if scenarios == 3 {
                break;
            }
            at += pieces;
        } else if command.starts_with("dumpsys batterystats") {
            at += 2;
        }
    }
    let made = make(|plan, phone, cancel, _| {
        plan.repeat = 4;
        phone.inner.faults.plan(at, Fault::CtrlC, cancel);
    });
    assert!(matches!(made.result, Err(DeviceError::BrokenOff { .. })), "{:?}", made.result);
    let struck = made.phone.inner.faults.struck();
    assert!(struck.starts_with("am instrument"), "{struck}");
    let folder = made.folder;
    let recording = wattle_recording::load(&folder.path().join("run")).expect("a recording");
    assert!(recording.interrupted.is_some());
    assert_eq!(recording.iterations.len(), 3);

    let again = make_in(folder, |plan, _, _, _| {
        plan.repeat = 4;
        plan.resume = true;
    });
    let report = again.result.as_ref().expect("a report");
    assert_eq!((report.kept, report.made, report.outcome), (2, 2, Outcome::Passed));
    let recording = again.recording();
    assert_eq!(recording.interrupted, None);
    assert_eq!(recording.iterations.len(), 4);
    check_files(&again.folder.path().join("run"), &recording);
    // What broke off is kept beside it.
    let aside = std::fs::read_dir(again.folder.path().join("run")).expect("a folder");
    let aside = aside
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("2.interrupted-"));
    assert_eq!(aside.count(), 1);

    let third = make_in(again.folder, |plan, _, _, _| {
        plan.repeat = 4;
        plan.resume = true;
    });
    let report = third.result.as_ref().expect("a report");
    assert_eq!((report.kept, report.made), (4, 0));
    assert!(third.phone.state().commands.is_empty(), "nothing is left to be asked");
}

#[test]
fn another_recording_is_not_written_over() {
    let made = make(|_, _, _, _| {});
    let again = make_in(made.folder, |_, _, _, _| {});
    let error = again.result.expect_err("refused").to_string();
    assert!(error.contains("is not empty"), "{error}");
    let other = make_in(again.folder, |plan, _, _, _| {
        plan.resume = true;
        plan.builds[0].scenario =
            wattle_device::scenario::Scenario::Nothing(Duration::from_millis(1));
    });
    let error = other.result.expect_err("refused").to_string();
    assert!(error.contains("cannot be resumed: its scenario"), "{error}");
}

#[test]
fn a_device_without_perfetto_is_recorded_without_it() {
    let made = make(|_, phone, _, _| phone.state().has_perfetto = false);
    made.result.as_ref().expect("a report");
    let recording = made.recording();
    let source = recording.sources.iter().find(|source| source.name == "perfetto");
    let reason = source.expect("a source").reason.clone();
    assert_eq!(reason.as_deref(), Some("the device has no command perfetto"));
    assert!(recording.artifacts.iter().all(|a| a.kind != Some(ArtifactKind::Perfetto)));
}

#[test]
fn a_source_that_somebody_insists_on_must_be_there() {
    use wattle_device::source::{SourceChoice, SourceName};
    let made = make(|plan, phone, _, _| {
        phone.state().has_perfetto = false;
        plan.sources.choice = SourceChoice::Only([SourceName::Perfetto].into());
    });
    let error = made.result.as_ref().expect_err("refused").to_string();
    assert!(error.contains("requested source perfetto is unavailable"), "{error}");
    assert!(error.contains("the device was restored"), "{error}");
    assert_eq!(made.phone.left_over(), Vec::<String>::new());
}

#[test]
fn the_tracing_service_of_android_10_is_turned_on_and_off_again() {
    let made = make(|_, _, _, environment| environment.sdk = 29);
    made.result.as_ref().expect("a report");
    let commands = made.phone.state().commands.clone();
    let on = commands.iter().position(|c| c == "setprop persist.traced.enable 1").expect("on");
    let off = commands.iter().position(|c| c == "setprop persist.traced.enable ''").expect("off");
    assert!(on < off);
    assert!(commands.iter().any(|command| command.contains("$(perfetto --background -c")));
    assert_eq!(made.phone.left_over(), Vec::<String>::new());
}

/// Lets a fault strike at every place, and looks at what is left.
fn strike_everywhere(fault: Fault, check: impl Fn(u64, &Made) + Sync) {
    let whole = make(|_, _, _, _| {});
    let places = whole.phone.inner.faults.asked();
    assert!(places > 40, "{places}");
    let next = Mutex::new(1);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                loop {
                    let at = {
                        let mut next = next.lock().unwrap();
                        *next += 1;
                        *next - 1
                    };
                    if at > places {
                        return;
                    }
                    let made = make(|plan, phone, cancel, _| {
                        if matches!(fault, Fault::AwayFor(_) | Fault::Reboot(_)) {
                            plan.come_back = Duration::from_secs(20);
                        }
                        phone.inner.faults.plan(at, fault, cancel);
                    });
                    check(at, &made);
                }
            });
        }
    });
}

/// Whatever struck: the folder can be loaded, and all that it lists is there.
#[track_caller]
fn check_loadable(at: u64, made: &Made) -> Recording {
    let recording = made.recording();
    check_files(&made.folder.path().join("run"), &recording);
    let struck = made.phone.inner.faults.struck();
    match &made.result {
        Ok(_) => assert_eq!(recording.interrupted, None, "place {at}: {struck}"),
        Err(error) => {
            assert!(matches!(error, DeviceError::BrokenOff { .. }), "{at} {struck}: {error}");
            let text = error.to_string();
            assert!(text.contains("kept in") || text.contains("nothing was recorded"), "{text}");
        }
    }
    recording
}

#[track_caller]
fn check_put_back(at: u64, made: &Made) {
    let struck = made.phone.inner.faults.struck();
    let left = made.phone.left_over();
    assert!(left.is_empty(), "place {at}, {struck}: {left:?} {:?}", made.result.as_ref().err());
}

#[test]
fn a_device_that_goes_away_and_comes_back_is_put_back() {
    strike_everywhere(Fault::AwayFor(Duration::from_millis(100)), |at, made| {
        let recording = check_loadable(at, made);
        check_put_back(at, made);
        if let Err(error) = &made.result {
            let text = error.to_string();
            let well = ["the device was restored", "nothing was changed on the device"];
            assert!(well.iter().any(|words| text.contains(words)), "{at}: {text}");
        }
        // What was recorded when it came back is whole, however much of it had been pulled.
        if !recording.iterations.is_empty() && recording.clocks_end.len() == 1 {
            let trace = recording.artifacts.iter().find(|a| a.file == "trace.perfetto-trace");
            assert_eq!(trace.expect("a trace").bytes, Some(56), "{at}");
        }
    });
}

#[test]
fn a_device_that_reboots_is_put_back() {
    strike_everywhere(Fault::Reboot(Duration::from_millis(100)), |at, made| {
        check_loadable(at, made);
        check_put_back(at, made);
    });
}

#[test]
fn a_device_that_stays_away_leaves_its_recording_and_the_commands_that_put_it_back() {
    strike_everywhere(Fault::Gone, |at, made| {
        let recording = check_loadable(at, made);
        let error = made.result.as_ref().expect_err("it is gone").to_string();
        let left = made.phone.left_over();
        assert!(error.contains("X1 disconnected"), "{at}: {error}");
        for what in left {
            let command = match what.split(' ').next() {
                Some("battery") => "adb -s X1 shell dumpsys battery reset".to_owned(),
                Some("process") => {
                    let pid = what.split(' ').nth(1).expect("a pid");
                    assert!(error.contains("adb -s X1 shell 'kill"), "{at}: {error}");
                    pid.to_owned()
                }
                // The folder of ours is only ours: it may stay. A trace may not.
                Some("file") if what.contains("/data/local/tmp/wattle/") => continue,
                _ => "adb -s X1 shell 'rm -f /data/misc/perfetto-traces/".to_owned(),
            };
            assert!(error.contains(&command), "{at}: {what} is left, but: {error}");
        }
        if !recording.iterations.is_empty() {
            assert!(recording.artifacts.iter().any(|a| a.file == "logcat.txt"), "{at}");
        }
    });
}

#[test]
fn ctrl_c_puts_the_device_back_wherever_it_comes() {
    strike_everywhere(Fault::CtrlC, |at, made| {
        let recording = check_loadable(at, made);
        check_put_back(at, made);
        if made.result.is_err() {
            assert!(recording.interrupted.is_some(), "{at}");
        }
        // What was recorded until then was brought home.
        if !recording.recorders.is_empty() {
            let trace = recording.artifacts.iter().find(|a| a.file == "trace.perfetto-trace");
            assert_eq!(trace.expect("a trace").bytes, Some(56), "{at}");
        }
    });
}

#[test]
fn somebody_in_a_hurry_gets_a_device_that_is_put_back_and_what_is_here() {
    strike_everywhere(Fault::CtrlC, |at, _| {
        // The same place again, now with a second Ctrl-C on the heels of the first.
        let made = make(|plan, phone, cancel, _| {
            plan.hurry = cancel.clone();
            phone.inner.faults.plan(at, Fault::CtrlC, cancel);
        });
        check_loadable(at, &made);
        check_put_back(at, &made);
    });
}

#[test]
fn a_command_that_hangs_or_says_no_does_not_keep_the_device_from_being_put_back() {
    for fault in [Fault::Hangs, Fault::Refuses] {
        strike_everywhere(fault, |at, made| {
            check_loadable(at, made);
            let left = made.phone.left_over();
            if left.is_empty() {
                return;
            }
            // Only where the very command that puts it back was struck; then it is said.
            let struck = made.phone.inner.faults.struck();
            let undo = ["rm -", "dumpsys battery reset", "kill"];
            assert!(undo.iter().any(|word| struck.starts_with(word)), "{at} {struck}: {left:?}");
            if struck.starts_with("dumpsys battery reset") {
                let error = made.result.as_ref().expect_err("not put back").to_string();
                assert!(error.contains("could not be restored"), "{error}");
            }
        });
    }
}
