//! Power models of the SoC that a trace contains, through the real program.

use std::path::{Path, PathBuf};

use wattle_wire::Writer;

use crate::support::{Run, number, wattle};

const SECOND: u64 = 1_000_000_000;
const WATTSON_SOC_MODEL: u32 = 1004;

/// One CPU of a Tensor at 1 GHz: a thread for two seconds, then deep idle for one.
fn trace() -> Writer {
    let mut trace = Writer::new();
    trace.message(1, |packet| packet.message(45, |info| info.string(9, "Tensor")));
    trace.message(1, |packet| {
        packet.varint(8, SECOND);
        packet.message(1, |bundle| {
            bundle.varint(1, 0);
            clock(bundle, SECOND);
            idle(bundle, SECOND, u64::from(u32::MAX));
            switch(bundle, SECOND, (0, "swapper/0"), (100, "work"));
            switch(bundle, 3 * SECOND, (100, "work"), (0, "swapper/0"));
            idle(bundle, 3 * SECOND, 1);
            clock(bundle, 4 * SECOND);
        });
    });
    trace
}

fn event(bundle: &mut Writer, time: u64, number: u32, write: impl FnOnce(&mut Writer)) {
    bundle.message(2, |event| {
        event.varint(1, time);
        event.varint(2, 0);
        event.message(number, write);
    });
}

fn clock(bundle: &mut Writer, time: u64) {
    event(bundle, time, 11, |event| {
        event.varint(1, 1_000_000);
        event.varint(2, 0);
    });
}

fn idle(bundle: &mut Writer, time: u64, state: u64) {
    event(bundle, time, 13, |event| {
        event.varint(1, state);
        event.varint(2, 0);
    });
}

fn switch(bundle: &mut Writer, time: u64, from: (u64, &str), to: (u64, &str)) {
    event(bundle, time, 4, |event| {
        event.string(1, from.1);
        event.varint(2, from.0);
        event.varint(3, 120);
        event.varint(4, 1);
        event.string(5, to.1);
        event.varint(6, to.0);
        event.varint(7, 120);
    });
}

/// A model with one policy of one CPU.
#[derive(Clone, Copy)]
struct Embedded {
    cpus: &'static [(i64, i64)],
    khz: u64,
    shared: f64,
    active: f64,
    /// Both columns of an idle core.
    idle: f64,
    /// Number of times that its row is there.
    rows: usize,
}

/// 5 mW of the cluster, 100 mW of the core at work.
const MODEL: Embedded =
    Embedded { cpus: &[(0, 0)], khz: 1_000_000, shared: 5.0, active: 100.0, idle: 0.0, rows: 1 };

fn add(trace: &mut Writer, model: Embedded) {
    trace.message(1, |packet| {
        packet.message(WATTSON_SOC_MODEL, |to| {
            to.string(1, "Tensor of the test");
            to.message(6, |topology| {
                for (cpu, policy) in model.cpus {
                    topology.message(1, |map| {
                        map.int(1, *cpu);
                        map.int(2, *policy);
                    });
                }
            });
            for _ in 0..model.rows {
                to.message(16, |row| {
                    row.varint(1, 0);
                    row.varint(2, model.khz);
                    row.double(3, model.shared);
                    row.double(4, model.active);
                    if model.idle > 0.0 {
                        row.double(5, model.idle);
                        row.double(6, model.idle);
                    }
                });
            }
        });
    });
}

/// A trace file with these models in it.
fn file(folder: &Path, models: &[Embedded]) -> PathBuf {
    let mut trace = trace();
    for model in models {
        add(&mut trace, *model);
    }
    let path = folder.join("run.pftrace");
    std::fs::write(&path, trace.as_bytes()).expect("written");
    path
}

fn report(path: &Path, flags: &[&str]) -> Run {
    let path = path.to_str().expect("UTF-8");
    let run = wattle(["report", path].into_iter().chain(flags.iter().copied()));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    run
}

/// Joules of a report, and the reason for its model.
#[track_caller]
fn joules(path: &Path, flags: &[&str]) -> (f64, String) {
    let report = report(path, &[&["--json", "-"], flags].concat()).json();
    let chosen = report.pointer("/model/chosen").and_then(serde_json::Value::as_str);
    (number(&report, "/total_joules"), chosen.unwrap_or_default().to_owned())
}

#[test]
fn a_trace_with_a_model_is_counted_by_it() {
    let folder = tempfile::tempdir().expect("folder");
    let path = file(folder.path(), &[]);
    let (library, chosen) = joules(&path, &[]);
    assert_eq!(chosen, "SoC \"Tensor\" of the recording");

    // Recorders repeat descriptions.
    let path = file(folder.path(), &[MODEL, MODEL]);
    let (own, chosen) = joules(&path, &[]);
    assert_eq!(chosen, "the recording's own model");
    // 105 mW for two seconds; nothing in deep idle.
    assert!((own - 0.210).abs() < 1e-9, "{own} J");
    assert!((library - own).abs() > 0.001, "{library} J");
    let text = report(&path, &["--full"]).stdout;
    let first: Vec<&str> = text.lines().take(12).collect();
    let said = "model: Tensor of the test (curves), by the recording's own model";
    assert!(first.iter().any(|line| line.contains(said)), "{text}");

    // As a file of its own it says the same, and a user's file stands above the recording's model.
    let toml = folder.path().join("own.toml");
    let [trace, toml] = [&path, &toml].map(|path| path.to_str().expect("UTF-8"));
    let shown = wattle(["model", "show", trace, "--toml", toml]);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    assert!(shown.stdout.contains("WattsonSocModel of the recording"), "{}", shown.stdout);
    let checked = wattle(["model", "check", trace]);
    assert_eq!(checked.code, Some(0), "{}{}", checked.stdout, checked.stderr);
    let file = std::fs::read_to_string(toml).expect("written").replace(", 100,", ", 300,");
    std::fs::write(toml, file).expect("written");
    let (given, chosen) = joules(&path, &["--device-model", toml]);
    assert_eq!(chosen, "--device-model");
    assert!((given - 0.610).abs() < 1e-9, "{given} J");
}

