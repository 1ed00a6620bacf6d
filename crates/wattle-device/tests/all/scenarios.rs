//! Scenarios on a scripted device and on this machine.

use std::path::PathBuf;
use std::time::Duration;

use crate::recorded::{Fault, Phone, build};
use wattle_device::scenario::{
    HostProgram, InstrumentScenario, Launch, Manual, Monkey, OutputFile, Scenario, ScenarioEnd,
    ScenarioRun, ShellScript, StartMode, TestFilter,
};
use wattle_device::{Cancel, Device as _, DeviceError, Quiet};
use wattle_recording::Outcome;

struct Ran {
    end: ScenarioEnd,
    output: String,
    phone: Phone,
}

fn run(scenario: &Scenario, limit: Duration, change: impl FnOnce(&Phone, &Cancel)) -> Ran {
    let folder = tempfile::tempdir().expect("a folder");
    let cancel = Cancel::new();
    let phone = Phone::new(&cancel);
    change(&phone, &cancel);
    let mut output = OutputFile::create(folder.path()).expect("a file");
    let end = scenario.run(&mut ScenarioRun {
        device: &phone,
        cancel: &cancel,
        output: &mut output,
        folder: folder.path(),
        limit,
        progress: &Quiet,
    });
    let output = std::fs::read_to_string(folder.path().join("scenario.txt")).expect("text");
    Ran { end, output, phone }
}

#[track_caller]
fn check(scenario: &Scenario, outcome: Outcome, reason: &str) -> Ran {
    let ran = run(scenario, Duration::from_secs(20), |_, _| {});
    assert_eq!(ran.end.outcome, outcome, "{:?}", ran.end);
    let message = ran.end.message.clone().unwrap_or_default();
    assert!(message.contains(reason), "{message}");
    ran
}

fn host(script: &str) -> Scenario {
    Scenario::Host(HostProgram {
        program: PathBuf::from("sh"),
        arguments: vec!["-c".to_owned(), script.to_owned()],
        environment: Vec::new(),
    })
}

#[test]
fn a_program_of_this_machine_finds_the_device_and_the_folder() {
    let script = "echo serial=$ANDROID_SERIAL; echo to stderr >&2; ls \"$WATTLE_RECORDING\"";
    let ran = check(&host(script), Outcome::Passed, "");
    for part in ["serial=X1\n", "to stderr\n", "scenario.txt\n"] {
        assert!(ran.output.contains(part), "{}", ran.output);
    }
}

#[test]
fn the_exit_status_of_a_program_is_its_verdict() {
    check(&host("exit 3"), Outcome::Failed, "exit status: 3");
    check(&host("kill -9 $$"), Outcome::Failed, "signal: 9");
    let missing = Scenario::Host(HostProgram {
        program: "/no/such/program".into(),
        arguments: Vec::new(),
        environment: Vec::new(),
    });
    check(&missing, Outcome::Failed, "/no/such/program");
}

#[test]
fn a_program_that_prints_much_and_closes_its_output_is_waited_for() {
    let ran = check(
        &host(
            "i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done; exec >&- 2>&-; sleep 0.3; exit 4",
        ),
        Outcome::Failed,
        "exit status: 4",
    );
    assert_eq!(ran.output.lines().count(), 20_000);
}

#[test]
fn a_program_that_takes_too_long_is_ended() {
    let ran = run(&host("echo begun; exec sleep 60"), Duration::from_millis(400), |_, _| {});
    assert!(matches!(ran.end.error, Some(DeviceError::TimedOut { .. })), "{:?}", ran.end);
    assert_eq!(ran.end.outcome, Outcome::Failed);
    assert_eq!(ran.output, "begun\n");
}

#[test]
fn whatever_runs_ends_when_somebody_wants_it() {
    let scenarios = [
        host("exec sleep 60"),
        Scenario::Nothing(Duration::from_mins(1)),
        Scenario::Manual(Manual::until(Cancel::new())),
        build("A").scenario,
    ];
    for scenario in scenarios {
        let ran = run(&scenario, Duration::from_mins(1), |_, cancel| cancel.cancel());
        assert!(matches!(ran.end.error, Some(DeviceError::Cancelled)), "{scenario:?}");
        assert_eq!(ran.end.outcome, Outcome::Interrupted);
    }
}

