//! The sinks that write one line or section for each event, as a real run prints them.

use std::path::Path;
use std::process::Output;

use crate::art::{ArtHost, calibrated};
use crate::runtime_program::{Program, script};
use wattle_dex::Opcode;
use wattle_probe::ProbeEvent::{self, Back, Call, Enter, Exit, Fail, Unwind};
use wattle_probe::{MapId, Runtime, Sink};
use wattle_testdata::requires;

fn runtime(sink: Sink) -> Vec<u8> {
    Runtime { sink, map: MapId::from_bytes(b"map"), package: None, calibration: true }
        .write(35)
        .unwrap()
}

fn run(art: &ArtHost, sink: Sink, events: &[(ProbeEvent, &str)]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let class_path =
        [("main.dex", script(sink, events)), ("probe.dex", runtime(sink))].map(|(name, bytes)| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        });
    art.run::<&str>(&class_path, "Main", &[], &[])
}

#[track_caller]
fn check(sink: Sink, events: &[(ProbeEvent, &str)], expected: &str) {
    let art = ArtHost::new();
    let output = run(&art, sink, events);
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    let found = if sink == Sink::Trace {
        let apart = calibrated::apart(&printed);
        let label = format!("wattle.calibration #0@{}", MapId::from_bytes(b"map").short());
        assert_eq!(apart.pairs, Some(("1", label.as_str())));
        apart.rest.iter().flat_map(|line| [line, "\n"]).collect()
    } else {
        printed
    };
    assert_eq!(found, expected);
}

#[requires(env = "WATTLE_ART")]
#[test]
fn trace_opens_and_closes_sections() {
    let events = [
        (Enter, "com.foo.Bar.baz #1k2@9f86d081"),
        (Call, "android.util.Log.d #4@9f86d081"),
        (Back, ""),
        (Call, "android.util.Log.e #5@9f86d081"),
        (Fail, ""),
        (Unwind, ""),
        (Enter, "Ünï #6@9f86d081"),
        (Exit, ""),
    ];
    check(
        Sink::Trace,
        &events,
        "B 1 com.foo.Bar.baz #1k2@9f86d081\nB 1 android.util.Log.d #4@9f86d081\nE 1\n\
         B 1 android.util.Log.e #5@9f86d081\nE 1\nE 1\nB 1 Ünï #6@9f86d081\nE 1\n",
    );
}

#[requires(env = "WATTLE_ART")]
#[test]
fn orka_lines_are_the_texts() {
    check(
        Sink::Orka,
        &[
            (Enter, "entering Bar/baz"),
            (Back, "    API call l42 android/util/Log/d"),
            (Unwind, "exiting Bar/baz"),
            (Exit, "exiting Bar/baz"),
        ],
        "I/orka: entering Bar/baz\nI/orka:     API call l42 android/util/Log/d\n\
         I/orka: exiting Bar/baz\nI/orka: exiting Bar/baz\n",
    );
}

/// The text that Navitas appended, from what the kernel shows of this machine.
fn times_in_states(cpus: &Path) -> String {
    let mut text = " TimeInStates ".to_owned();
    for cpu in (0..).map(|cpu| cpus.join(format!("cpu{cpu}"))).take_while(|cpu| cpu.is_dir()) {
        let name = cpu.file_name().unwrap().to_str().unwrap();
        let times = std::fs::read_to_string(cpu.join("cpufreq/stats/time_in_state"));
        let times = times.unwrap_or_default().replace('\n', " ");
        text.extend([name, " ", &times, "; "]);
    }
    text + " EndOfData 0"
}

#[requires(env = "WATTLE_ART")]
#[test]
fn navitas_lines_carry_the_times_in_state() {
    let states = times_in_states(Path::new("/sys/devices/system/cpu"));
    assert!(states.starts_with(" TimeInStates cpu0 "), "{states}");
    check(
        Sink::Navitas,
        &[(Enter, "Entry com.foo.Bar.baz"), (Exit, "Exit com.foo.Bar.baz")],
        &format!("D/TEST: Entry com.foo.Bar.baz{states}\nD/TEST: Exit com.foo.Bar.baz{states}\n"),
    );
}

/// With a folder of CPUs that has frequencies, put in the place of the machine's where that is allowed.
#[requires(env = "WATTLE_ART", program = "unshare")]
#[test]
fn navitas_lines_have_the_frequencies_of_a_real_line() {
    let art = ArtHost::new();
    let folder = tempfile::tempdir().unwrap();
    let cpus = folder.path().join("cpu");
    for (cpu, times) in [
        ("cpu0", Some("1600000 4702761\n1333000 1409000\n933000 385016\n800000 21620318\n")),
        ("cpu1", None),
        ("cpu2", Some("800000 21913765\n")),
    ] {
        let stats = cpus.join(cpu).join("cpufreq/stats");
        std::fs::create_dir_all(&stats).unwrap();
        if let Some(times) = times {
            std::fs::write(stats.join("time_in_state"), times).unwrap();
        }
    }
    for (name, bytes) in [
        ("main.dex", script(Sink::Navitas, &[(Enter, "Entry a.B.c")])),
        ("probe.dex", runtime(Sink::Navitas)),
    ] {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    // A mount of its own, which ends with the process.
    let mount = format!("mount --bind {} /sys/devices/system/cpu &&", cpus.display());
    let launcher = art.command_after(&mount, &[]);
    let mut command = std::process::Command::new("unshare");
    command.args(["--mount", "--propagation", "private"]).arg(launcher.get_program());
    command.args(launcher.get_args());
    for (name, value) in launcher.get_envs() {
        // The runtime's own libraries are not for the shell.
        command.env(name, value.unwrap());
    }
    let path = |name: &str| folder.path().join(name).display().to_string();
    command.arg("-cp").arg(format!("{}:{}", path("main.dex"), path("probe.dex"))).arg("Main");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    // The form of the line that Navitas's own log of 2021 shows.
    let expected = "D/TEST: Entry a.B.c TimeInStates cpu0 1600000 4702761 1333000 1409000 933000 385016 \
         800000 21620318 ; cpu1 ; cpu2 800000 21913765 ;  EndOfData 0\n";
    assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
}

/// A framework class all of whose methods throw, as those of a device that lacks them.
fn missing(class: &str, methods: &[&str]) -> Vec<u8> {
    let mut program = Program::new();
    program.class(class, &[], |it| {
        for method in methods {
            it.method(method, (1, 1), |lines| {
                lines.create(0, "Ljava/lang/Error;-><init>()V", &[]).op(Opcode::THROW, &[0]);
            });
        }
    });
    program.bytes()
}

#[requires(env = "WATTLE_ART")]
#[test]
fn trace_does_nothing_where_sections_cannot_be_opened() {
    let art = ArtHost::new();
    // As before API 18: the class is there, what is needed is not.
    let art = art.with_only(&missing("Landroid/os/Trace;", &["traceBegin(Ljava/lang/String;)V"]));
    let output = run(&art, Sink::Trace, &[(Enter, "a #1@9f86d081"), (Exit, ""), (Fail, "")]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