/// Models that are not used, and the words of the note.
#[track_caller]
fn check(models: &[Embedded], note: &str) {
    let folder = tempfile::tempdir().expect("folder");
    let (without, _) = joules(&file(folder.path(), &[]), &[]);
    let path = file(folder.path(), models);
    let (found, chosen) = joules(&path, &[]);
    assert_eq!((found, chosen.as_str()), (without, "SoC \"Tensor\" of the recording"));
    let report = report(&path, &["--json", "-"]).stdout;
    assert!(report.contains(note), "{note:?} is not in {report}");
    let shown = wattle(["model", "show", path.to_str().expect("UTF-8")]);
    assert_eq!(shown.code, Some(3), "{}", shown.stdout);
}

#[test]
fn hostile_models_are_refused_and_the_report_goes_on() {
    let of = |change: fn(&mut Embedded)| {
        let mut model = MODEL;
        change(&mut model);
        model
    };
    check(&[of(|it| it.active = 0.0)], "draws nothing at work");
    check(&[of(|it| it.active = f64::NAN)], "expected 0 to 8000 mW, found NaN");
    // A core of a phone that draws 15 W, idle or not.
    check(
        &[of(|it| (it.active, it.idle) = (15_000.0, 15_000.0))],
        "a core at work of policy 0 at 1000000 kHz: expected 0 to 8000 mW, found 15000",
    );
    check(&[of(|it| it.idle = 2000.0)], "expected 0 to 1000 mW, found 2000");
    check(&[of(|it| it.idle = 150.0)], "expected idle cores below cores at work");
    check(&[of(|it| it.active = -100.0)], "found -100");
    check(&[of(|it| it.shared = 1e300)], "policy 0 at 1000000 kHz: expected 0 to 2500 mW");
    check(&[of(|it| it.cpus = &[(0, 0), (0, 4)])], "CPU 0 is in policy 0 and in policy 4");
    check(&[of(|it| it.cpus = &[(0, 0), (2_000_000_000, 0)])], "no device has a CPU 2000000000");
    check(&[of(|it| it.cpus = &[(4, 0)])], "CPU 0 of the recording is in none of its clusters");
    check(&[of(|it| it.khz = 999)], "has none of the clocks that were recorded");
    check(&[of(|it| it.rows = 30_000)], "damaged, or larger than that of any device");
    check(&[MODEL, of(|it| it.active = 200.0)], "the recording contains 2 different ones");
}

/// A command line whose `TRACE` is a trace with these models: the exit code, and words of what it prints. The trace stays as it is.
#[track_caller]
fn check_command(models: &[Embedded], line: &str, code: i32, words: &str) {
    let folder = tempfile::tempdir().expect("folder");
    let path = file(folder.path(), models);
    let before = std::fs::read(&path).expect("read");
    let path = path.to_str().expect("UTF-8");
    let run = wattle(line.split(' ').map(|word| if word == "TRACE" { path } else { word }));
    let text = format!("{}{}", run.stdout, run.stderr);
    assert_eq!(run.code, Some(code), "{line}: {text}");
    let words = words.replace("TRACE", path);
    assert!(text.contains(&words), "{line}: {words:?} is not in {text}");
    assert_eq!(std::fs::read(path).expect("read"), before, "{line}");
}

#[test]
fn a_trace_is_a_model_where_models_are_compared_and_else_the_error_says_how_to_save_it() {
    let one = &[MODEL];
    check_command(one, "model diff TRACE Tensor", 0, "a: Tensor of the test\nb: Tensor\n");
    check_command(one, "model diff TRACE TRACE", 0, "policy 0 at 1000000 kHz, one core active");
    let save = "found a recording that contains one; save that as a file first: \
                `wattle model show TRACE --toml model.toml`";
    check_command(one, "report TRACE --device-model TRACE", 3, save);
    check_command(one, "calibrate --update TRACE other.pftrace", 3, save);
    check_command(one, "diagnose TRACE --device-model TRACE", 3, save);
    let none = "expected a device model, found a recording that contains none; `wattle model list`";
    check_command(&[], "model diff TRACE Tensor", 3, none);
    check_command(&[], "report TRACE --device-model TRACE", 3, none);
    check_command(&[], "calibrate --update TRACE other.pftrace", 3, none);
    let twice = "its own power model cannot be used: the recording contains 2 different ones";
    let other = Embedded { active: 200.0, ..MODEL };
    check_command(&[MODEL, other], "report TRACE --device-model TRACE", 3, twice);
}