#[test]
fn a_person_says_when_it_is_enough() {
    let enough = Cancel::new();
    let signal = enough.clone();
    let manual = Scenario::Manual(Manual::until(enough));
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        signal.cancel();
    });
    check(&manual, Outcome::Passed, "");
    let never = Scenario::Manual(Manual::until(Cancel::new()));
    let ran = run(&never, Duration::from_millis(100), |_, _| {});
    assert_eq!(ran.end.outcome, Outcome::Passed);
    assert!(ran.end.message.expect("said").contains("ended after 0.1 s"));
}

#[test]
fn a_script_runs_on_the_device_with_its_arguments() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("drive.sh");
    std::fs::write(&file, "echo script\n").expect("written");
    let script =
        Scenario::Shell(ShellScript { file, arguments: vec!["a b".into(), "it's".into()] });
    let ran = check(&script, Outcome::Passed, "");
    assert_eq!(ran.output, "script\n");
    let state = ran.phone.state();
    assert_eq!(state.files["/data/local/tmp/wattle/run/scenario.sh"], b"echo script\n");
    let command = r"sh /data/local/tmp/wattle/run/scenario.sh 'a b' 'it'\''s'";
    assert_eq!(state.commands.last().map(String::as_str), Some(command));
}

#[test]
fn an_activity_is_started_and_left_alone() {
    let launch = |activity: &str| {
        Scenario::Launch(Launch {
            package: "com.foo".into(),
            activity: Some(activity.into()),
            mode: StartMode::Cold,
            length: Duration::from_millis(10),
        })
    };
    let ran = check(&launch(".Main"), Outcome::Passed, "");
    assert_eq!(ran.phone.state().commands, ["am start -W -n com.foo/.Main"]);
    let none = Scenario::Launch(Launch {
        package: "com.foo".into(),
        activity: None,
        mode: StartMode::Cold,
        length: Duration::from_millis(10),
    });
    // The scripted device has no package manager that lists activities.
    check(&none, Outcome::Failed, "android.intent.category.LAUNCHER");
}

#[test]
fn a_device_that_goes_away_leaves_the_tests_until_then() {
    let scenario = build("A").scenario;
    // After the first pieces of output.
    let ran = run(&scenario, Duration::from_secs(20), |phone, cancel| {
        phone.inner.faults.plan(5, Fault::Gone, cancel);
    });
    assert!(matches!(ran.end.error, Some(DeviceError::Disconnected { .. })));
    assert_eq!(ran.end.outcome, Outcome::Interrupted);
    let outcomes: Vec<Outcome> = ran.end.tests.iter().map(|test| test.outcome).collect();
    assert_eq!(outcomes.first(), Some(&Outcome::Passed), "{outcomes:?}");
    assert!(!ran.output.is_empty());
}

#[test]
fn a_monkey_that_is_refused_has_failed() {
    let monkey = Scenario::Monkey(Monkey {
        package: "com.foo".into(),
        seed: 1,
        events: 10,
        throttle: Duration::ZERO,
        extra: Vec::new(),
    });
    check(&monkey, Outcome::Failed, "status 127");
    assert_eq!(monkey.facts().seed, Some(1));
}

#[test]
fn tests_are_found_on_the_device_where_their_names_need_it() {
    let Scenario::Instrument(all) = build("A").scenario else { panic!("tests") };
    let phone = Phone::new(&Cancel::new());
    let limit = Duration::from_secs(5);
    let named = |filter: &str| InstrumentScenario {
        filter: TestFilter::parse(filter).expect("a filter"),
        ..all.clone()
    };
    let full = named("com.foo.BarTest#one").resolve(&phone, limit).expect("resolved");
    assert_eq!(full, named("com.foo.BarTest#one"));
    assert!(phone.state().commands.is_empty(), "full names need no device");
    let simple = named("BarTest#t*").resolve(&phone, limit).expect("resolved");
    assert_eq!(
        simple.command(),
        "am instrument -w -r -e class 'com.foo.BarTest#two' com.foo.test/androidx.test.runner.AndroidJUnitRunner"
    );
    let error = named("Other").resolve(&phone, limit).expect_err("nothing is called so");
    assert!(error.to_string().contains("com.foo.BarTest#one, com.foo.BarTest#two"), "{error}");
    assert_eq!(phone.serial(), "X1");
}
